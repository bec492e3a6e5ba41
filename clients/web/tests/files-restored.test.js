import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { bytesOf, contentOf, counting } from './support/files.js';
import { openIn, until } from './support/open.js';
import { restore } from './support/restored.js';

// A server that was restored without its files, and copies that have some of them.

let server, alice, bob, project;

before(async () => {
    server = await Server.start();
    [alice, bob] = [await server.user('alice'), await server.user('bob')];
    project = await server.project(alice);
    await server.member(project, 'bob', 'member');
});
after(() => server.stop());

async function opened(browser, token = alice) {
    const network = counting();
    const client = await openIn(browser.tab(), server, { project, fetch: network });
    if (!client.state.isSignedIn) await client.signIn({ token });
    await client.sync();
    return Object.assign(client, { network });
}

/** Adds a file with a row, and waits until the row says that the server has both. */
async function attach(client, bytes) {
    const { digest } = await client.files.add(bytes);
    const id = await client.insert('attachments', { project_id: project, name: 'Photo', file: digest });
    await comesTo(client, id, 'stored');
    return { digest, id };
}

const comesTo = (client, id, state) => until(async () => {
    await client.sync();
    return (await client.row('attachments', id))?.state === state;
}, `${id} is ${state}`);

async function lose(name) {
    const backup = join(server.folder, `${name}.db`);
    await server.command('backup', backup);
    await restore(server, backup, { isBare: true });
    rmSync(`${backup}-files`, { recursive: true, force: true });
}

test('who has added a file on this copy sends it again, in this window or the next one, and nobody else does', async () => {
    const [mine, other] = [new Browser(), new Browser()];
    const [client, reader] = [await opened(mine), await opened(other, bob)];
    const bytes = bytesOf(200_000, 1);
    const { digest, id } = await attach(client, bytes);
    await comesTo(reader, id, 'stored');
    assert.deepEqual(await contentOf(await reader.files.open(digest)), bytes);
    await lose('first');
    await comesTo(reader, id, 'pending');
    await reader.sync();
    assert.deepEqual([await reader.files.list(), (await reader.files.state(digest)).state], [[], 'stored']);
    assert.deepEqual(reader.network.requests.filter(text => !text.startsWith('GET')), []);
    await comesTo(client, id, 'stored');
    await comesTo(reader, id, 'stored');
    // Nobody had a window open.
    await client.close();
    await lose('second');
    const next = await opened(mine);
    await comesTo(next, id, 'stored');
    assert.equal((await next.files.state(digest)).state, 'stored');
    await Promise.all([next.close(), reader.close()]);
});

test('a file that only somebody else\'s row names is not sent again, though it was added here', async () => {
    const client = await opened(new Browser());
    const { digest, id } = await attach(client, bytesOf(1000, 2));
    await server.api(bob, 'POST', `/projects/${project}/attachments/`, { name: 'A claim', file: digest });
    await server.api(alice, 'DELETE', `/attachments/${id}/`);
    await client.sync();
    await lose('third');
    await client.sync();
    await client.sync();
    const rows = await client.rows('attachments', { project });
    assert.deepEqual(rows.filter(({ file }) => file === digest).map(({ state }) => state), ['pending']);
    assert.deepEqual([await client.files.list(), (await client.files.state(digest)).state], [[], 'stored']);
    await client.close();
});

test('what the server still has costs one request at the start, and what is not pulled yet no more', async () => {
    const browser = new Browser();
    const client = await opened(browser);
    const { digest } = await client.files.add(bytesOf(1000, 3));
    await client.insert('attachments', { project_id: project, name: 'Photo', file: digest });
    await client.sync();
    await until(async () => (await client.files.state(digest)).state === 'stored', 'it is stored');
    await client.close();
    const next = await opened(browser);
    await next.sync();
    await until(async () => (await next.files.state(digest)).state === 'stored', 'it is so again');
    const puts = next.network.requests.filter(text => !text.startsWith('GET'));
    assert.ok(puts.every(text => text === 'PUT files 200') && puts.length <= 1, `${puts}`);
    assert.equal(next.network.bytes, 0);
    await next.close();
});
