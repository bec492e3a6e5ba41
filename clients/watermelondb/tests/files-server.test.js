import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bytesOf, sha256 } from '../../web/tests/support/files.js';
import { folderStore } from '../index.js';
import { CuttingProxy } from './support/cutting-proxy.js';
import { Disk } from './support/file-stores.js';
import { startHousehold } from './support/household.js';
import { Photographer, contentOf, isOfFiles } from './support/photographer.js';
import { Server, tidemark } from './support/server.js';
import { synchronize } from './support/synchronize.js';

// Files with a real server. MEGABYTES=200 sends a larger file through a proxy that cuts.

const MEGABYTES = Number(process.env.MEGABYTES ?? 24);
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3];
let server, alice, bob, schema, project;

before(async () => {
    ({ server, alice, bob, schema } = await startHousehold({ TIDEMARK_FILES_MAX_MB: '400' }));
    project = await server.project(alice);
    await server.member(project, 'bob', 'member');
});
after(() => server.stop());

const phone = (token = alice, options = {}) => new Photographer(server, project, token, { schema, ...options });
const everywhere = (token, options = {}) => new Photographer(server, undefined, token, { schema, ...options });
/** The same phone, whose app begins again as somebody and with some options. */
function reopened(former, make = phone, token = alice, options = {}) {
    const again = make(token, { disk: former.disk, storage: former.storage, ...options });
    again.database = former.database;
    return again;
}

/** Lets everything run that is due. */
async function turns(count = 100) {
    for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve));
}

const offline = () => { throw new TypeError('There is no network.'); };

/** Bob leaves a project. */
async function leave(id) {
    const { results } = await server.api(alice, 'GET', `/projects/${id}/memberships/`);
    const bobs = (await server.api(bob, 'GET', '/auth/me/')).id;
    await server.api(alice, 'DELETE', `/memberships/${results.find(({ user }) => user === bobs).id}/`);
}

test('a photo that is taken without a network comes to the other phone', async () => {
    const first = phone();
    await first.sync();
    first.onRequest = offline;
    const bytes = bytesOf(2_500_000, 1);
    first.disk.camera.set('file:///camera/1.jpg', bytes);
    const digest = await first.attach('file:///camera/1.jpg', {}, { name: '1.jpg', preview: 'aGk=' });
    assert.equal(digest, sha256(bytes));
    const waiting = { state: 'waiting', sent: 0, size: bytes.length, reason: null };
    assert.deepEqual(await first.files.state(digest), waiting);
    assert.deepEqual(await contentOf(await first.files.open(digest)), bytes);
    await assert.rejects(first.sync(), { code: 'network' });
    await first.comesTo(digest, 'waiting');
    // The app is closed, and begins again.
    const again = reopened(first);
    const [{ name, preview, project: of }] = await again.files.list();
    assert.deepEqual([name, preview, of], ['1.jpg', 'aGk=', project]);
    await again.stored(digest);
    await again.sync();
    assert.deepEqual([again.row(digest).state, again.row(digest).size, await again.files.list()], ['stored', bytes.length, []]);
    assert.equal(again.asked.filter(each => each.startsWith('PUT')).length, 1);
    const other = phone(bob);
    await other.sync();
    const opened = await other.files.open(other.row(digest).file);
    assert.deepEqual([await contentOf(opened), opened.size], [bytes, bytes.length]);
    assert.ok(other.disk.files.has(opened.uri.slice('disk:'.length)));
    assert.deepEqual(other.asked, ['GET files 206', 'GET files 206', 'GET files 206']);
    await other.files.open(digest);
    assert.equal(other.asked.length, 3, 'It is there now.');
});

