import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

const SOURCE = readFileSync(new URL('../worker.js', import.meta.url), 'utf8');
const FILES = ['index.html', 'app.js', 'lib/pages.js'];

/** worker.js with caches and a server of its own. `server` may be changed: `{ build, files, isThere }`. */
function workerOf(build, server, caches = new Map()) {
    const listeners = {};
    const fetched = [];
    const base = 'https://plans.example/console/';
    const fetch = async request => {
        const url = new URL(request.url ?? request, base);
        fetched.push(url.href);
        if (!server.isThere) throw new TypeError('no network');
        const name = url.pathname.replace('/console/', '') || 'index.html';
        const body = name === 'build.json' ? JSON.stringify(server) : `${name} of ${server.build}`;
        const ok = server.files.includes(name) || name === 'build.json';
        return { ok, status: 404, body, json: async () => JSON.parse(body) };
    };
    const open = async name => {
        if (!caches.has(name)) caches.set(name, new Map());
        const kept = caches.get(name);
        return { match: async key => kept.get(key), put: async (key, value) => void kept.set(key, value) };
    };
    runInNewContext(SOURCE, {
        location: { href: `${base}worker.js?build=${build}` }, URL, JSON, Promise, Error, fetch,
        caches: { open, keys: async () => [...caches.keys()], delete: async name => caches.delete(name) },
        clients: { claim: async () => {} }, skipWaiting: async () => {},
        addEventListener: (name, listener) => { listeners[name] = listener; },
    });
    const tell = async name => {
        let work;
        listeners[name]({ waitUntil: promise => { work = promise; } });
        await work;
    };
    const ask = (url, method = 'GET') => {
        let answer = null;
        listeners.fetch({ request: { url: new URL(url, base).href, method }, respondWith: each => { answer = each; } });
        return answer;
    };
    return { tell, ask, caches, fetched };
}

test('what is kept is answered without a network', async () => {
    const server = { build: 'one', files: FILES, isThere: true };
    const worker = workerOf('one', server);
    await worker.tell('install');
    server.isThere = false;
    for (const name of FILES) assert.equal((await worker.ask(name)).body, `${name} of one`);
    assert.equal((await worker.ask('./')).body, 'index.html of one', 'the folder is the page');
    assert.equal((await worker.ask('./?x=1')).body, 'index.html of one');
});

test('the API, other hosts, other methods and the list of files are not touched', async () => {
    const worker = workerOf('one', { build: 'one', files: FILES, isThere: true });
    for (const url of ['/api/v1/projects/', '/', '/docs/', 'https://other.example/console/app.js', 'build.json']) {
        assert.equal(worker.ask(url), null, url);
    }
    assert.equal(worker.ask('app.js', 'POST'), null);
});

test('a build that the server does not have any more is not kept', async () => {
    const worker = workerOf('one', { build: 'two', files: FILES, isThere: true });
    await assert.rejects(worker.tell('install'), /The server has the build two, not one/);
});

test('a build that lacks a file is not kept', async () => {
    const server = { build: 'one', files: [...FILES], isThere: true };
    const listed = workerOf('one', { ...server, toJSON: () => ({ build: 'one', files: [...FILES, 'gone.js'] }) });
    await assert.rejects(listed.tell('install'), /gone\.js: 404/);
});

test('a newer worker drops the builds before it, and nothing else', async () => {
    const caches = new Map([['tidemark-console old', new Map()], ['tasks-1', new Map()]]);
    const worker = workerOf('one', { build: 'one', files: FILES, isThere: true }, caches);
    await worker.tell('install');
    assert.deepEqual([...caches.keys()], ['tidemark-console old', 'tasks-1', 'tidemark-console one']);
    await worker.tell('activate');
    assert.deepEqual([...caches.keys()], ['tasks-1', 'tidemark-console one']);
});
