import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hasChromium } from './support/chromium.js';
import { until } from './support/open.js';
import { Pages } from './support/pages.js';

// Two windows of one browser have one copy open, with the module of a released version and with today's: a tab that is
// never reloaded keeps the module that it has.

const RELEASED = 'a6c6269c';
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDERS = ['clients/web', 'clients/watermelondb'];
const hasRelease = spawnSync('git', ['cat-file', '-e', `${RELEASED}^{commit}`], { cwd: ROOT }).status === 0;
const skip = !hasChromium() ? 'there is no chromedriver'
    : hasRelease ? false : `this checkout does not have the commit ${RELEASED}`;
const PAGE = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Builds</title>';

let folder, pages, server, browser, token, project;
const errors = [];

before(async () => {
    if (skip) return;
    folder = mkdtempSync(join(tmpdir(), 'builds-'));
    mkdirSync(join(folder, 'released'));
    const archive = execFileSync('git', ['archive', RELEASED, ...FOLDERS], { cwd: ROOT, maxBuffer: 2 ** 28 });
    execFileSync('tar', ['-x', '-C', join(folder, 'released')], { input: archive });
    const today = join(folder, 'today');
    for (const name of FOLDERS) cpSync(join(ROOT, name, 'lib'), join(today, name, 'lib'), { recursive: true });
    cpSync(join(ROOT, 'clients/web/index.js'), join(today, 'clients/web/index.js'));
    pages = await Pages.start(answer);
    ({ server, browser, alice: token, project } = pages);
});
after(async () => {
    await pages?.stop();
    if (folder) rmSync(folder, { recursive: true });
});

function answer(path, response) {
    const [type, text] = path === '/' ? ['text/html', PAGE] : ['text/javascript', readFileSync(join(folder, path))];
    return response.writeHead(200, { 'Content-Type': type }).end(text);
}

/** Opens the copy with a build in another window, which follows the names of the tasks. Returns the window. */
async function open(build) {
    const window = await browser.window();
    await browser.open(pages.origin);
    await browser.run(`return (async () => {
        const { open } = await import('/${build}/clients/web/index.js');
        window.copy = await open({ url: ${JSON.stringify(server.url)} });
        window.names = [];
        copy.live('tasks', { project: '${project}' }, rows => { names = rows.map(({ name }) => name).sort(); });
    })()`);
    return window;
}

async function inside(window, lines) {
    await browser.go(window);
    return browser.run(`return (async () => { ${lines} })()`);
}

/** Closes a window, and keeps what has gone wrong in it. */
async function close(window) {
    await browser.go(window);
    errors.push(...await browser.errors());
    await browser.close();
}

const add = (window, name) =>
    inside(window, `await copy.insert('tasks', { project_id: '${project}', id: '${name}', name: '${name}' });`);

/** The names of the tasks that the server has. */
async function stored() {
    const { results } = await server.api(token, 'GET', `/projects/${project}/tasks/`);
    return results.map(({ name }) => name);
}

/** Waits until the windows show these tasks, and nothing is unsent. */
async function show(windows, names) {
    for (const window of windows) {
        await until(() => inside(window, `
            return names.join() === '${[...names].sort()}' && (await copy.unsent()).length === 0`), `${names}`);
    }
}

/** Both orders: whichever window comes first syncs for both, and the copy is made by it. */
for (const [first, second] of [['released', 'today'], ['today', 'released']]) {
    test(`windows of two builds share a copy, ${first} first`, { skip }, async () => {
        const start = await browser.current();
        await browser.open(pages.origin);
        await browser.run(`return indexedDB.databases().then(all => {
            for (const { name } of all) indexedDB.deleteDatabase(name);
        })`);
        const windows = [await open(first)];
        await inside(windows[0], `await copy.signIn({ token: '${token}' });`);
        windows.push(await open(second));
        const names = await stored();
        const rename = async (window, name) => {
            await inside(window, `await copy.update('tasks', '${names[0]}', { notes: '${name}' });`);
            await until(async () => (await server.api(token, 'GET', `/tasks/${names[0]}/`)).notes === name, name);
        };
        const addTo = async (window, name) => {
            await add(window, name);
            names.push(name);
            await show(windows, names);
        };
        await addTo(windows[0], `${first}-1-${first}`);
        await addTo(windows[1], `${first}-2-${second}`);
        await server.api(token, 'POST', `/projects/${project}/tasks/`, { id: `${first}-3`, name: `${first}-3` });
        names.push(`${first}-3`);
        await show(windows, names);
        // Both edit one row in turn, a field that none of them shows.
        for (const [turn, window] of [...windows, ...windows].entries()) await rename(window, `${first} ${turn}`);

        // The window that syncs is closed, and the other one takes over; then that build comes back.
        await close(windows.shift());
        await addTo(windows[0], `${first}-4-${second}`);
        windows.push(await open(first));
        await addTo(windows[1], `${first}-5-${first}`);
        await addTo(windows[0], `${first}-6-${second}`);
        for (const window of windows) await close(window);
        await browser.go(start);

        // Nothing is lost, and nothing was sent twice.
        assert.deepEqual((await stored()).sort(), [...names].sort());
    });
}

test('the pages had no errors', { skip }, async () => {
    assert.deepEqual(errors, []);
});
