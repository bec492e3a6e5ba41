import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { attach as attachTo, stored } from './support/attached.js';
import { Browser } from './support/browser.js';
import { bytesOf, contentOf, counting, cutting, offline, sha256 } from './support/files.js';
import { openIn, syncedIn, until } from './support/open.js';
import { scene, sharedProject } from './support/scene.js';

// Files of a copy, with a real server.

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3];
let server, alice, bob, project;

before(async () => {
    ({ server, alice, bob, project } = await scene());
});
after(() => server.stop());

/** A window, signed in and synced. */
const opened = (tab, options = {}) => syncedIn(tab, server, { token: alice, project, ...options });

const attach = (client, ...file) => attachTo(client, project, ...file);

test('a file that is added without a network is sent later, and another copy opens it', async () => {
    let network = fetch;
    const tab = new Browser().tab();
    const client = await opened(tab, { fetch: (...request) => network(...request) });
    network = offline;
    const bytes = bytesOf(3_000_000, 1);
    const { digest, size, id } = await attach(client, bytes);
    assert.deepEqual([digest, size], [sha256(bytes), 3_000_000]);
    assert.deepEqual(await client.files.state(digest), { state: 'waiting', sent: 0, size, reason: null });
    assert.deepEqual(await contentOf(await client.files.open(digest)), bytes);
    await assert.rejects(client.sync(), { code: 'network' });
    await until(async () => (await client.files.state(digest)).reason === 'network', 'it was tried');
    assert.equal(client.state.filesToSend, 1);
    network = fetch;
    await client.sync();
    await stored(client, digest);
    await client.sync();
    const { state, size: told } = await client.row('attachments', id);
    assert.deepEqual([state, told, client.state.filesToSend, await client.files.list()], ['stored', size, 0, []]);
    const other = await opened(new Browser().tab(), { token: bob });
    const { file } = await other.row('attachments', id);
    assert.deepEqual(await contentOf(await other.files.open(file)), bytes);
    await Promise.all([client.close(), other.close()]);
});

test('two windows send a file once, whichever has added it, and both are told', async () => {
    const [browser, network] = [new Browser(), counting()];
    const windows = [];
    for (let count = 0; count < 2; count++) {
        windows.push(await opened(browser.tab(), { fetch: network, listen: true }));
    }
    const told = windows.map(() => []);
    for (const [index, client] of windows.entries()) client.files.onChange(digest => told[index].push(digest));
    const [one, two] = [bytesOf(300_000, 2), bytesOf(2_500_000, 3)];
    const digests = await Promise.all(windows.map((client, index) => attach(client, [one, two][index])));
    for (const client of windows) for (const { digest } of digests) await stored(client, digest);
    assert.equal(network.bytes, one.length + two.length);
    const begun = network.requests.filter(each => each.startsWith('PUT'));
    assert.deepEqual(begun, ['PUT files 201', 'PUT files 201']);
    for (const each of told) for (const { digest } of digests) assert.ok(each.includes(digest));
    for (const client of windows) {
        for (const { id } of digests) {
            await until(async () => (await client.row('attachments', id)).state === 'stored', 'the row is stored');
        }
    }
    await Promise.all(windows.map(client => client.close()));
});

test('a connection that breaks after every few bytes gets a file through, and sends none twice', async () => {
    const network = cutting(700_000);
    const client = await opened(new Browser().tab(), { fetch: network });
    const bytes = bytesOf(8_000_000, 4);
    const { digest } = await attach(client, bytes);
    for (let round = 0; round < 50 && (await client.files.state(digest)).state !== 'stored'; round++) {
        await client.sync();
        await new Promise(resolve => setTimeout(resolve, 100));
    }
    await stored(client, digest);
    assert.ok(network.cuts > 0);
    // What was under way when the last connection broke may not have arrived.
    const most = 1.05 * bytes.length + 2 ** 18;
    assert.ok(network.sent <= most, `${network.sent} bytes with ${network.cuts} cuts`);
    await client.close();
});

