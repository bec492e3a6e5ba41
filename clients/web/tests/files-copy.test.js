import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { putFile, stored } from './support/attached.js';
import { Browser } from './support/browser.js';
import { OF_FILES, bytesOf, contentOf, counting, noFiles } from './support/files.js';
import { modulesOf } from './support/imports.js';
import { openIn, syncedIn, until } from './support/open.js';
import { scene } from './support/scene.js';

// What a copy keeps of files: whose they are, how many fit, and what a copy of an earlier version gains.

let server, alice, bob, project;

before(async () => {
    ({ server, alice, bob, project } = await scene());
});
after(() => server.stop());

function opened(browser, { token = alice, ...options } = {}) {
    const [tab, given] = [browser.tab(), { project, ...options }];
    return token === null ? openIn(tab, server, given) : syncedIn(tab, server, { token, ...given });
}

/** The layout of the copy, and its stores. */
function layout(browser) {
    const [{ version, stores }] = [...browser.disk.databases.values()];
    return [version, [...stores.keys()].filter(name => ['entries', 'outside', 'files', 'bytes'].includes(name)).sort()];
}

const bytesIn = browser => [...browser.disk.databases.values()]
    .reduce((sum, { stores }) => sum + (stores.get('bytes')?.records.size ?? 0), 0);

// Whose they are.

test('a log-out counts files that were not sent, discards them, or leaves them for their user', async () => {
    const browser = new Browser();
    const client = await opened(browser, { fetch: noFiles, user: 'alice' });
    const bytes = bytesOf(1000, 401);
    const { digest } = await client.files.add(bytes);
    const detail = '1 file not sent yet. Sync first, or leave them behind.';
    await assert.rejects(client.signOut(), { code: 'unsent_edits', detail, unsent: 0, setAside: 0, files: 1 });
    await client.insert('tasks', { project_id: project, name: 'Unsent' });
    const both = '1 edit not sent yet, and 1 file not sent yet. Sync first, or leave them behind.';
    await assert.rejects(client.signOut(), { code: 'unsent_edits', detail: both, unsent: 1, files: 1 });
    assert.deepEqual(await client.signOut({ leavingUnsent: true }), { unsent: 1, setAside: 0, files: 1 });
    await client.close();
    const bobs = await opened(browser, { user: 'bob', token: bob });
    assert.deepEqual([await bobs.files.state(digest), await bobs.files.list(), bobs.state.filesToSend], [null, [], 0]);
    await bobs.close();
    const again = await opened(browser, { user: 'alice' });
    await stored(again, digest);
    assert.deepEqual(await contentOf(await again.files.open(digest)), bytes);
    await again.files.add(bytesOf(1000, 402));
    assert.deepEqual(await again.signOut({ discard: true }), { unsent: 0, setAside: 0, files: 1 });
    assert.deepEqual([bytesIn(browser), again.state.filesToSend, await again.files.list()], [0, 0, []]);
    await again.close();
});

test('another user who signs in on the same copy sees no file of the first one', async () => {
    const browser = new Browser();
    const client = await opened(browser, { fetch: noFiles });
    const told = [];
    client.files.onChange(digest => told.push(digest));
    const { digest } = await client.files.add(bytesOf(1000, 403));
    const detail = '1 file has not reached the server. Send it first, or discard it.';
    await assert.rejects(client.signIn({ token: bob }), { code: 'unsent_edits', detail, files: 1 });
    assert.equal((await client.files.state(digest)).state, 'waiting');
    await client.signIn({ token: bob, discard: true });
    assert.deepEqual([await client.files.state(digest), bytesIn(browser), told], [null, 0, [digest, null]]);
    await assert.rejects(client.files.open(digest), { code: 'network' });
    await client.close();
});

test('what is added before anybody has signed in is the user\'s who says so', async () => {
    for (const adopt of [true, false]) {
        const network = counting();
        const client = await opened(new Browser(), { token: null, fetch: network });
        const { digest } = await client.files.add(bytesOf(1000, 404 + adopt));
        const detail = '1 file was made here before anybody signed in. Keep it as yours, or discard it.';
        await assert.rejects(client.signIn({ token: alice }), { code: 'unclaimed_edits', detail, files: 1 });
        await client.signIn({ token: alice, adopt, discard: !adopt });
        await client.sync();
        if (adopt) await stored(client, digest);
        else assert.deepEqual([await client.files.state(digest), network.requests], [null, []]);
        await client.close();
    }
});

