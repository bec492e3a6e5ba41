// A device with the web client in Chromium: tabs of the server's address, with a profile on the disk. The process can be
// killed with its browser at any moment. Called by `node.py`; the commands are those of `web.mjs`, but for `die`: the
// tab crashes or is closed after so many times 2 ms.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DevTools } from '../../../../clients/console/tests/support/devtools.js';
import { despite, serve } from './lines.mjs';

const [url, token, project, pageSize, file] = process.argv.slice(2);
/** Where the device's own files lie, at the server's address: so the page asks nobody for leave. */
const OWN = '/device/';
const FOLDERS = [['copy.mjs', new URL('.', import.meta.url)], ['', new URL('../../../../clients/web/', import.meta.url)]];
const STEP = 2;

const profile = `${file}.p`;
// The browser that was killed can't take its mark away.
for (const mark of ['Lock', 'Socket', 'Cookie']) rmSync(join(profile, `Singleton${mark}`), { force: true });
const tools = DevTools.startWith(profile);
tools._exit.then(() => process.exit(1));
// Whoever kills this process kills the browser's group with it.
writeFileSync(`${file}.pid`, `${tools._process.pid}`);
let current = null;

function content(path) {
    const name = path.slice(OWN.length);
    if (name === '') return ['text/html', '<!doctype html><title>Device</title>'];
    const [, folder] = FOLDERS.find(([first]) => name.startsWith(first));
    return ['text/javascript', readFileSync(new URL(name, folder))];
}

function answer(page, { requestId, request }) {
    const [type, body] = content(new URL(request.url).pathname);
    page.send('Fetch.fulfillRequest', {
        requestId, responseCode: 200, responseHeaders: [{ name: 'Content-Type', value: type }],
        body: Buffer.from(body).toString('base64'),
    }).catch(() => {});
}

async function openTab() {
    const page = await tools.page();
    let die;
    const tab = { page, isDead: false, died: new Promise(resolve => { die = resolve; }) };
    tab.end = () => {
        tab.isDead = true;
        die();
    };
    tools.listen(page.session, (method, params) => {
        if (method === 'Fetch.requestPaused') answer(page, params);
        else if (method === 'Inspector.targetCrashed') tab.end();
        else page._note(method, params);
    });
    await page.send('Fetch.enable', { patterns: [{ urlPattern: `${url}${OWN}*` }] });
    await page.open(`${url}${OWN}`);
    const options = {
        url, project: project || null, pageSize: Number(pageSize), retry: { attempts: 1 }, timeout: 10_000,
        listen: false,
    };
    await inPage(tab, `
        const [{ open }, device] = await Promise.all([import('${OWN}index.js'), import('${OWN}copy.mjs')]);
        Object.assign(globalThis, { device, copy: await open(${JSON.stringify(options)}) });`);
    return tab;
}

/** Runs a script in a tab. Throws what it throws, with its code. */
async function inPage({ page }, script) {
    const { value, error } = await page.run(`
        try {
            return { value: await (async () => { ${script} })() };
        } catch (error) {
            return { error: { code: error.code, detail: error.detail ?? String(error), stack: error.stack } };
        }`);
    if (error) throw Object.assign(new Error(error.code ? error.detail : error.stack), error.code && { code: error.code });
    return value;
}

/** A tab that lives and is signed in. */
async function opened() {
    if (current === null || current.isDead) current = await openTab();
    const tab = current;
    const signIn = `if (!copy.state.isSignedIn) await copy.signIn({ token: ${JSON.stringify(token)} })`;
    await Promise.race([inPage(tab, signIn), tab.died]);
    return { died: tab.died, value: tab };
}

const inTab = script => despite(opened, tab => inPage(tab, script));

async function besides() {
    await opened();
    const second = await openTab();
    const first = current;
    const syncs = [first, second].map(tab => Promise.race([inPage(tab, 'await copy.sync()'), tab.died]));
    const results = await Promise.allSettled(syncs);
    current = second;
    await first.page.close().catch(() => {});
    first.end();
    const failure = results.find(({ status }) => status === 'rejected');
    if (failure) throw failure.reason;
}

function edit({ edits }) {
    let isAgain = false;
    return despite(opened, tab => {
        const script = `return device.edited(copy, ${JSON.stringify(edits)}, ${isAgain})`;
        isAgain = true;
        return inPage(tab, script);
    });
}

async function dieAfter(within) {
    await opened();
    const tab = current;
    setTimeout(() => {
        if (within % 2) tab.page.send('Page.crash').catch(() => {});
        else tab.page.close().then(tab.end, () => {});
    }, within * STEP);
}

await serve({
    sync: () => inTab('await copy.sync()'),
    other: besides,
    edit,
    look: ({ collections }) => inTab(`return device.look(copy, ${JSON.stringify(collections)})`),
    die: ({ within }) => dieAfter(within),
});