test('bytes, a view, a Blob and a URI of the same file are one entry, in memory and in a folder', async () => {
    const folder = join(server.folder, 'files # of a phone');
    const bytes = bytesOf(700_000, 2);
    await fs.writeFile(join(server.folder, 'camera.jpg'), bytes);
    const view = new Uint8Array([1, ...bytes, 2]).subarray(1, bytes.length + 1);
    const given = [bytes, bytes.buffer, view, new DataView(bytes.buffer), new Blob([bytes]), bytes];
    given.push(pathToFileURL(join(server.folder, 'camera.jpg')).href);
    const nodes = phone(alice, { fileStore: folderStore({ fs, folder }) });
    for (const each of given) {
        assert.deepEqual(await nodes.files.add(each), { digest: sha256(bytes), size: bytes.length });
    }
    assert.equal((await fs.readdir(folder)).length, 1);
    const opened = await nodes.files.open(sha256(bytes));
    assert.deepEqual([await contentOf(opened), new Uint8Array(await fs.readFile(new URL(opened.uri)))], [bytes, bytes]);
    await nodes.stored(sha256(bytes));
    const other = phone(bob, { fileStore: folderStore({ fs, folder: `${folder} 2` }) });
    await other.sync();
    await server.api(bob, 'POST', `/projects/${project}/attachments/`, { name: 'x', file: sha256(bytes) });
    await assert.rejects(other.files.open(sha256(bytes)), { code: 'not_found' }, 'It is not bob who sent it.');
    assert.deepEqual(await fs.readdir(`${folder} 2`).catch(() => []), []);
});

test('the type is that of the answer, and here what the server is going to say', async () => {
    const html = new TextEncoder().encode('<script>alert(document.domain)</script>');
    const given = [[html, 'application/octet-stream'], [new Uint8Array(PNG), 'image/png'],
        [new TextEncoder().encode('GIF89a.'), 'image/gif'], [new Uint8Array(0), 'application/octet-stream']];
    const [first, other] = [phone(), phone(bob)];
    for (const [bytes, type] of given) {
        const digest = await first.attach(bytes, { media_type: 'text/html' });
        assert.equal((await first.files.open(digest)).type, type);
        await first.stored(digest);
        await other.sync();
        const opened = await other.files.open(digest);
        assert.deepEqual([opened.type, await contentOf(opened)], [type, bytes]);
    }
});

test('through a proxy that cuts, a large file costs hardly more than its bytes', async t => {
    const proxy = await CuttingProxy.start(server.url, 3_000_000);
    t.after(() => proxy.stop());
    const bytes = bytesOf(MEGABYTES * 1_000_000, 3);
    const first = new Photographer({ url: proxy.url }, project, alice, { schema, retry: { attempts: 20 } });
    const digest = await first.attach(bytes);
    await first.sync();
    await first.comesTo(digest, 'stored');
    t.diagnostic(`${proxy.sent} bytes with ${proxy.cuts} cuts`);
    assert.ok(proxy.cuts >= MEGABYTES / 6, `${proxy.cuts} cuts`);
    assert.ok(proxy.sent <= 1.05 * bytes.length, `${proxy.sent} bytes with ${proxy.cuts} cuts`);
});

test('what the server refuses has failed with the reason, and is sent when it is tried again', async () => {
    const small = await Server.start({ TIDEMARK_FILES_PROJECT_MB: '3', TIDEMARK_FILES_MAX_MB: '2' });
    const token = await small.user('alice');
    const place = await small.project(token);
    const first = new Photographer(small, place, token, { schema });
    const [large, one, two] = [bytesOf(2_200_000, 4), bytesOf(1_800_000, 5), bytesOf(1_700_000, 6)];
    const digests = [];
    for (const bytes of [large, one, two]) digests.push(await first.attach(bytes));
    await first.sync();
    await first.comesTo(digests[0], 'failed');
    await first.comesTo(digests[1], 'stored');
    await first.comesTo(digests[2], 'failed');
    assert.deepEqual((await first.files.list()).map(({ reason, detail }) => [reason, typeof detail]),
        [['file_too_large', 'string'], ['quota_exceeded', 'string']]);
    await first.sync();
    assert.equal(await first.stateOf(digests[2]), 'failed', 'Nobody asked for it.');
    await small.halt();
    small.settings = { TIDEMARK_FILES_PROJECT_MB: '30', TIDEMARK_FILES_MAX_MB: '2' };
    await small.run();
    await first.files.retry(digests[2]);
    await first.stored(digests[2]);
    await first.files.remove(digests[0]);
    assert.deepEqual([await first.files.state(digests[0]), await first.files.list()], [null, []]);
    await assert.rejects(first.files.retry(digests[0]), { code: 'unknown_file' });
    await small.stop();
});

