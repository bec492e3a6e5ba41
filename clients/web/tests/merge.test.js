import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { openIn, syncedIn } from './support/open.js';

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
async function start(wire = fetch) {
    const id = `t-${++tasks}`;
    await server.task(alice, project, { id, name: 'Old', notes: 'Old' });
    const client = await syncedIn(new Browser().tab(), server, { token: alice, onConflict: 'merge', fetch: wire });
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

/** The fields of a row that the server's inbox has lost edits of. */
const lostOf = async id => (await server.api(alice, 'GET', `/projects/${project}/rejected/`)).results
    .filter(each => each.id === id).map(({ field }) => field);

test('of two places of a row the server\'s stands, the other edits go again, and nobody is told', async () => {
    const { client, id } = await start();
    await client.update('tasks', id, { rank: 'Mine', name: 'Mine' });
    await patch(id, { rank: 'Theirs', notes: 'Theirs' });
    await client.sync();
    const { rank, name, notes } = await stored(id);
    assert.deepEqual([rank, name, notes], ['Theirs', 'Mine', 'Theirs']);
    const row = await client.row('tasks', id);
    assert.deepEqual([row.rank, row.name, row.notes, row._status], ['Theirs', 'Mine', 'Theirs', 'synced']);
    assert.deepEqual([await client.setAside(), await client.refused(), client.state.setAside], [[], [], 0]);
    assert.deepEqual(await lostOf(id), []);
    await client.close();
});

test('a move below another row keeps its parent, with the place that somebody else gave the row', async () => {
    const { client, id } = await start();
    const parent = await client.insert('tasks', { project_id: project, name: 'Parent' });
    await client.sync();
    await client.update('tasks', id, { rank: 'Mine', parent });
    await patch(id, { rank: 'Theirs' });
    await client.sync();
    const { rank, parent: stands } = await stored(id);
    assert.deepEqual([rank, stands, await client.setAside()], ['Theirs', parent, []]);
    await client.close();
});

test('a conflict on another field, too, is shown with both', async () => {
    const { client, id } = await start();
    await client.update('tasks', id, { rank: 'Mine', name: 'Mine' });
    await patch(id, { rank: 'Theirs', name: 'Theirs' });
    await client.sync();
    const [aside] = await client.setAside();
    assert.deepEqual(aside.reasons.map(({ field }) => field), ['name', 'rank']);
    assert.equal((await stored(id)).rank, 'Theirs');
    assert.deepEqual(await lostOf(id), ['name', 'rank']);
    await client.close();
});

test('an entry of the inbox that a lost network left there is dismissed with the next sync', async () => {
    const cut = cutAfterUpload({ isHeard: true });
    const { client, id } = await start(cut.fetch);
    await client.update('tasks', id, { rank: 'Mine' });
    await patch(id, { rank: 'Theirs' });
    await assert.rejects(client.sync(), { code: 'network' });
    assert.deepEqual(await lostOf(id), ['rank']);
    const { aside } = await ending(client, id, cut);
    assert.deepEqual([aside, await lostOf(id), (await stored(id)).rank], [[], [], 'Theirs']);
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

/**
 * A network that is gone as soon as the server has answered an upload; the answer itself arrives if `isHeard`. `before`
 * is what others do just before the upload. `restore` brings the network back.
 */
function cutAfterUpload({ isHeard, before = async () => {} }) {
    const cut = { isCut: false, isDone: false, restore: () => { cut.isCut = false; } };
    cut.fetch = async (address, init) => {
        if (cut.isCut) throw new TypeError('offline');
        const isUpload = init.method === 'POST' && String(address).includes('/sync/') && !cut.isDone;
        if (isUpload) await before();
        const response = await fetch(address, init);
        if (!isUpload) return response;
        Object.assign(cut, { isCut: true, isDone: true });
        const text = await response.text();
        if (!isHeard) throw new TypeError('the answer is lost');
        return { status: response.status, headers: response.headers, text: async () => text };
    };
    return cut;
}

/** What alice's copy ends with: the stored row, and the reasons of what went aside. */
async function ending(client, id, cut) {
    cut.restore();
    await client.sync();
    await client.sync();
    const { name, notes } = await stored(id);
    const aside = (await client.setAside()).flatMap(({ reasons }) => reasons.map(({ field, code }) => [field, code]));
    await client.close();
    return { name, notes, aside };
}

test('the version of an answer is no base: what it merged was not seen yet', async () => {
    let id;
    const cut = cutAfterUpload({ isHeard: true, before: () => patch(id, { notes: 'Theirs' }) });
    const started = await start(cut.fetch);
    const { client } = started;
    id = started.id;
    await client.update('tasks', id, { name: 'Mine' });
    await assert.rejects(client.sync(), { code: 'network' });
    assert.equal((await client.row('tasks', id)).notes, 'Old');
    await client.update('tasks', id, { notes: 'Mine too' });
    const { name, notes, aside } = await ending(client, id, cut);
    assert.deepEqual([name, notes, aside], ['Mine', 'Theirs', [['notes', 'conflict']]]);
});

for (const isHeard of [true, false]) {
    test(`a new row that others have edited since is not overwritten, its answer ${isHeard ? '' : 'not '}heard`,
        async () => {
            const cut = cutAfterUpload({ isHeard });
            const { client } = await start(cut.fetch);
            const id = await client.insert('tasks', { project_id: project, name: 'New', notes: 'New' });
            await assert.rejects(client.sync(), { code: 'network' });
            await patch(id, { notes: 'Theirs' });
            await client.update('tasks', id, { notes: 'Mine too', name: 'Newer' });
            const { name, notes, aside } = await ending(client, id, cut);
            assert.deepEqual([name, notes, aside], ['New', 'Theirs', [['notes', 'conflict']]]);
        });
}

test('a new row that no drain has brought yet is edited on what this device has sent', async () => {
    let client, id;
    const theirs = {};
    const wire = async (address, init) => {
        const response = await fetch(address, init);
        if (init.method !== 'POST' || !String(address).includes('/sync/') || !theirs.next) return response;
        const { next } = theirs;
        theirs.next = null;
        if (next.notes) await patch(id, next);
        await client.update('tasks', id, { notes: 'Mine too' });
        return response;
    };
    ({ client } = await start(wire));
    for (const [next, expected] of [[{ notes: 'Theirs' }, ['Theirs', 1]], [{}, ['Mine too', 0]]]) {
        theirs.next = next;
        id = await client.insert('tasks', { project_id: project, name: 'New', notes: 'New' });
        await client.sync();
        const aside = (await client.setAside()).filter(each => each.id === id);
        assert.deepEqual([(await stored(id)).notes, aside.length], expected);
    }
    await client.close();
});

test('after an answer that was not drained yet, the device\'s own edits are still no conflict', async () => {
    const cut = cutAfterUpload({ isHeard: true });
    const { client, id } = await start(cut.fetch);
    await client.update('tasks', id, { name: 'One' });
    await assert.rejects(client.sync(), { code: 'network' });
    await client.update('tasks', id, { name: 'Two' });
    const { name, aside } = await ending(client, id, cut);
    assert.deepEqual([name, aside], ['Two', []]);
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
