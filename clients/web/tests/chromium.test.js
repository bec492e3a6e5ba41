import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BINARY, ENVIRONMENT, Server } from '../../watermelondb/tests/support/server.js';
import { behaviour } from './support/behaviour.js';
import { Browser } from './support/browser.js';
import { Chromium, hasChromium } from './support/chromium.js';
import { KeyRange } from './support/keys.js';
import { until } from './support/open.js';

// The example in a real browser: two windows, without a network, and after signing out.

const skip = hasChromium() ? false : 'there is no chromedriver';
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const PASSWORD = 'correct horse battery';
const here = path => fileURLToPath(new URL(path, import.meta.url));

let folder, files, server, browser, alice, project;
/** A file of the page that can't be had. */
let missing = '/style.css';

before(async () => {
    if (skip) return;
    folder = mkdtempSync(join(tmpdir(), 'tidemark-web-'));
    cpSync(here('../example'), folder, { recursive: true });
    cpSync(here('support/behaviour.js'), join(folder, 'behaviour.js'));
    await serve();
    server = await Server.start({ TIDEMARK_HTTP_ORIGINS: files.origin });
    const args = ['user', 'add', 'alice', '--password-stdin', '--database', server.database];
    spawnSync(BINARY, args, { env: ENVIRONMENT, input: `${PASSWORD}\n` });
    alice = await server.command('token', 'create', '--user', 'alice');
    project = await server.project(alice, '<b>Boat</b>');
    await server.task(alice, project, { id: 't-1', name: '<img src=x onerror=alert(1)>' });
    browser = await Chromium.start();
});
after(async () => {
    if (skip) return;
    await browser?.stop();
    await server?.stop();
    files?.close();
    rmSync(folder, { recursive: true, force: true });
});

/** Serves the files, on the former port if there was one. */
function serve() {
    const port = files?.port ?? 0;
    files = createServer(({ url }, response) => {
        const { pathname } = new URL(url, 'http://files');
        if (pathname === missing) return response.writeHead(404).end();
        const path = join(folder, pathname === '/' ? 'index.html' : pathname);
        try {
            const content = readFileSync(path);
            response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'text/plain' }).end(content);
        } catch {
            response.writeHead(404).end();
        }
    });
    return new Promise(resolve => files.listen(port, '127.0.0.1', () => {
        files.port = files.address().port;
        files.origin = `http://127.0.0.1:${files.port}`;
        resolve();
    }));
}

const page = () => `${files.origin}/?server=${encodeURIComponent(server.url)}`;
const names = () => browser.run('return [...document.querySelectorAll("#tasks .name")].map(each => each.textContent)');
const status = () => browser.run('return document.querySelector("#status").textContent');
const submit = (form, values) => browser.run(`
    const form = document.querySelector(${JSON.stringify(form)});
    for (const [name, value] of Object.entries(${JSON.stringify(values)})) form.elements[name].value = value;
    form.requestSubmit();`);
const seen = (...expected) => until(async () => {
    const shown = (await names()).sort();
    return JSON.stringify(shown) === JSON.stringify([...expected].sort());
}, `tasks ${expected}`);

const IMAGE = '<img src=x onerror=alert(1)>';

test('a page that finds no Tidemark says so', { skip }, async () => {
    await browser.open(files.origin);
    await until(async () => (await status()).startsWith(`${files.origin} is no Tidemark`), 'the sentence');
    await browser.errors(); // It writes a module that it can't have to its console.
});

test('a page that can\'t be kept for times without a network says so', { skip }, async () => {
    await browser.open(page());
    const alert = () => browser.run('return document.querySelector("#kept").textContent');
    await until(async () => /^This page will not open without a network: a file/.test(await alert()), 'the alert');
    missing = null;
});

test('two windows follow each other, and the page works offline', { skip }, async () => {
    await browser.open(page());
    await browser.run('await navigator.serviceWorker.ready');
    const first = await browser.current();
    await until(async () => await status() === 'Sign in.', 'the form');
    await submit('#sign-in', { username: 'alice', password: PASSWORD });
    await seen(IMAGE);
    const second = await browser.window();
    await browser.open(page());
    await seen(IMAGE);

    await submit('#add', { name: 'From two' });
    await browser.go(first);
    await seen(IMAGE, 'From two');
    const sent = async () => (await server.api(alice, 'GET', `/projects/${project}/tasks/`)).results;
    await until(async () => (await sent()).length === 2, 'it is sent');
    await server.task(alice, project, { id: 't-3', name: 'Of others' });
    await seen(IMAGE, 'From two', 'Of others');

    await server.halt();
    files.close();
    files.closeAllConnections();
    await browser.go(second);
    await browser.open(page());
    await seen(IMAGE, 'From two', 'Of others');
    await submit('#add', { name: 'Offline' });
    await seen(IMAGE, 'From two', 'Of others', 'Offline');
    await until(async () => /1 unsent/.test(await status()), 'it says what is unsent');

    await serve();
    await server.run();
    await until(async () => (await sent()).some(({ name }) => name === 'Offline'), 'it is sent');
    await until(async () => await status() === 'up to date', 'nothing is unsent');
});

test('signing out wipes everything, in all windows', { skip }, async () => {
    await browser.run('document.querySelector("#sign-out").click()');
    await until(async () => await status() === 'Sign in.', 'signed out');
    const left = await browser.run(`
        return new Promise(resolve => indexedDB.databases().then(async ([{ name }]) => {
            indexedDB.open(name).onsuccess = ({ target: { result: db } }) => {
                const counts = {};
                for (const store of db.objectStoreNames) {
                    db.transaction(store).objectStore(store).count().onsuccess = ({ target }) => {
                        counts[store] = target.result;
                        if (Object.keys(counts).length === db.objectStoreNames.length) resolve(counts);
                    };
                }
            };
        }))`);
    const { meta, ...others } = left;
    assert.ok(Object.values(others).every(count => count === 0), JSON.stringify(left));
    assert.equal(meta, 1, 'the state of an empty copy');
});

test('the IndexedDB of the tests does what the browser\'s does', { skip }, async () => {
    const real = await browser.run(`
        return import('/behaviour.js').then(({ behaviour }) => behaviour(indexedDB, IDBKeyRange))`);
    assert.deepEqual(await behaviour(new Browser().tab().indexedDB, KeyRange), real);
});

test('the pages had no errors', { skip }, async () => {
    const errors = (await browser.errors()).filter(message => !/net::ERR_|style\.css/.test(message));
    assert.deepEqual(errors, []);
});