test('a viewer sends nothing and reads what rows show', async () => {
    const carol = await server.user('carol');
    await server.member(project, 'carol', 'viewer');
    const [first, viewer] = [phone(), phone(carol)];
    const digest = await first.attach(bytesOf(5000, 7));
    await first.stored(digest);
    await viewer.sync();
    assert.equal((await viewer.files.open(digest)).size, 5000);
    const own = await viewer.files.add(bytesOf(5000, 8));
    await viewer.sync();
    await viewer.comesTo(own.digest, 'failed');
    assert.equal((await viewer.files.state(own.digest)).reason, 'forbidden');
});

test('what somebody else names is never sent from here', async () => {
    const [first, digest] = [phone(bob), sha256(bytesOf(1000, 9))];
    await server.api(alice, 'POST', `/projects/${project}/attachments/`, { name: 'A claim', file: digest });
    await first.sync();
    assert.deepEqual([await first.files.list(), await first.files.state(digest), first.asked], [[], null, []]);
    await assert.rejects(first.files.open(digest), { code: 'not_found', status: 404 });
});

test('a file of a project that is made offline waits for the project', async () => {
    const first = everywhere(alice);
    await first.sync();
    const bytes = bytesOf(2000, 10);
    await assert.rejects(first.files.add(bytes), TypeError);
    first.database.create('projects', { id: 'jetty', project_id: 'jetty', name: 'Jetty', start_date: '2026-03-01' });
    const { digest } = await first.files.add(bytes, { project: 'jetty' });
    while (first.asked.length === 0) await turns(1);
    assert.deepEqual(first.asked[0], 'PUT files 404');
    await first.stored(digest, { project: 'jetty' });
});

for (const isAll of [true, false]) {
    test(`a project that is lost takes its files along, with ${isAll ? 'all projects' : 'one project'}`, async () => {
        const lost = await server.project(alice);
        await server.member(lost, 'bob', 'member');
        let waiting = null;
        const onAccessLost = async () => { waiting = (await first.files.list()).map(({ digest }) => digest); };
        const first = new Photographer(server, isAll ? undefined : lost, bob, { schema, onAccessLost });
        const { digest } = await first.files.add(bytesOf(1000, 11), { project: lost });
        await first.stored(digest);
        first.onRequest = (_, address) => isOfFiles(address) && offline();
        const unsent = await first.files.add(bytesOf(1000, 12), { project: lost });
        const kept = isAll ? await first.files.add(bytesOf(1000, 12), { project }) : null;
        await leave(lost);
        await first.sync().catch(error => assert.ok(!isAll && error.isAccessLost));
        assert.ok(waiting.includes(unsent.digest), 'The app could save it.');
        for (const each of [digest, unsent.digest]) assert.equal(await first.files.state(each, { project: lost }), null);
        assert.equal((await first.files.list()).length, kept ? 1 : 0);
        assert.equal(first.disk.files.size, kept ? 1 : 0);
    });
}

test('files are as unsent as edits, until the log-out, and nobody else sends them', async () => {
    const first = phone();
    await first.sync();
    first.onRequest = (_, address) => isOfFiles(address) && offline();
    const digest = await first.attach(bytesOf(3000, 13));
    await first.sync();
    const unsentOf = each => each.adapter.unsent({ synchronize, database: each.database });
    assert.deepEqual(await unsentOf(first), { files: [digest] });
    const other = reopened(first, phone, bob);
    await assert.rejects(other.sync(), { isOtherUser: true });
    await other.comesTo(digest, 'waiting');
    assert.deepEqual([other.asked, (await other.files.list()).length], [[], 1]);
    await assert.rejects(other.files.open(sha256(bytesOf(9))), { isOtherUser: true });
    await first.adapter.forget(async () => first.database.reset());
    assert.deepEqual([first.disk.files.size, await first.files.list()], [0, []]);
    const next = reopened(first, phone, bob);
    await next.sync();
    assert.deepEqual(await unsentOf(next), {});
});

