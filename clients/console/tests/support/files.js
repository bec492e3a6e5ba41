import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { barOf } from './chart.js';
import { Plans, signIn } from './plans.js';

/** Files on a disk, which a browser is given. */
class Folder {
    path = mkdtempSync(join(tmpdir(), 'tidemark-files-'));

    /** Writes a file. Returns its path. */
    put(name, bytes) {
        const path = join(this.path, name);
        writeFileSync(path, bytes);
        return path;
    }

    remove() {
        rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
    }
}

/** A server with plans, and a folder for files to add. */
export class FilePlans {
    folder = new Folder();

    /** `tasks` are the names, and the ids begin with the project's. `url` is the first plan's. */
    static async start(tasks, projects = ['boat']) {
        const made = new FilePlans();
        made.plans = await Plans.start();
        made.alice = await made.plans.user('alice');
        const { server, front } = made.plans;
        for (const id of projects) {
            await server.api(made.alice, 'POST', '/projects/', { id, name: id, start_date: '2026-01-05' });
            for (const name of tasks) {
                const task = { id: `${id}-${name}`, name, planned_start: '2026-03-02', duration: 3 };
                await server.task(made.alice, id, task);
            }
        }
        made.url = `${front.url}#/plan/${projects[0]}`;
        return made;
    }

    /** The rows of files, as the server has them. */
    async rows(project = 'boat') {
        return (await this.plans.server.api(this.alice, 'GET', `/projects/${project}/attachments/`)).results;
    }

    async stop() {
        this.folder.remove();
        await this.plans.stop();
    }
}

/** What went wrong in a page since the last call, other than requests that failed. */
export const troublesOf = page => page.troubles.splice(0).filter(text => !/^Failed to load resource/.test(text));

/** Drops files on an element, as a hand with a mouse does. */
export async function dropOn(page, selector, paths) {
    const { x, y } = await page.until(`
        const box = document.querySelector(${JSON.stringify(selector)})?.getBoundingClientRect();
        return box?.width > 0 && { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 20) }`, selector);
    const data = { items: [], files: paths, dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop']) {
        await page.send('Input.dispatchDragEvent', { type, x, y, data });
    }
}

/** Chooses files in an input. */
export async function choose(page, selector, paths) {
    const expression = `document.querySelector(${JSON.stringify(selector)})`;
    const { result: { objectId } } = await page.send('Runtime.evaluate', { expression });
    await page.send('DOM.setFileInputFiles', { files: paths, objectId });
}

/** Clicks on a button of the list by its name, with the mouse: a browser stops downloads that nobody has clicked for. */
export async function clickOn(page, label) {
    const place = await page.until(`
        const found = [...document.querySelectorAll('.file button')].find(each => each.ariaLabel === ${JSON.stringify(label)});
        found?.scrollIntoView({ block: 'center' });
        const box = found?.getBoundingClientRect();
        return box && { x: box.x + Math.min(box.width / 2, 20), y: box.y + Math.min(box.height / 2, 8) }`, label);
    await page.drag(place, place);
}

/** What the list of files shows, from the top: `{ name, state, kind, facts, picture }`. `picture` is the width of it. */
export const listed = page => page.run(`
    return [...document.querySelectorAll('.files > .file')].map(item => {
        const text = name => item.querySelector(name).textContent;
        const state = item.querySelector('.file-state');
        return {
            name: text('.file-name'), facts: text('.file-facts'), state: state.textContent,
            kind: state.className.replace('file-state', '').trim(),
            picture: item.querySelector('.file-picture:not([hidden]) img')?.naturalWidth ?? 0,
        };
    })`);

/** Waits until the list is as the function says. Returns it. */
export async function whenListed(page, isRight, what = String(isRight)) {
    for (let attempt = 0; attempt < 2000; attempt += 1) {
        const files = await listed(page);
        if (isRight(files)) return files;
        await new Promise(resolve => setTimeout(resolve, 15));
    }
    throw new Error(`The list never was so: ${what}\n${JSON.stringify(await listed(page))}\n${page.troubles}`);
}

/** Opens the panel of a task in the plan. */
export async function openTask(page, name) {
    await page.has('.plan-rows .plan-row', 40_000);
    await barOf(page, name);
    // The keys of the list come a little later than the plan.
    await page.until(`
        document.querySelector('.plan-list').dispatchEvent(new KeyboardEvent('keydown',
            { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }));
        return document.querySelector('.plan-details:not([hidden]) h2')?.textContent === ${JSON.stringify(name)}`,
    `${name} is open`);
    await page.has('.file-section');
}

/** A window at the plan, with a script that runs before the console. `user` signs in; without one, somebody has. */
export async function windowAt(tools, address, { user = null, source = COUNTS, browserContextId } = {}) {
    const page = await tools.page(null, { browserContextId });
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source });
    await page.open(address);
    if (user) await signIn(page, user);
    await page.has('.plan-rows .plan-row', 40_000);
    return page;
}

/** Counts in a page what is decoded, and the addresses of Blobs: `counts` is `{ bitmaps, made, forgotten, types }`. */
export const COUNTS = `{
    const counts = globalThis.counts = { bitmaps: 0, made: 0, forgotten: 0, types: [] };
    const { createObjectURL, revokeObjectURL } = URL;
    URL.createObjectURL = blob => {
        counts.made += 1;
        counts.types.push(blob.type);
        return createObjectURL.call(URL, blob);
    };
    URL.revokeObjectURL = address => {
        counts.forgotten += 1;
        revokeObjectURL.call(URL, address);
    };
    const decode = globalThis.createImageBitmap;
    globalThis.createImageBitmap = (...given) => {
        counts.bitmaps += 1;
        return globalThis.isStuck ? new Promise(() => {}) : decode(...given);
    };
}`;

/** Lets downloads of a browser come into a folder. Resolves to a function that waits for the next one: its name. */
export async function downloadsInto(page, path, browserContextId) {
    const told = [];
    page.tools.listen(undefined, (method, params) => {
        if (method === 'Browser.downloadWillBegin') told.push(params);
        if (method === 'Browser.downloadProgress' && params.state === 'completed') {
            Object.assign(told.find(({ guid }) => guid === params.guid), { isDone: true });
        }
    });
    const behavior = { behavior: 'allowAndName', downloadPath: path, eventsEnabled: true, browserContextId };
    await page.tools.send('Browser.setDownloadBehavior', behavior);
    return async () => {
        for (let attempt = 0; attempt < 2000; attempt += 1) {
            if (told[0]?.isDone) {
                const { guid, suggestedFilename, url } = told.shift();
                return { path: join(path, guid), name: suggestedFilename, url };
            }
            await new Promise(resolve => setTimeout(resolve, 15));
        }
        throw new Error(`No download came: ${JSON.stringify(told)}`);
    };
}