test('a file that the quota has no room for fails with the reason, and is sent when it is tried again', async () => {
    const small = await Server.start({ TIDEMARK_FILES_PROJECT_MB: '1' });
    const token = await small.user('alice');
    const place = await small.project(token);
    const client = await openIn(new Browser().tab(), small, { project: place });
    await client.signIn({ token });
    const { digest } = await client.files.add(bytesOf(2_000_000, 5), { name: 'large.jpg' });
    await client.sync();
    await until(async () => (await client.files.state(digest)).state === 'failed', 'it has failed');
    assert.equal((await client.files.state(digest)).reason, 'quota_exceeded');
    const [{ name, detail }] = await client.files.list();
    assert.deepEqual([name, typeof detail], ['large.jpg', 'string']);
    assert.equal(client.state.error, null, 'the sync has not failed');
    await client.sync();
    assert.equal((await client.files.state(digest)).state, 'failed', 'nobody asked for it');
    await small.halt();
    small.settings = { TIDEMARK_FILES_PROJECT_MB: '10' };
    await small.run();
    await client.files.retry(digest);
    assert.deepEqual(await client.files.state(digest), { state: 'waiting', sent: 0, size: 2_000_000, reason: null });
    await client.sync();
    await stored(client, digest);
    await client.close();
    await small.stop();
});

test('a Blob has the type of the answer, and bytes from here the one that the server is going to say', async () => {
    const html = new TextEncoder().encode('<script>alert(document.domain)</script>');
    const webp = new TextEncoder().encode('RIFF1234WEBPVP8 ');
    const given = [[html, 'application/octet-stream'], [new Uint8Array(PNG), 'image/png'],
        [new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg'], [new TextEncoder().encode('GIF89a.'), 'image/gif'],
        [webp, 'image/webp'], [new Uint8Array(0), 'application/octet-stream']];
    const [client, other] = [await opened(new Browser().tab()), await opened(new Browser().tab(), { token: bob })];
    for (const [bytes, type] of given) {
        const { digest } = await attach(client, new Blob([bytes], { type: 'image/png' }), { media_type: 'text/html' });
        assert.equal((await client.files.open(digest)).type, type);
        await client.sync();
        await stored(client, digest);
        await until(async () => (await other.sync(), await other.files.open(digest).catch(() => null)), 'bob has it');
        assert.equal((await other.files.open(digest)).type, type);
    }
    await Promise.all([client.close(), other.close()]);
});

test('what somebody else names is never sent from here, and what nobody may read is not found', async () => {
    const network = counting();
    const client = await opened(new Browser().tab(), { token: bob, fetch: network });
    const bytes = bytesOf(1000, 6);
    const digest = sha256(bytes);
    await server.api(alice, 'POST', `/projects/${project}/attachments/`, { name: 'A claim', file: digest });
    await client.sync();
    assert.deepEqual([await client.files.list(), await client.files.state(digest)], [[], null]);
    await assert.rejects(client.files.open(digest), { code: 'not_found', status: 404 });
    assert.deepEqual(network.requests, ['GET files 404']);
    await client.close();
});

test('a file of a project that is made here waits for the project', async () => {
    const client = await opened(new Browser().tab(), { project: null });
    const made = await client.insert('projects', { name: 'New', start_date: '2026-03-01' });
    const { digest } = await client.files.add(bytesOf(2000, 7), { project: made });
    await assert.rejects(client.files.add(bytesOf(4)), TypeError);
    await client.sync();
    await stored(client, digest);
    await client.close();
});

test('a project that is lost takes its files along, sent or not', async () => {
    const lost = await sharedProject({ server, alice });
    for (const form of [null, lost]) {
        await server.member(lost, 'bob', 'member').catch(() => {});
        const network = counting();
        let isThere = true;
        const client = await opened(new Browser().tab(), { project: form, token: bob, fetch: (address, options) =>
            (isThere || !/\/sync\/files\//.test(address) ? network(address, options) : offline()) });
        const [sent, unsent] = [bytesOf(1000, 8), bytesOf(1000, 9)];
        const { digest } = await client.files.add(sent, { project: lost });
        await client.sync();
        await stored(client, digest);
        isThere = false;
        const other = await client.files.add(unsent, { project: lost });
        const kept = form === null ? await client.files.add(unsent, { project }) : null;
        const { results } = await server.api(alice, 'GET', `/projects/${lost}/memberships/`);
        const bobs = (await server.api(bob, 'GET', '/auth/me/')).id;
        await server.api(alice, 'DELETE', `/memberships/${results.find(({ user }) => user === bobs).id}/`);
        await client.sync().catch(error => assert.ok(form !== null && error.isAccessLost));
        const states = [digest, other.digest].map(each => client.files.state(each, { project: lost }));
        assert.deepEqual(await Promise.all(states), [null, null]);
        assert.equal((await client.files.list()).length, kept ? 1 : 0);
        await client.close();
    }
});
