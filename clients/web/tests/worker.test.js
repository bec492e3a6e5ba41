import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { after, before, test } from 'node:test';
import { Front } from '../../console/tests/support/front.js';
import { hasChromium } from './support/chromium.js';
import { until } from './support/open.js';
import { Pages } from './support/pages.js';

// The example's worker in a real browser: a whole build of the client is kept, or none.

const skip = hasChromium() ? false : 'there is no chromedriver';
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const EVERYBODY = { 'Access-Control-Allow-Origin': '*' };
const NEWER = 'f'.repeat(16);

/** Between the page and the server: a module may be missing, and the server may have another build of the client. */
class Between extends Front {
    /** A module that can't be had. */
    missing = null;
    isNewer = false;

    get address() {
        return `http://127.0.0.1:${this.port}`;
    }

    /** The server's list of its build. */
    async list() {
        return (await fetch(`${this.server.url}/client/build.json`)).json();
    }

    async _answer(question, answer) {
        const [, place, name] = question.url.match(/^\/client\/(?:([0-9a-f]{16})\/)?(.*)$/) ?? [];
        if (this.missing && name === this.missing) return answer.writeHead(404, EVERYBODY).end();
        if (!this.isNewer || name === undefined) return this._pass(question, answer);
        const list = { ...await this.list(), build: NEWER };
        if (name === 'build.json') return answer.writeHead(200, EVERYBODY).end(JSON.stringify(list));
        if (!place) return answer.writeHead(307, { ...EVERYBODY, Location: `/client/${NEWER}/${name}` }).end();
        if (place !== NEWER) return answer.writeHead(404, EVERYBODY).end();
        const { build } = await this.list();
        return this._pass(Object.assign(question, { url: `/client/${build}/${name}` }), answer);
    }
}

let pages, between, browser;

before(async () => {
    if (skip) return;
    pages = await Pages.start(file);
    ({ browser } = pages);
    between = await Between.start(pages.server);
});
after(async () => {
    between?.stop();
    await pages?.stop();
});

function file(path, response) {
    const name = path === '/' ? '/index.html' : path;
    try {
        const content = readFileSync(new URL(`../example${name}`, import.meta.url));
        response.writeHead(200, { 'Content-Type': TYPES[extname(name)] }).end(content);
    } catch {
        response.writeHead(404).end();
    }
}

/** Opens the page, and waits until the client has begun. */
async function open() {
    await browser.open(`${pages.origin}/?server=${encodeURIComponent(between.address)}`);
    const status = () => browser.run('return document.querySelector("#status").textContent');
    await until(async () => await status() === 'Sign in.', 'the client has begun');
}

/** The builds that the page's modules are of. */
const builds = () => browser.run(`return [...new Set(performance.getEntriesByType('resource')
    .map(({ name }) => name.match(/\\/client\\/([0-9a-f]{16})\\//)?.[1]).filter(build => build))]`);
const kept = () => browser.run(`return caches.match('${between.address}/client/index.js')
    .then(response => response?.url.match(/[0-9a-f]{16}/)[0] ?? null)`);

test('if a module of the client can\'t be had, there is no worker, and the page says so', { skip }, async () => {
    between.missing = 'lib/schedule/days.js';
    assert.ok((await between.list()).files.includes(between.missing));
    await open();
    const alert = () => browser.run('return document.querySelector("#kept").textContent');
    await until(async () => /^This page will not open without a network: a file/.test(await alert()), 'the alert');
    const isActive = `return navigator.serviceWorker.getRegistration().then(each => Boolean(each?.active))`;
    assert.deepEqual([await browser.run(isActive), await kept()], [false, null]);
    between.missing = null;
    await open();
    await browser.run('await navigator.serviceWorker.ready');
    assert.deepEqual([await alert(), await kept()], ['', (await between.list()).build]);
});

test('without a network the page also gets modules that it imports by their own addresses', { skip }, async () => {
    between.stop();
    await open();
    const found = await browser.run(`return import('${between.address}/client/lib/order/index.js').then(Object.keys)`);
    assert.ok(found.length > 0);
    await between.run();
});

test('a newer build is kept beside the one in use, and used from the next start on', { skip }, async () => {
    const { build } = await between.list();
    between.isNewer = true;
    await open();
    assert.deepEqual(await builds(), [build]);
    await until(async () => await kept() === NEWER, 'the newer build is kept');
    const former = `${between.address}/client/${build}/lib/order/index.js`;
    assert.ok(await browser.run(`return caches.match('${former}', { ignoreVary: true }).then(Boolean)`));
    await open();
    assert.deepEqual(await builds(), [NEWER]);
    between.stop();
    await open();
    assert.deepEqual(await builds(), [NEWER]);
});
