import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CLOCKS, FOREIGN, WORDS, portal } from '../../watermelondb/tests/support/foreign.js';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { hasChromium } from './support/chromium.js';
import { openIn, syncedIn } from './support/open.js';
import { Pages } from './support/pages.js';

// What a person reads who signs in where there is no Tidemark, or none that may be reached; in Chromium as well.

let server, pages, silent;
const skip = !hasChromium() && 'there is no chromedriver';

before(async () => {
    server = await Server.start();
    if (skip) return;
    pages = await Pages.start(answer);
    // A server that knows no page.
    silent = await Server.start();
});
after(async () => {
    await server.stop();
    await silent?.stop();
    await pages?.stop();
});

/** The files of the module, and for anything else an empty page. */
function answer(path, response) {
    const file = fileURLToPath(new URL(`..${path}`, import.meta.url));
    const [type, text] = /\.js$/.test(path) ? ['text/javascript', readFileSync(file)]
        : ['text/html', '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">'];
    return response.writeHead(200, { 'Content-Type': type }).end(text);
}

const opened = (url, options) => openIn(new Browser().tab(), { url }, { retry: { attempts: 1 }, ...options });

for (const [key, code, made] of FOREIGN) {
    for (const credentials of [{ username: 'alice', password: 'correct horse' }, { token: 't' }]) {
        test(`${key} is told to whoever signs in with a ${Object.keys(credentials).at(-1)}: ${code}`, async context => {
            const { url, close } = await made();
            context.after(close);
            const client = await opened(url);
            await assert.rejects(client.signIn(credentials), { code, detail: WORDS[key] });
            assert.equal(client.state.isSignedIn, false);
            await client.close();
        });
    }
}

test('a server that has become something else is told in the state, and nothing is lost', async context => {
    const { url, close } = await portal();
    context.after(close);
    const tab = new Browser().tab();
    let place = server.url;
    tab.fetch = network => (address, options) => network(address.replace(server.url, place), options);
    const client = await syncedIn(tab, server, { token: await server.user('alice'), retry: { attempts: 1 } });
    const id = await client.insert('projects', { name: 'Boat', start_date: '2026-01-05' });
    place = url;
    await assert.rejects(client.sync(), { code: 'invalid_answer' });
    assert.ok(client.state.error.detail.startsWith(`The server redirects to ${url}/login`), client.state.error.detail);
    assert.equal(client.state.isSignedIn, true);
    place = server.url;
    await client.sync();
    assert.deepEqual([(await client.row('projects', id)).server_version, client.state.unsent], [1, 0]);
    await client.close();
});

for (const [key, token, ahead] of CLOCKS) {
    test(`a clock that is off is told: ${key}`, async () => {
        const client = await opened(server.url, { now: () => Date.now() + ahead });
        await assert.rejects(client.signIn({ token }), { code: 'clock_off', status: 401, detail: WORDS[key] });
        await client.close();
    });
}

const signIn = (url, options) => `const { open } = await import('/index.js');
    const tidemark = await open({ url: '${url}', retry: { attempts: 1 } });
    const credentials = ${JSON.stringify(options)};
    const error = await tidemark.signIn(credentials).catch(error => error);
    return [error.code, error.detail];`;

test('a page whose origin the server does not know is told all that it may be', { skip }, async () => {
    await pages.browser.open(pages.origin);
    const seen = await pages.browser.run(signIn(silent.url, { token: 't' }));
    assert.deepEqual(seen, ['network', 'The server can\'t be reached, and the browser does not tell why. Either there '
        + `is no network; or nothing answers at ${silent.url}/api/v1: check the address, its port, and that the server `
        + `runs; or it does not know this page: its setting TIDEMARK_HTTP_ORIGINS has to name ${pages.origin}, and the `
        + 'page\'s own Content-Security-Policy the server.']);
});

test('a browser without a network says so', { skip }, async () => {
    await pages.browser.run('Object.defineProperty(navigator, "onLine", { configurable: true, get: () => false })');
    const [, detail] = await pages.browser.run(signIn('http://127.0.0.1:1', { token: 't' }));
    assert.equal(detail, WORDS.offline);
    await pages.browser.run('delete navigator.onLine');
});

test('in a browser, too, a clock that is off is told', { skip }, async () => {
    const [, token] = CLOCKS.find(([key]) => key === 'issued_ahead');
    const seen = await pages.browser.run(signIn(pages.server.url, { token }));
    assert.deepEqual(seen, ['clock_off', WORDS.issued_ahead]);
});