test('what is added while somebody else signs in is nobody\'s', async () => {
    const browser = new Browser();
    const client = await opened(browser);
    const adding = client.files.add(new Blob([bytesOf(1000, 406)]));
    const signedOut = client.signOut({ discard: true });
    await adding.catch(error => assert.equal(error.code, 'session_ended'));
    await signedOut;
    assert.equal(bytesIn(browser), 0);
    await client.close();
});

test('a download that one user has begun gives the next one on the same copy nothing', async () => {
    const own = await server.project(alice);
    const bytes = bytesOf(1000, 407);
    const { digest } = await putFile(server, alice, own, bytes);
    let release = null;
    const held = new Promise(resolve => { release = resolve; });
    let count = 0;
    const network = counting(async (address, options) => {
        if (!OF_FILES.test(address) || ++count > 1) return fetch(address, options);
        const answer = await fetch(address, options);
        await held;
        return answer;
    });
    const client = await opened(new Browser(), { project: null, fetch: network });
    const first = client.files.open(digest, { project: own });
    await until(() => count === 1, 'it is asked for');
    await client.signOut();
    await client.signIn({ token: bob });
    const second = client.files.open(digest, { project: own });
    await assert.rejects(Promise.race([second, until(() => count > 1, 'bob asks himself').then(() => second)]),
        { code: 'not_a_member' });
    release();
    await first;
    assert.equal(await client.files.state(digest, { project: own }), null);
    await client.close();
});

// How many fit.

test('the cache holds so many bytes, those that were used last, and all that is to be sent', async () => {
    let [now, isThere] = [1_000_000, true];
    const network = counting((address, options) => (isThere ? fetch(address, options) : noFiles(address, options)));
    const browser = new Browser();
    const client = await opened(browser, { fetch: network, fileCacheBytes: 2500, now: () => ++now });
    const digests = [];
    for (const seed of [410, 411, 412]) {
        const { digest } = await client.files.add(bytesOf(1000, seed));
        digests.push(digest);
        await client.insert('attachments', { project_id: project, name: 'Photo', file: digest });
        await client.sync();
        await stored(client, digest);
        if (seed === 411) await client.files.open(digests[0]);
    }
    const states = async () => Promise.all(digests.map(async each => (await client.files.state(each))?.state ?? null));
    assert.deepEqual([await states(), bytesIn(browser)], [['stored', null, 'stored'], 2]);
    isThere = false;
    for (const seed of [413, 414, 415]) await client.files.add(bytesOf(1000, seed));
    assert.deepEqual([await states(), bytesIn(browser)], [['stored', null, 'stored'], 5]);
    await assert.rejects(client.files.open(digests[1]), { code: 'network' });
    assert.equal((await client.files.open(digests[2])).size, 1000);
    isThere = true;
    await client.sync();
    await until(() => client.state.filesToSend === 0, 'all are sent');
    assert.equal(bytesIn(browser), 2);
    const requests = network.requests.length;
    for (let time = 0; time < 2; time++) assert.equal((await client.files.open(digests[1])).size, 1000);
    assert.deepEqual(network.requests.slice(requests), ['GET files 200'], 'it is here again');
    await client.close();
});

test('a file that is larger than the cache is opened, and drops no other', async () => {
    const sender = await opened(new Browser());
    const files = [bytesOf(3000, 420), bytesOf(1000, 421)];
    for (const bytes of files) {
        const { digest } = await sender.files.add(bytes);
        await sender.insert('attachments', { project_id: project, name: 'Photo', file: digest });
        await sender.sync();
        await stored(sender, digest);
    }
    const digests = (await sender.rows('attachments')).map(({ file }) => file).filter(Boolean);
    const browser = new Browser();
    const client = await opened(browser, { fileCacheBytes: 2000 });
    for (const digest of digests.slice(-2)) await client.files.open(digest);
    const large = (await sender.files.add(files[0])).digest;
    assert.equal((await client.files.open(large)).size, 3000);
    assert.equal(await client.files.state(large), null);
    assert.ok(bytesIn(browser) >= 1);
    await Promise.all([client.close(), sender.close()]);
});

test('a browser without space says so, and what is to be sent goes before the cache', async () => {
    const browser = new Browser();
    const tab = browser.tab();
    const client = await syncedIn(tab, server, { token: alice, project });
    const { digest } = await client.files.add(bytesOf(1000, 430));
    await client.sync();
    await stored(client, digest);
    await until(() => !client.state.isSyncing, 'it rests');
    tab.failCommit('QuotaExceededError');
    const other = await client.files.add(bytesOf(1000, 431));
    const states = await Promise.all([digest, other.digest].map(each => client.files.state(each)));
    assert.deepEqual(states.map(each => each?.state ?? null), [null, 'waiting']);
    await client.close();
});

// What an earlier version's copy gains.