test('what is added or read while the user logs out is nobody\'s', async () => {
    const first = phone();
    await first.sync();
    const store = first.disk.store({ isNative: true });
    let release;
    const held = new Promise(resolve => { release = resolve; });
    const append = async (...args) => {
        await held;
        await store.append(...args);
    };
    const slow = reopened(first, phone, alice, { fileStore: { ...store, append } });
    const adding = slow.files.add(bytesOf(3000, 14));
    const forgetting = slow.adapter.forget(async () => slow.database.reset());
    await turns();
    release();
    await assert.rejects(adding, { code: 'session_ended' });
    await forgetting;
    assert.deepEqual([slow.disk.files.size, await slow.files.list()], [0, []]);
});

test('before the first sync nothing is sent or read, and nobody becomes the owner', async () => {
    const first = phone();
    const { digest } = await first.files.add(bytesOf(3000, 15));
    await assert.rejects(first.files.open(sha256(bytesOf(7))), { code: 'needs_sync' });
    await turns();
    assert.deepEqual([first.requests, await first.stateOf(digest)], [[], 'waiting']);
    await reopened(first, phone, bob).stored(digest);
});

test('a database that changes to all projects takes its files along, and back', async () => {
    const first = phone();
    await first.sync();
    first.onRequest = (_, address) => isOfFiles(address) && offline();
    const bytes = bytesOf(3000, 16);
    const { digest } = await first.files.add(bytes);
    await first.comesTo(digest, 'waiting');
    const all = reopened(first, everywhere);
    all.onRequest = first.onRequest;
    await all.sync();
    assert.deepEqual((await all.files.list()).map(entry => [entry.digest, entry.project]), [[digest, project]]);
    assert.equal(all.disk.files.size, 1);
    const one = reopened(all);
    await one.stored(digest);
    assert.deepEqual(await contentOf(await one.files.open(digest)), bytes);
    assert.equal(one.disk.files.size, 1);
});

test('what a restored server lacks is sent again from where it was added, and from nowhere else', async () => {
    const old = await Server.start();
    const token = await old.user('alice');
    await old.command('user', 'add', 'bob');
    const bobs = await old.command('token', 'create', '--user', 'bob');
    const place = await old.project(token);
    await old.member(place, 'bob', 'member');
    const [first, other] = [new Photographer(old, place, token, { schema }), new Photographer(old, place, bobs, { schema })];
    first.onRequest = (_, address) => isOfFiles(address) && offline();
    const digest = await first.attach(bytesOf(3000, 17));
    await first.sync();
    assert.equal(first.row(digest).file, digest);
    const backup = join(old.folder, 'backup.db');
    await old.command('backup', backup);
    first.onRequest = null;
    await first.stored(digest);
    for (const each of [first, other]) await each.sync();
    await other.files.open(digest);
    assert.equal(first.row(digest).state, 'stored');
    await old.halt();
    for (const suffix of ['', '-wal', '-shm', '-files']) {
        await fs.access(`${old.database}${suffix}`).then(
            () => renameSync(`${old.database}${suffix}`, `${old.database}${suffix}.away`), () => {});
    }
    await tidemark('restore', backup, '--database', old.database);
    await old.run();
    await other.sync();
    assert.equal(other.row(digest).state, 'pending');
    assert.equal(await other.stateOf(digest), 'stored', 'Who has only read it sends nothing.');
    await first.sync();
    await first.stored(digest);
    await first.sync();
    assert.equal(first.row(digest).state, 'stored');
    assert.equal(first.asked.filter(each => each === 'PUT files 201').length, 2);
    await old.stop();
});

test('an app that calls synchronize() itself sends files, too', async () => {
    const first = phone();
    const digest = await first.attach(bytesOf(3000, 18));
    const { pullChanges, pushChanges, conflictResolver } = first.adapter;
    const run = () => synchronize({
        database: first.database, sendCreatedAsUpdated: true, pullChanges, pushChanges, conflictResolver,
    });
    for (let round = 0; round < 2; round++) await run();
    await first.comesTo(digest, 'stored');
    await run();
    assert.equal(first.row(digest).state, 'stored');
});

