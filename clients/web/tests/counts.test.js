import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { openIn } from './support/open.js';

// What the state counts, right after each call: nothing is awaited in between.

let server, alice;

before(async () => {
    server = await Server.start();
    alice = await server.user('alice');
});
after(() => server.stop());

test('the counts agree with the call that has just ended', async () => {
    const project = await server.project(alice);
    const client = await openIn(new Browser().tab(), server);
    const counts = () => [client.state.unsent, client.state.refused.length, client.state.setAside];
    await client.signIn({ token: alice });
    await client.sync();
    const id = await client.insert('tasks', { project_id: project, name: 'Dig' });
    assert.deepEqual(counts(), [1, 0, 0]);
    await client.sync();
    assert.deepEqual(counts(), [0, 0, 0]);
    await client.update('tasks', id, { name: 'Dig deep' });
    assert.deepEqual(counts(), [1, 0, 0]);
    await client.giveUp('tasks', id);
    assert.deepEqual(counts(), [0, 0, 0]);
    await client.edit([{ collection: 'tasks', id, update: { name: 'Dig deeper' } }]);
    assert.deepEqual(counts(), [1, 0, 0]);
    await server.api(alice, 'DELETE', `/tasks/${id}/`);
    await client.sync();
    assert.deepEqual(counts(), [0, 0, 1]);
    const [{ number, detail }] = await client.setAside();
    assert.equal(detail, 'The row was deleted on the server.');
    await client.dismiss(number);
    assert.deepEqual(counts(), [0, 0, 0]);
    // A new row that the server refuses can be sent again: it is unsent, and refused.
    const [first, second] = [await client.insert('tasks', { project_id: project, name: 'A' }),
        await client.insert('tasks', { project_id: project, name: 'B' })];
    await client.sync();
    const link = { project_id: project, predecessor: first, successor: second, dep_type: 'FS' };
    await client.insert('dependencies', link);
    await client.insert('dependencies', link);
    await client.sync();
    assert.deepEqual(counts(), [1, 1, 0]);
    assert.match(client.state.refused[0].reasons[0].detail, /^[A-Z].*\.$/);
    await client.close();
});