const PARTED = { tasks: [{ assignee: '@me' }] };

test('a copy of each earlier layout gains what files need, and loses nothing', async () => {
    for (const version of [1, 2, 3]) {
        const browser = new Browser();
        const options = version === 2 ? { indexes: { tasks: ['name'] } } : {};
        const before = await opened(browser, options);
        if (version === 3) await before.parts.add('mine', PARTED);
        const id = await before.insert('tasks', { project_id: project, name: 'Mine' });
        assert.equal(layout(browser)[0], version);
        assert.deepEqual([await before.files.list(), await before.files.state('0'.repeat(64))], [[], null]);
        await before.close();
        const client = await opened(browser, { fetch: noFiles, token: null, ...options });
        const other = await opened(browser, { token: null });
        const { digest } = await client.files.add(bytesOf(1000, 440 + version));
        const parted = version === 3 ? ['outside'] : [];
        const stores = ['bytes', 'entries', 'files', ...parted];
        assert.deepEqual(layout(browser), [4, stores]);
        assert.equal((await client.row('tasks', id)).name, 'Mine');
        assert.equal((await other.files.state(digest)).state, 'waiting', 'the other window goes on');
        assert.equal((await other.parts.list()).length, parted.length);
        await client.sync();
        assert.equal(client.state.unsent, 0);
        await Promise.all([client.close(), other.close()]);
    }
});

test('a copy with files gains parts, and windows that ask for both at once get both', async () => {
    const browser = new Browser();
    const client = await opened(browser, { fetch: noFiles });
    const { digest } = await client.files.add(bytesOf(1000, 450));
    assert.equal(client._replica._parting, null, 'files need no parts');
    await client.parts.add('mine', PARTED);
    assert.deepEqual(layout(browser), [5, ['bytes', 'entries', 'files', 'outside']]);
    await client.sync();
    assert.equal((await client.files.state(digest)).state, 'waiting');
    await client.close();
    const both = new Browser();
    const windows = [await opened(both, { fetch: noFiles }), await opened(both, { fetch: noFiles })];
    const [added] = await Promise.all([windows[0].files.add(bytesOf(1000, 451)), windows[1].parts.add('mine', PARTED)]);
    for (const window of windows) {
        assert.equal((await window.files.state(added.digest)).state, 'waiting');
        assert.equal((await window.parts.list()).length, 1);
        await window.sync();
        await window.close();
    }
});

test('the client loads nothing that only files need before there is one', async () => {
    assert.deepEqual(modulesOf('index.js').filter(each => /\/lib\/(common\/)?files\//.test(each)), []);
    const browser = new Browser();
    const client = await opened(browser);
    assert.deepEqual([client.files._module, layout(browser)], [null, [1, []]]);
    const { load } = client.files;
    client.files.load = async () => { throw new TypeError('Failed to fetch dynamically imported module'); };
    await assert.rejects(client.files.add(bytesOf(1000, 460)), { code: 'not_loaded', detail: /Check the network/ });
    assert.deepEqual(layout(browser), [1, []]);
    await client.sync();
    client.files.load = load;
    const { digest } = await client.files.add(bytesOf(1000, 460));
    await client.sync();
    await stored(client, digest);
    await client.close();
});

test('what is no file, no project or no option is refused, and the same bytes are one entry', async () => {
    const client = await opened(new Browser(), { fetch: noFiles });
    const bytes = bytesOf(1000, 470);
    const options = [{ nam: 'x' }, { name: 7 }, { preview: {} }, { project: 'other' }, { project: '' }];
    for (const given of [['text'], [null], ...options.map(each => [bytes, each])]) {
        await assert.rejects(client.files.add(...given), TypeError);
    }
    const { digest } = await client.files.add(bytes, { name: 'one.jpg', preview: 'aGk=' });
    for (const method of ['open', 'state', 'retry', 'remove']) {
        for (const wrong of [null, '../../../auth/me', digest.toUpperCase()]) {
            await assert.rejects(client.files[method](wrong), TypeError);
        }
    }
    const view = new Uint8Array([...bytes, 1, 2, 3]).subarray(0, 1000);
    for (const same of [view, new Blob([bytes]), bytes.buffer]) {
        assert.deepEqual(await client.files.add(same), { digest, size: 1000 });
    }
    const entries = await client.files.list();
    const { type, ...rest } = entries[0];
    assert.deepEqual([entries.length, type, rest], [1, 'application/octet-stream', {
        digest, project, name: 'one.jpg', preview: 'aGk=', state: 'waiting', sent: 0, size: 1000, reason: null,
        detail: null,
    }]);
    await client.close();
});
