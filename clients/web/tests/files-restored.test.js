import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { attach as attachTo, stored } from './support/attached.js';
import { Browser } from './support/browser.js';
import { bytesOf, contentOf, counting } from './support/files.js';
import { syncedIn, until } from './support/open.js';
import { restore } from './support/restored.js';
import { scene } from './support/scene.js';

// A server that was restored without its files, and copies that have some of them.

let server, alice, bob, project;

before(async () => {
    ({ server, alice, bob, project } = await scene());
});
after(() => server.stop());

async function opened(browser, token = alice) {
    const network = counting();
    return Object.assign(await syncedIn(browser.tab(), server, { token, project, fetch: network }), { network });
}

/** Adds a file with a row, and waits until the row says that the server has both. */
async function attach(client, bytes) {
    const { digest, id } = await attachTo(client, project, bytes);
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
    const { digest } = await attachTo(client, project, bytesOf(1000, 3));
    await client.sync();
    await stored(client, digest);
    await client.close();
    const next = await opened(browser);
    await next.sync();
    await stored(next, digest);
    const puts = next.network.requests.filter(text => !text.startsWith('GET'));
    assert.ok(puts.every(text => text === 'PUT files 200') && puts.length <= 1, `${puts}`);
    assert.equal(next.network.bytes, 0);
    await next.close();
});
