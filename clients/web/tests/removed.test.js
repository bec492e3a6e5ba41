import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { ownSchemas } from '../../watermelondb/tests/support/schemas.js';
import { Server, tidemark } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { syncedIn } from './support/open.js';

// A server that removes a collection (`x-removed`), and brings it back.

let server, schemas, alice;

before(async () => {
    schemas = ownSchemas();
    server = await Server.start({}, { schemas: schemas.folder });
    alice = await server.user('alice');
});
after(async () => {
    await server.stop();
    rmSync(schemas.folder, { recursive: true });
});

async function restart(isRemoved) {
    await server.halt();
    // Attachments refer to risks.
    for (const name of ['risks', 'attachments']) {
        schemas.change(name, document => ({ ...document, 'x-removed': isRemoved }));
    }
    await server.run();
}

/** The copy of an app that brings all of the built-in collections, in a project of its own. */
async function ahead() {
    const schema = JSON.parse(await tidemark('schema', '--format', 'jsonschema'));
    const project = await server.project(alice);
    const client = await syncedIn(new Browser().tab(), server, { token: alice, schema });
    return { client, project };
}

test('edits in a removed collection are set aside, others go, and the user can log out', async () => {
    const project = await server.project(alice);
    const client = await syncedIn(new Browser().tab(), server, { token: alice });
    const risk = { project_id: project, title: 'Rain', probability: 2, impact: 4 };
    const known = await client.insert('risks', risk);
    await client.sync();
    await client.update('risks', known, { title: 'Hail' });
    const made = await client.insert('risks', { ...risk, title: 'Snow' });
    await client.insert('tasks', { id: 'dig', project_id: project, name: 'Dig' });
    await restart(true);
    await client.sync();
    const aside = await client.setAside();
    assert.deepEqual(aside.map(({ id, reason, values }) => [id, reason, values.title]).sort(),
        [[known, 'collection_removed', 'Hail'], [made, 'collection_removed', 'Snow']].sort());
    assert.deepEqual([...new Set(aside.map(({ detail }) => detail))], ['The server does not have the collection any more.']);
    assert.deepEqual([client.state.unsent, client.state.setAside, await client.rows('risks')], [0, 2, []]);
    assert.equal((await server.api(alice, 'GET', '/tasks/dig/')).name, 'Dig');
    await restart(false);
    await client.sync();
    assert.deepEqual((await client.rows('risks')).map(({ title }) => title), ['Rain']);
    for (const { number } of aside) await client.dismiss(number);
    await client.signOut();
    await client.close();
});

test('an app that is ahead of its server makes rows of a collection that comes with the next version', async () => {
    await restart(true);
    const { client, project } = await ahead();
    const risk = { project_id: project, title: 'Rain', probability: 1, impact: 2 };
    await assert.rejects(client.insert('risks', { ...risk, impact: 9 }), { code: 'out_of_range' });
    await assert.rejects(client.insert('wishes', risk), { code: 'unknown_collection' });
    const id = await client.insert('risks', risk);
    await client.update('risks', id, { title: 'Hail' });
    assert.deepEqual((await client.rows('risks', { project })).map(({ title }) => title), ['Hail']);
    await restart(false);
    await client.sync();
    assert.equal((await server.api(alice, 'GET', `/risks/${id}/`)).title, 'Hail');
    assert.deepEqual([client.state.unsent, client.state.setAside], [0, 0]);
    await client.close();
});

test('if the server still lacks the collection at the next sync, the rows are set aside', async () => {
    await restart(true);
    const { client, project } = await ahead();
    const added = title => client.insert('risks', { project_id: project, title, probability: 1, impact: 2 });
    const gone = await added('Rain');
    await client.giveUp('risks', await added('Snow'));
    await client.delete('risks', await added('Fog'));
    await client.sync();
    assert.deepEqual((await client.setAside()).map(({ id, reason }) => [id, reason]), [[gone, 'collection_removed']]);
    assert.deepEqual([client.state.unsent, client.state.setAside, await client.rows('risks')], [0, 1, []]);
    await client.close();
});

/** Serves a schema whose risks have titles of so many characters. */
async function limit(maxLength) {
    await server.halt();
    schemas.change('risks', ({ properties, ...document }) => ({
        ...document, properties: { ...properties, title: { ...properties.title, maxLength } },
    }));
    await server.run();
}

test('a new schema takes what the former one refused, without a call of sync()', async () => {
    await restart(false);
    await limit(4);
    const { client, project } = await ahead();
    const made = await client.insert('risks', { project_id: project, title: 'Rainstorm', probability: 2, impact: 4 });
    await client.sync();
    assert.deepEqual(client.state.refused.map(({ id }) => id), [made]);
    await limit(200);
    // As when the server's events have said that there is something new.
    await client._hub._leader._line._syncer.sync(undefined, { isFresh: true });
    assert.equal((await client._replica.status()).refused.length, 0);
    assert.equal((await server.api(alice, 'GET', `/risks/${made}/`)).title, 'Rainstorm');
    await client.close();
});

test('a schema that comes between the push and the pull of one sync takes what it refused', async () => {
    await restart(false);
    await limit(4);
    const { client, project } = await ahead();
    const made = await client.insert('risks', { project_id: project, title: 'Rainstorm', probability: 2, impact: 4 });
    const { replica } = client._hub._leader._line._syncer;
    const { settle } = replica;
    replica.settle = async (...settled) => {
        replica.settle = settle;
        const receipts = await settle.apply(replica, settled);
        assert.equal(receipts.refused, 1);
        await limit(200);
        return receipts;
    };
    await client.sync();
    assert.equal((await client._replica.status()).refused.length, 0);
    assert.equal((await server.api(alice, 'GET', `/risks/${made}/`)).title, 'Rainstorm');
    await client.close();
});

test('servers of two schemas that answer in turn make a sync no loop', async () => {
    const { client } = await ahead();
    const syncer = client._hub._leader._line._syncer;
    const { pull } = syncer;
    let pulls = 0;
    syncer.push = async () => ({ batches: 1 });
    syncer.pull = async signal => {
        assert.ok(++pulls < 10, 'it does not end');
        const outcome = await pull.call(syncer, signal);
        syncer._hasNewSchema = true;
        return outcome;
    };
    await client.sync();
    assert.equal(pulls, 4);
    await client.close();
});
