import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BINARY, ENVIRONMENT, Server } from '../../watermelondb/tests/support/server.js';
import { Chromium, hasChromium } from './support/chromium.js';
import { until } from './support/open.js';

// Two users of one real browser, in windows that are closed without a word.

const skip = hasChromium() ? false : 'there is no chromedriver';
const PASSWORD = 'correct horse battery';
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Users</title>';

let files, server, browser, alice, project;

before(async () => {
    if (skip) return;
    files = createServer(({ url }, response) => {
        const { pathname } = new URL(url, 'http://files');
        const isPage = pathname === '/';
        const type = isPage || extname(pathname) !== '.js' ? 'text/html' : 'text/javascript';
        response.writeHead(200, { 'Content-Type': type }).end(isPage ? PAGE : readFileSync(join(ROOT, pathname)));
    });
    await new Promise(resolve => files.listen(0, '127.0.0.1', resolve));
    files.origin = `http://127.0.0.1:${files.address().port}`;
    server = await Server.start({ TIDEMARK_HTTP_ORIGINS: files.origin });
    for (const name of ['alice', 'bob']) {
        const args = ['user', 'add', name, '--password-stdin', '--database', server.database];
        spawnSync(BINARY, args, { env: ENVIRONMENT, input: `${PASSWORD}\n` });
    }
    alice = await server.command('token', 'create', '--user', 'alice');
    project = await server.project(alice);
    await server.member(project, 'bob', 'member');
    browser = await Chromium.start();
});
after(async () => {
    if (skip) return;
    await browser?.stop();
    await server?.stop();
    files?.close();
});

/** Opens a page with a copy, which syncs only when it is told to. Without a name as an earlier version did. */
async function page(user) {
    await browser.open(files.origin);
    const options = { url: server.url, listen: false, ...(user && { user }) };
    return state(`window.copy = await (await import('/index.js')).open(${JSON.stringify(options)});`);
}

/** Runs lines in the page. Returns what the copy shows then, and what was thrown. */
const state = lines => browser.run(`return (async () => {
    let error = null;
    try {
        ${lines}
    } catch ({ code, unsent, detail }) {
        error = { code, unsent, detail };
    }
    const { user, isSignedIn } = copy.state;
    return { user: user?.username ?? null, isSignedIn, unsent: (await copy.unsent()).length, error };
})()`);

const signIn = name => state(`await copy.signIn(${JSON.stringify({ username: name, password: PASSWORD })});`);
const sync = () => state('await copy.sync();');
const add = id => state(`await copy.insert('tasks', ${JSON.stringify({ id, name: id, project_id: project })});`);

async function author(id) {
    const { results } = await server.api(alice, 'GET', `/tasks/${id}/history/`);
    return results.at(-1).user.username;
}

test('unsent edits of two users outlast switches, log-outs and closed windows', { skip }, async () => {
    await page(null);
    await signIn('alice');
    await sync();
    const window = await browser.current();
    assert.deepEqual(await add('hers'), { user: 'alice', isSignedIn: true, unsent: 1, error: null });

    const other = await browser.window();
    assert.deepEqual(await page('bob'), { user: null, isSignedIn: false, unsent: 0, error: null });
    await signIn('bob');
    await sync();
    await add('his');
    const { error: { code, detail } } = await signIn('alice');
    assert.deepEqual([code, detail.split('.')[0]], ['other_user', 'This is the copy of bob, and alice has signed in']);
    assert.equal((await state('await copy.signOut();')).error.unsent, 1);
    const left = await state('await copy.signOut({ leavingUnsent: true });');
    assert.deepEqual(left, { user: 'bob', isSignedIn: false, unsent: 1, error: null });

    // The copy of the first window is alice's, in both at once.
    assert.deepEqual(await page('alice'), { user: 'alice', isSignedIn: true, unsent: 1, error: null });
    assert.deepEqual(await add('hers-too'), { user: 'alice', isSignedIn: true, unsent: 2, error: null });
    await browser.go(window);
    await until(() => browser.run('return copy.state.unsent === 2'), 'the window without a name hears of it');
    await browser.close();

    await browser.go(other);
    assert.deepEqual(await sync(), { user: 'alice', isSignedIn: true, unsent: 0, error: null });
    assert.deepEqual(await page('bob'), { user: 'bob', isSignedIn: false, unsent: 1, error: null });
    await signIn('bob');
    assert.equal((await sync()).unsent, 0);
    assert.deepEqual(await Promise.all(['hers', 'hers-too', 'his'].map(author)), ['alice', 'alice', 'bob']);
    const names = await browser.run('return indexedDB.databases().then(all => all.map(({ name }) => name).sort())');
    assert.deepEqual(names, [`tidemark ${server.url}`, `tidemark ${server.url}  bob`]);
});

test('the pages had no errors', { skip }, async () => {
    assert.deepEqual((await browser.errors()).filter(message => !message.includes('status of 4')), []);
});
