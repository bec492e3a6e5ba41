import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server, tidemark } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { openIn } from './support/open.js';

// An app that brings its schema, and is started for the first time without a network.

let server, alice, schema;

before(async () => {
    server = await Server.start({});
    alice = await server.user('alice');
    schema = JSON.parse(await tidemark('schema', '--format', 'jsonschema'));
});
after(() => server.stop());

/** A copy that never saw the server, with a project and a task of nobody's. */
async function started() {
    const tab = new Browser().tab();
    let isOnline = false;
    tab.fetch = network => (...request) => {
        if (!isOnline) throw new TypeError('There is no network.');
        return network(...request);
    };
    const client = await openIn(tab, server, { schema });
    const project = await client.insert('projects', { name: 'Boat', start_date: '2026-01-05' });
    const task = await client.insert('tasks', { project_id: project, name: 'Paint' });
    return { client, project, task, goOnline: () => { isOnline = true; } };
}

const DETAIL = '2 edits were made here before anybody signed in. Keep them as yours, or discard them.';

test('what was made before the first log-in belongs to whoever logs in first, after a question', async () => {
    const { client, project, task, goOnline } = await started();
    assert.deepEqual((await client.schema()).collections, schema);
    await assert.rejects(client.insert('tasks', { project_id: project, name: 'x'.repeat(513) }), { code: 'too_long' });
    await assert.rejects(client.signIn({ token: alice }), { code: 'network' });
    goOnline();
    await assert.rejects(client.signIn({ token: alice }), { code: 'unclaimed_edits', detail: DETAIL });
    assert.deepEqual([client.state.user, client.state.unsent], [null, 2]);
    await client.signIn({ token: alice, adopt: true });
    await client.sync();
    assert.deepEqual([client.state.unsent, client.state.refused, client.state.setAside], [0, [], 0]);
    assert.equal((await server.api(alice, 'GET', `/tasks/${task}/`)).name, 'Paint');
    assert.equal((await client.row('tasks', task)).server_version, 1);
    assert.deepEqual(await client.schema(), await server.api(alice, 'GET', '/schemas/'));
    await client.signOut();
    await client.close();
});

test('or is discarded', async () => {
    const { client, goOnline } = await started();
    goOnline();
    await client.signIn({ token: alice, discard: true });
    assert.deepEqual([client.state.unsent, client.state.user.username, await client.rows('tasks')], [0, 'alice', []]);
    await client.sync();
    await client.close();
});

test('a collection that the server does not have is set aside', async () => {
    const { title, ...document } = schema.find(each => each.title === 'risks');
    const brought = { schema_version: 'app', collections: [...schema, { title: 'wishes', ...document }] };
    const client = await openIn(new Browser().tab(), server, { schema: brought });
    const project = await client.insert('projects', { name: 'Shed', start_date: '2026-01-05' });
    await client.insert('wishes', { id: 'w', project_id: project, title: 'Sun', probability: 1, impact: 1 });
    await client.signIn({ token: alice, adopt: true });
    await client.sync();
    assert.deepEqual((await client.setAside()).map(({ id, reason }) => [id, reason]), [['w', 'collection_removed']]);
    assert.equal(client.state.unsent, 0);
    await client.close();
});
