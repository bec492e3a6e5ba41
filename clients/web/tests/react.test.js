import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tidemark } from '../../watermelondb/tests/support/server.js';
import { hasChromium } from './support/chromium.js';
import { until } from './support/open.js';
import { Pages } from './support/pages.js';

// A React page in TypeScript (apps/react), with Debian's React, its types, and TypeScript: it starts for the first time
// without a network, and tells what did not get through.

const DEBIAN = '/usr/share/nodejs';
const [REACT, DOM] = ['react', 'react-dom'].map(name => `${DEBIAN}/${name}/umd/${name}.development.js`);
const COMPILER = `${DEBIAN}/typescript/bin/tsc`;
const needed = [REACT, DOM, COMPILER, `${DEBIAN}/@types/react-dom`];
const skip = hasChromium() && needed.every(existsSync) ? false : 'there is no chromedriver, React or TypeScript';
const here = path => fileURLToPath(new URL(path, import.meta.url));
const TYPES = { '.js': 'text/javascript', '.json': 'application/json' };
const OPTIONS = {
    strict: true, target: 'es2022', module: 'es2022', moduleResolution: 'node', jsx: 'react', types: [],
    esModuleInterop: true, skipLibCheck: true, noEmitOnError: true,
};

/** Debian's React is no module. */
const MODULES = {
    'react.js': 'export default React; export const { StrictMode, useEffect, useState, useSyncExternalStore } = React;',
    'react-dom-client.js': 'export const { createRoot } = ReactDOM;',
    'tidemark-web.js': 'export * from "./module/index.js";',
};
const PAGE = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="app"></div>
<script type="importmap">{ "imports": { "react": "./react.js", "react-dom/client": "./react-dom-client.js",
    "tidemark-web": "./tidemark-web.js" } }</script>
<script src="react"></script><script src="react-dom"></script><script type="module" src="app.js"></script>`;

let folder, pages, browser;

before(async () => {
    if (skip) return;
    folder = mkdtempSync(join(tmpdir(), 'tidemark-react-'));
    pages = await Pages.start(answer);
    ({ browser } = pages);
});
after(async () => {
    await pages?.stop();
    if (folder) rmSync(folder, { recursive: true });
});

function answer(path, response) {
    const name = path.slice(1);
    const text = { '': PAGE, 'config.json': JSON.stringify({ url: pages.server?.url }), ...MODULES }[name]
        ?? readFileSync({ react: REACT, 'react-dom': DOM }[name] ?? place(name));
    const type = TYPES[extname(name)] ?? (name === '' ? 'text/html' : 'text/javascript');
    return response.writeHead(200, { 'Content-Type': type }).end(text);
}

const place = name => (name.startsWith('module/') ? here(`../${name.slice(7)}`) : join(folder, name));

test('the page is right by the types of React and of the schema', { skip }, async () => {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(here('..'), join(folder, 'node_modules/tidemark-web'));
    symlinkSync(`${DEBIAN}/@types`, join(folder, 'node_modules/@types'));
    cpSync(here('apps/react/app.tsx'), join(folder, 'app.tsx'));
    writeFileSync(join(folder, 'rows.ts'), `${await tidemark('schema', '--format', 'typescript', '--all-projects')}\n`);
    writeFileSync(join(folder, 'schema.json'), await tidemark('schema', '--format', 'jsonschema'));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: ['app.tsx'] }));
    const { stdout } = spawnSync(process.execPath, [COMPILER, '-p', '.'], { cwd: folder, encoding: 'utf8' });
    assert.equal(stdout, '');
});

const text = selector => browser.run(`return document.querySelector('${selector}')?.textContent`);
const says = (selector, expected) => until(async () => await text(selector) === expected, `${selector}: ${expected}`);
const shows = (...names) => until(async () => {
    const shown = await browser.run('return [...document.querySelectorAll("li input")].map(({ value }) => value)');
    return shown.join() === names.join();
}, `${names}`);
const submit = (form, value) => browser.run(`
    const form = document.querySelector('${form}');
    form.elements[0].value = ${JSON.stringify(value)};
    form.requestSubmit();`);
const rename = (from, to) => browser.run(`
    const input = [...document.querySelectorAll('li input')].find(({ value }) => value === '${from}');
    input.focus();
    input.value = '${to}';
    input.blur();`);

test('it starts for the first time without a network', { skip }, async () => {
    await pages.server.halt();
    await browser.open(pages.origin);
    await says('[role=status]', 'offline, 0 unsent');
    await submit('#add', 'c');
    await shows('c');
    await submit('#add', 'x'.repeat(513));
    await until(async () => /512/.test(await text('[role=alert]')), 'what is wrong');
    for (const name of ['a', 'd', 'b']) await submit('#add', name);
    await shows('a', 'b', 'c');
    await submit('#sign-in', pages.alice);
    await until(async () => /^The server can't be reached/.test(await text('[role=alert]')), 'why nobody can sign in');
});

test('what was made before belongs to whoever signs in', { skip }, async () => {
    await pages.server.run();
    await submit('#sign-in', pages.alice);
    await says('[role=status]', 'online, 0 unsent');
    await shows('a', 'b', 'c');
    assert.deepEqual(await browser.dialogs(), [
        '5 edits were made here before anybody signed in. Keep them as yours, or discard them.',
    ]);
    const { results } = await pages.server.api(pages.alice, 'GET', '/projects/');
    assert.deepEqual(results.map(({ name }) => name), ['Boat', 'Boat']);
});

test('edits move rows in and out of the list, and one in conflict is told', { skip }, async () => {
    await browser.run('[...document.querySelectorAll("li button")][0].click()');
    await shows('b', 'c', 'd');
    await rename('b', 'e');
    await shows('c', 'd', 'e');
    await says('[role=status]', 'online, 0 unsent');
    await pages.server.halt();
    await until(async () => /^offline/.test(await text('[role=status]')), 'offline');
    await rename('c', 'c, mine');
    await shows('c, mine', 'd', 'e');
    await browser.open('about:blank');
    await pages.server.run();
    const { server } = pages;
    // Another device of hers.
    const alice = await server.command('token', 'create', '--user', 'alice');
    const { results: projects } = await server.api(alice, 'GET', '/projects/');
    const lists = await Promise.all(projects.map(({ id }) => server.api(alice, 'GET', `/projects/${id}/tasks/`)));
    const { id } = lists.flatMap(({ results }) => results).find(({ name }) => name === 'c');
    await server.api(alice, 'PATCH', `/tasks/${id}/`, { name: 'c, of others' });
    await browser.open(pages.origin);
    await shows('c, of others', 'd', 'e');
    await says('#aside li', 'conflict: c, mine Seen');
    await browser.run('document.querySelector("#aside button").click()');
    await says('#aside', '');
    assert.deepEqual((await browser.errors()).filter(message => !message.includes('net::ERR_')), []);
});
