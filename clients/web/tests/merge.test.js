import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { openIn } from './support/open.js';

// `onConflict: 'merge'` against a real server: an edit in conflict goes aside, however long it waited.

let server, alice, bob, project, tasks = 0;

before(async () => {
    server = await Server.start();
    [alice, bob] = [await server.user('alice'), await server.user('bob')];
    project = await server.project(alice, 'Boat');
    await server.member(project, 'bob', 'member');
});
after(() => server.stop());

/** Alice's copy with a new task that both have. */
async function start() {
    const id = `t-${++tasks}`;
    await server.task(alice, project, { id, name: 'Old', notes: 'Old' });
    const client = await openIn(new Browser().tab(), server, { onConflict: 'merge' });
    await client.signIn({ token: alice });
    await client.sync();
    return { client, id };
}

const patch = (id, body) => server.api(bob, 'PATCH', `/tasks/${id}/`, body);
const stored = id => server.api(alice, 'GET', `/tasks/${id}/`);

test('what somebody else wrote meanwhile is not overwritten, although the sync pulls it first', async () => {
    const { client, id } = await start();
    await client.update('tasks', id, { name: 'Mine', notes: 'Mine' });
    await patch(id, { name: 'Theirs' });
    await client.sync();
    const { name, notes } = await stored(id);
    assert.deepEqual([name, notes], ['Theirs', 'Old']);
    assert.equal((await client.row('tasks', id)).name, 'Theirs');
    const [aside] = await client.setAside();
    assert.deepEqual([aside.reason, aside.values.name, aside.changed], ['conflict', 'Mine', ['name', 'notes']]);
    assert.deepEqual(aside.reasons.map(({ field, code }) => [field, code]), [['name', 'conflict']]);
    await client.close();
});

test('edits of other fields are merged', async () => {
    const { client, id } = await start();
    await client.update('tasks', id, { name: 'Mine' });
    await patch(id, { notes: 'Theirs' });
    await client.sync();
    const { name, notes } = await stored(id);
    assert.deepEqual([name, notes, client.state.setAside], ['Mine', 'Theirs', 0]);
    await client.close();
});

test('the device\'s own earlier edit is no conflict, and neither is a value that it has seen', async () => {
    const { client, id } = await start();
    await client.update('tasks', id, { name: 'One' });
    await client.sync();
    await client.update('tasks', id, { name: 'Two' });
    await client.sync();
    await patch(id, { name: 'Theirs' });
    await client.sync();
    await client.update('tasks', id, { name: 'Three' });
    await client.sync();
    assert.deepEqual([(await stored(id)).name, await client.setAside()], ['Three', []]);
    await client.close();
});

test('the schema that the rows follow can be read, and needs no network', async () => {
    const tab = new Browser().tab();
    const client = await openIn(tab, server);
    assert.equal(await client.schema(), null);
    await client.signIn({ token: alice });
    await client.sync();
    const document = await server.api(alice, 'GET', '/schemas/');
    await client.close();
    const again = await openIn(tab, { url: server.url }, { fetch: () => Promise.reject(new TypeError('offline')) });
    assert.deepEqual(await again.schema(), document);
    await again.close();
});