test('in the background nothing is sent, and a listener sends until it is done', async t => {
    const app = { listeners: new Set(), addEventListener: (_, told) => (app.listeners.add(told), { remove() {} }) };
    const tell = state => app.listeners.forEach(told => told(state));
    const first = phone(alice, { wait: undefined });
    await first.sync();
    let failures = 2;
    let patched;
    const underWay = new Promise(resolve => { patched = resolve; });
    let isHeld = true;
    first.onRequest = (init, address) => {
        if (!isOfFiles(address)) return undefined;
        if (failures-- > 0) offline();
        if (init.method !== 'PATCH' || !isHeld) return undefined;
        patched();
        return new Promise((_, reject) => init.signal.addEventListener('abort', () => reject(new TypeError('aborted'))));
    };
    const listening = first.adapter.listen({ onChange: () => first.sync(), appState: app, events: false });
    t.after(() => listening.stop());
    const { digest } = await first.files.add(bytesOf(3000, 19));
    await underWay;
    tell('background');
    const before = first.requests.length;
    await turns();
    assert.deepEqual([first.requests.length, await first.stateOf(digest)], [before, 'sending']);
    isHeld = false;
    tell('active');
    await first.comesTo(digest, 'stored');
});

test('a sync waits for no file', async () => {
    const first = phone();
    await first.sync();
    let release;
    const held = new Promise(resolve => { release = resolve; });
    first.onRequest = (_, address) => (isOfFiles(address) ? held : undefined);
    const digest = await first.attach(bytesOf(3000, 20));
    await first.sync();
    assert.equal(first.row(digest)._status, 'synced');
    release();
    await first.comesTo(digest, 'stored');
});

test('a phone that keeps photos has them without a network', async () => {
    const first = phone();
    const bytes = bytesOf(400_000, 30);
    const digest = await first.attach(bytes);
    await first.stored(digest);
    const other = phone(bob, { keep: ({ file, name }) => name === 'Photo' && file === digest });
    await other.sync();
    await other.comesTo(digest, 'stored');
    other.onRequest = offline;
    assert.deepEqual(await contentOf(await other.files.open(digest)), bytes);
    assert.equal(other.disk.files.size, 1);
});

test('the app is told of each change', async () => {
    const first = phone();
    const told = [];
    const stop = first.files.onChange(digest => told.push(digest));
    const digest = await first.attach(bytesOf(3000, 21));
    await first.stored(digest);
    assert.ok(told.length >= 3 && told.every(each => each === digest));
    stop();
    const before = told.length;
    await first.files.add(bytesOf(3001, 21));
    assert.equal(told.length, before);
});

test('createSync and files say what they need', async () => {
    const without = new Photographer(server, project, alice, { schema, fileStore: undefined });
    for (const work of [() => without.files.add(bytesOf(10)), () => without.files.open(sha256(bytesOf(10)))]) {
        await assert.rejects(work, { name: 'TypeError', message: /fileStore of createSync/ });
    }
    assert.deepEqual([await without.files.list(), await without.files.state(sha256(bytesOf(10)))], [[], null]);
    const store = new Disk().store();
    assert.throws(() => phone(alice, { storage: null, fileStore: store }), { message: /storage that lasts/ });
    for (const wrong of ['..', '', 7, 'a/b']) {
        await assert.rejects(everywhere(alice).files.add(bytesOf(10), { project: wrong }), { message: /is no id/ });
    }
    const first = phone();
    const options = [{ nam: 'x' }, { name: 7 }, { preview: {} }, { preview: 'x'.repeat(100_001) }, { project: 'other' }];
    for (const given of [['text'], [null], [7], [{}], ...options.map(each => [bytesOf(10), each])]) {
        await assert.rejects(first.files.add(...given), TypeError);
    }
    await assert.rejects(first.files.add('file:///nowhere'), { code: 'not_copied', detail: /ENOENT/ });
    for (const method of ['open', 'state', 'retry', 'remove']) {
        await assert.rejects(first.files[method]('../../../auth/me'), TypeError);
    }
    assert.equal(first.disk.files.size, 0);
});
