import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { putFile } from './support/attached.js';
import { hasChromium } from './support/chromium.js';
import { bytesOf } from './support/files.js';
import { until } from './support/open.js';
import { Pages } from './support/pages.js';

// A photo in a real browser: from an input to a row, over another origin to the server, and into another window.

const skip = hasChromium() ? false : 'there is no chromedriver';
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><input type="file"><img>';
let pages;

before(async () => {
    if (skip) return;
    pages = await Pages.start((path, response) => {
        const type = extname(path) === '.js' ? 'text/javascript' : 'text/html';
        return response.writeHead(200, { 'Content-Type': type }).end(path === '/' ? PAGE : readFileSync(join(ROOT, path)));
    });
});
after(() => pages?.stop());

/** Opens the page and the copy in this window. Without `isOnline` nothing of files gets through. */
const open = isOnline => pages.browser.run(`return (async () => {
    window.isOnline = ${isOnline};
    const fetch = (address, options) => (!isOnline && /sync.(files|uploads)/.test(address)
        ? Promise.reject(new TypeError('There is no network.')) : window.fetch(address, options));
    window.copy = await (await import('/index.js')).open({ url: '${pages.server.url}', fetch });
    if (!copy.state.isSignedIn) await copy.signIn({ token: '${pages.alice}' });
    await copy.sync();
})()`);

/** Chooses a picture in the input, and attaches it as an app does. Returns the row's id and the digest. */
const attach = () => pages.browser.run(`return (async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 600, height: 400 });
    const context = canvas.getContext('2d');
    for (let x = 0; x < 600; x += 2) for (let y = 0; y < 400; y += 2) {
        context.fillStyle = 'rgb(' + [x * y % 256, x * 7 % 256, y * 11 % 256] + ')';
        context.fillRect(x, y, 2, 2);
    }
    const blob = await new Promise(resolve => canvas.toBlob(resolve, 'image/png'));
    const chosen = new DataTransfer();
    chosen.items.add(new File([blob], 'slipway.png', { type: 'text/html' }));
    const input = document.querySelector('input');
    input.files = chosen.files;
    const [photo] = input.files;
    const { digest } = await copy.files.add(photo, { project: '${pages.project}', name: photo.name });
    const row = { project_id: '${pages.project}', name: photo.name, media_type: 'text/html', file: digest };
    return [await copy.insert('attachments', row), digest];
})()`);

/** Shows a file of a row in the page. Returns the type and the width of the picture. */
const show = id => pages.browser.run(`return (async () => {
    const row = await copy.row('attachments', '${id}');
    const blob = await copy.files.open(row.file, { project: row.project_id });
    const image = document.querySelector('img');
    image.src = URL.createObjectURL(blob);
    await image.decode();
    return [blob.type, image.naturalWidth];
})()`);

const state = digest => pages.browser.run(`return copy.files.state('${digest}').then(found => found?.state)`);

test('a photo is chosen without a network, outlasts the page, and is seen in other windows', { skip }, async () => {
    const { browser, origin, server, alice } = pages;
    await browser.open(origin);
    await open(false);
    const [id, digest] = await attach();
    assert.deepEqual(await show(id), ['image/png', 600]);
    await until(async () => await state(digest) === 'waiting', 'it waits');
    const first = await browser.current();
    const second = await browser.window();
    await browser.open(origin);
    await open(true);
    assert.deepEqual([await state(digest), await show(id)], ['waiting', ['image/png', 600]]);
    await browser.go(first);
    // The page is loaded anew, and the other window syncs from now on.
    await browser.open(origin);
    await open(true);
    await until(async () => await state(digest) === 'stored', 'it is stored');
    assert.equal(await browser.run('return copy.state.filesToSend'), 0);
    await until(async () => (await server.api(alice, 'GET', `/attachments/${id}/`)).state === 'stored', 'the row as well');
    // Without a cache it comes from the server.
    await browser.run(`return (async () => {
        await copy.sync();
        await copy.signOut();
        await copy.signIn({ token: '${alice}' });
        await copy.sync();
    })()`);
    assert.equal(await state(digest) ?? null, null);
    assert.deepEqual(await show(id), ['image/png', 600]);
    assert.equal(await state(digest), 'stored');
    await browser.go(second);
    assert.deepEqual(await show(id), ['image/png', 600]);
    assert.deepEqual(await browser.errors(), []);
});

test('what the app keeps is read before anybody opens it, and only that', { skip }, async () => {
    const { browser, origin, server, alice, project } = pages;
    const files = [];
    for (const seed of [1, 2, 3]) {
        const bytes = bytesOf(200_000, seed);
        files.push((await putFile(server, alice, project, bytes, { name: seed === 2 ? 'Other' : 'Mine' })).digest);
    }
    await browser.open(origin);
    await browser.run(`return (async () => {
        window.asked = 0;
        const fetch = (address, options) => {
            asked += /sync.files/.test(address);
            return window.isOffline ? Promise.reject(new TypeError('There is no network.')) : window.fetch(address, options);
        };
        const keep = ({ name }, collection) => collection === 'attachments' && name === 'Mine';
        window.copy = await (await import('/index.js')).open({ url: '${server.url}', project: '${project}', fetch, keep });
        await copy.signIn({ token: '${alice}' });
    })()`);
    for (const digest of [files[0], files[2]]) {
        await until(async () => await state(digest) === 'stored', `${digest} is here`);
    }
    const sizes = await browser.run(`return (async () => {
        window.isOffline = true;
        const blobs = await Promise.all(${JSON.stringify([files[0], files[2]])}.map(each => copy.files.open(each)));
        return [...blobs.map(({ size }) => size), asked, await copy.files.state('${files[1]}')];
    })()`);
    assert.deepEqual(sizes, [200_000, 200_000, 2, null]);
    await browser.run('return copy.close()');
    assert.deepEqual(await browser.errors(), []);
});
