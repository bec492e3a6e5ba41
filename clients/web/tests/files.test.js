import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { bytesOf, contentOf, counting, cutting, sha256 } from './support/files.js';
import { openIn, until } from './support/open.js';

// Files of a copy, with a real server.

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3];
const offline = async () => { throw new TypeError('There is no network.'); };
let server, alice, bob, project;

before(async () => {
    server = await Server.start();
    [alice, bob] = [await server.user('alice'), await server.user('bob')];
    project = await server.project(alice);
    await server.member(project, 'bob', 'member');
});
after(() => server.stop());

/** A window, signed in and synced. */
async function opened(tab, { token = alice, ...options } = {}) {
    const client = await openIn(tab, server, { project, ...options });
    if (!client.state.isSignedIn) await client.signIn({ token });
    await client.sync();
    return client;
}

/** Adds a file, and a row that names it. */
async function attach(client, bytes, row = {}) {
    const { digest, size } = await client.files.add(bytes);
    const id = await client.insert('attachments', { project_id: project, name: 'Photo', file: digest, ...row });
    return { digest, size, id };
}

const stored = (client, digest) =>
    until(async () => (await client.files.state(digest))?.state === 'stored', `${digest} is stored`);

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
