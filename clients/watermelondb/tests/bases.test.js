import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted, problem } from './support/fakes.js';
import { Ledger } from './support/ledger.js';
import { synchronize } from './support/synchronize.js';

// An edit's base is the version that it was made on, whatever pulls have brought since.

/** Refuses a batch as a whole: its rows stay unsent. */
const REFUSED = () => problem(403, 'read_only_token');

/** An app whose task has `hits` edited on version 5. A pull has brought version 7, and no push has arrived yet. */
async function pulledOver(options = {}) {
    const ledger = new Ledger(options);
    ledger.raise(5, { title: 'Dig' });
    await ledger.sync();
    ledger.edit({ hits: 6 });
    ledger.raise(7, { title: 'Dug' });
    ledger.instead = REFUSED;
    await assert.rejects(ledger.sync());
    ledger.instead = () => null;
    assert.deepEqual([ledger.shown.server_version, ledger.shown._changed], [7, 'hits']);
    return ledger;
}

for (const project of ['p-1', null]) {
    const what = project ? 'one project' : 'all projects';

    test(`the base of an edit is not what was pulled since, with ${what}`, async () => {
        const ledger = await pulledOver({ project });
        await ledger.sync();
        assert.deepEqual(ledger.sent, [['hits', 5]]);
    });

    test(`a column that was edited after the pull has the pulled version, with ${what}`, async () => {
        const ledger = await pulledOver({ project });
        ledger.edit({ title: 'Mine' });
        await ledger.sync();
        assert.deepEqual(ledger.sent, [['hits,title', 5, { title: 7 }]]);
    });

    test(`nothing is kept of a row that is settled, with ${what}`, async () => {
        const ledger = await pulledOver({ project });
        assert.deepEqual(ledger.noted, { 'tasks/t': { hits: 5 } });
        await ledger.sync();
        assert.equal(ledger.noted, null);
        await ledger.sync();
        ledger.edit({ hits: 9 });
        await ledger.sync();
        assert.deepEqual(ledger.sent, [['hits']]);
    });
}

test('an edit that follows a push is based on what was pulled before it: the answer is no base', async () => {
    const ledger = await pulledOver();
    await ledger.sync();
    assert.deepEqual([ledger.shown.server_version, ledger.rows.get('t').server_version], [7, 8]);
    ledger.edit({ hits: 9 });
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits', 7]]);
});

test('one sync that pulls and pushes sends the version from before its pull', async () => {
    const ledger = new Ledger();
    await ledger.sync();
    ledger.edit({ hits: 6 });
    ledger.raise(3, { hits: 7 });
    await ledger.sync();
    assert.deepEqual([ledger.sent, ledger.noted], [[['hits', 1]], null]);
});

test('each column keeps its own base over several pulls', async () => {
    const ledger = await pulledOver();
    ledger.instead = REFUSED;
    for (const [version, values] of [[8, { title: 'Mine' }], [9, { hits: 8 }], [10, { tags: '[]' }]]) {
        ledger.edit(values);
        ledger.raise(version, { title: 'Theirs' });
        await assert.rejects(ledger.sync());
    }
    ledger.instead = () => null;
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits,title,tags', 5, { title: 7, tags: 9 }]]);
});

test('an edit that no pull has gone over is sent as ever', async () => {
    const ledger = new Ledger();
    ledger.put('other', { title: 'Other' });
    await ledger.sync();
    ledger.edit({ hits: 6 });
    ledger.put('other', { title: 'Newer' });
    await ledger.sync();
    assert.deepEqual([ledger.sent, ledger.noted], [[['hits']], null]);
});

test('a row that is edited during its push keeps its bases', async () => {
    const ledger = await pulledOver();
    ledger.onRequest = ({ method }) => method === 'POST' && ledger.edit({ hits: 8 });
    await ledger.sync();
    ledger.onRequest = () => {};
    assert.deepEqual(ledger.noted, { 'tasks/t': { hits: 5 } });
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits', 5]]);
});

test('a column that is edited during the push has the version that was pulled', async () => {
    const ledger = await pulledOver();
    ledger.onRequest = ({ method }) => method === 'POST' && ledger.edit({ title: 'Mine' });
    await ledger.sync();
    ledger.onRequest = () => {};
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits,title', 5, { title: 7 }]]);
});

test('a row that is refused and stays unsent keeps its bases, as often as it is sent', async () => {
    const ledger = await pulledOver();
    const code = 'project_archived';
    const rejected = { tasks: [{ id: 't', field: null, code, detail: 'It is archived.' }] };
    ledger.instead = request => accepted(request, { rejected, rejected_ids: { tasks: ['t'] } });
    for (const version of [7, 8, 9]) {
        ledger.raise(version, { title: 'Theirs' });
        await ledger.sync();
        assert.deepEqual([ledger.sent, ledger.noted], [[['hits', 5]], { 'tasks/t': { hits: 5 } }]);
    }
});

test('after a refusal that puts the row back, an edit is a new one', async () => {
    const ledger = await pulledOver();
    ledger.instead = request => accepted(request, {
        rejected: { tasks: [{ id: 't', field: 'hits', code: 'out_of_range', detail: 'It is too much.' }] },
    });
    await ledger.sync();
    assert.equal(ledger.noted, null);
    ledger.instead = () => null;
    ledger.commits.set('t', ++ledger.head);
    await ledger.sync();
    ledger.edit({ hits: 7 });
    ledger.raise(8, { title: 'Theirs' });
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits', 7]]);
});

test('only columns that are sent have a base', async () => {
    const ledger = await pulledOver({ localColumns: { tasks: ['draft'] } });
    ledger.edit({ draft: 'x', title: 'Mine' });
    ledger.raise(8, { tags: '[]' });
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits,title', 5, { title: 7 }]]);

    ledger.edit({ draft: 'y' });
    ledger.raise(10, { tags: '["b"]' });
    ledger.instead = REFUSED;
    await ledger.sync().catch(() => {});
    ledger.instead = () => null;
    ledger.edit({ title: 'Mine again' });
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['title']]);
});

for (const version of [undefined, null, 0, -1, 1.5, '7']) {
    test(`a row with the version ${JSON.stringify(version)} has no base`, async () => {
        const ledger = new Ledger();
        await ledger.sync();
        const row = { ...ledger.shown, server_version: version };
        if (version === undefined) delete row.server_version;
        ledger.database.table('tasks').set('t', row);
        ledger.edit({ hits: 6 });
        ledger.raise(3, { title: 'Theirs' });
        await ledger.sync();
        assert.deepEqual([ledger.sent, ledger.noted], [[['hits']], null]);
    });
}

test('a new row has no base, and a row that was deleted here loses its own', async () => {
    const ledger = await pulledOver();
    ledger.database.create('tasks', { id: 'n', title: 'New', server_version: 0 });
    ledger.database.remove('tasks', 't');
    await ledger.sync();
    assert.deepEqual([ledger.sent, ledger.bodies.at(-1).changes.tasks.deleted], [[['']], ['t']]);
    assert.equal(ledger.noted, null);
});

test('bases survive a restart of the app', async () => {
    const ledger = await pulledOver();
    ledger.start();
    ledger.edit({ title: 'Mine' });
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits,title', 5, { title: 7 }]]);
});

test('a batch whose answer was lost goes again as it was', async () => {
    const ledger = await pulledOver();
    ledger.instead = () => {
        throw new TypeError('the answer is lost');
    };
    await assert.rejects(ledger.sync());
    ledger.instead = () => null;
    ledger.edit({ title: 'Mine' });
    ledger.raise(9, { tags: '[]' });
    ledger.start();
    await ledger.sync();
    const [first, again, rest] = ledger.bodies.slice(-3);
    assert.deepEqual([again, first.changes.tasks.updated[0].base_version], [first, 5]);
    assert.deepEqual([rest.changes.tasks.updated[0]._changed, ledger.sent], ['title', [['title']]]);
    assert.equal(ledger.noted, null);
});

test('with `reject` no base is sent: it would be refused after every pull', async () => {
    const ledger = await pulledOver({ onConflict: 'reject' });
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits']]);
});

test('a value that the app\'s resolver makes of both was made on the pulled version', async () => {
    const ledger = new Ledger();
    await ledger.sync();
    ledger.edit({ hits: 6, title: 'Mine' });
    ledger.raise(3, { hits: 9 });
    const conflictResolver = (table, local, remote, resolved) => ({ ...resolved, hits: local.hits + remote.hits - 5 });
    await ledger.sync({ conflictResolver });
    assert.deepEqual([ledger.sent, ledger.rows.get('t').hits], [[['hits,title', 1, { hits: 3 }]], 10]);
});

test('what the app\'s resolver leaves to the server has no base', async () => {
    const ledger = new Ledger();
    await ledger.sync();
    ledger.edit({ hits: 6, title: 'Mine' });
    ledger.raise(3, { hits: 9 });
    const conflictResolver = (table, local, { hits }, resolved) => ({ ...resolved, hits, _changed: 'title' });
    await ledger.sync({ conflictResolver });
    assert.deepEqual(ledger.sent, [['title', 1]]);
});

test('of a column that the server has answered, while another is unknown there, no base is kept', async () => {
    const ledger = await pulledOver();
    ledger.edit({ colour: 'red' });
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits,colour', 5, { colour: 7 }]]);
    ledger.raise(9, { hits: 20 });
    await ledger.sync();
    assert.deepEqual([ledger.shown.hits, ledger.shown._changed], [20, 'colour']);
    assert.deepEqual(ledger.noted, { 'tasks/t': { colour: 7 } });
    ledger.edit({ hits: 21 });
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits']]);
});

test('what is edited while the pull is handed over is noted, too', async () => {
    const ledger = new Ledger();
    await ledger.sync();
    ledger.edit({ hits: 6 });
    ledger.raise(3, { title: 'Theirs' });
    const { get, remove } = ledger.storage;
    const set = (key, value) => {
        if (key.endsWith('bases')) ledger.edit({ tags: '[]' });
        ledger.storage.set(key, value);
    };
    ledger.start({ get, set, remove });
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits,tags', 1]]);
});

test('if the pull is not stored, the row is still of the version that was noted', async () => {
    const ledger = await pulledOver();
    ledger.edit({ title: 'Mine' });
    ledger.raise(9, { tags: '[]' });
    const conflictResolver = () => {
        throw new Error('the disk is full');
    };
    await assert.rejects(ledger.sync({ conflictResolver }), /disk/);
    assert.deepEqual([ledger.noted, ledger.shown.server_version], [{ 'tasks/t': { hits: 5, title: 7 } }, 7]);
    ledger.edit({ tags: '["mine"]' });
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits,title,tags', 5, { title: 7, tags: 7 }]]);
});

test('a row that the pull takes away leaves no base for the one that comes back', async () => {
    const ledger = await pulledOver();
    ledger.take('t');
    await ledger.sync();
    assert.deepEqual([ledger.shown, ledger.noted], [undefined, null]);
});

test('after a restore of the server, versions of the lost history are no bases', async () => {
    const ledger = await pulledOver();
    ledger.edit({ title: 'Mine' });
    ledger.restore();
    ledger.raise(8, { tags: '["restored"]' });
    await ledger.sync();
    assert.deepEqual([ledger.sent, ledger.noted], [[['hits,title']], null]);
});

test('nor is the version of a row that was purged and made again', async () => {
    const ledger = await pulledOver();
    ledger.rows.delete('t');
    ledger.put('t', { title: 'Again', hits: 0 });
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits']]);
});

test('after `since_expired` the bases stay', async () => {
    const ledger = await pulledOver();
    ledger.raise(9, { title: 'Theirs' });
    ledger.refusal = [410, 'since_expired'];
    ledger.floor = ledger.head;
    ledger.instead = REFUSED;
    await assert.rejects(ledger.sync());
    ledger.instead = () => null;
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits', 5]]);
});

test('nothing is left after forget(), and a database that was reset has no bases', async () => {
    const ledger = await pulledOver();
    const kept = ledger.noted;
    ledger.database.reset();
    await ledger.sync();
    ledger.edit({ hits: 9 });
    await ledger.sync();
    assert.deepEqual([Object.keys(kept), ledger.sent, ledger.noted], [['tasks/t'], [['hits']], null]);

    const other = await pulledOver();
    await other.adapter.forget(() => other.database.reset());
    assert.equal(other.noted, null);
});

test('unsent edits are read only if the pull has rows or something is noted', async () => {
    const ledger = new Ledger();
    let calls = 0;
    const counted = args => {
        calls++;
        return synchronize(args);
    };
    const sync = async () => {
        calls = 0;
        await ledger.sync({ synchronize: counted });
        return calls;
    };
    await sync();
    assert.equal(await sync(), 1, 'nothing new');
    ledger.edit({ hits: 6 });
    assert.equal(await sync(), 1, 'an edit, and nothing new');
    await sync();
    for (const id of ['a', 'b', 'c']) ledger.put(id, { title: id });
    assert.equal(await sync(), 2, 'three new rows');
    ledger.take('a');
    assert.equal(await sync(), 1, 'a deleted row');
});

test('a first pull, too, can go over edits: after one that was stored without its timestamp', async () => {
    const ledger = new Ledger();
    ledger.database.isKilled = () => true;
    await assert.rejects(ledger.sync(), /killed/);
    ledger.edit({ hits: 6 });
    ledger.raise(2, { title: 'Theirs' });
    await assert.rejects(ledger.sync(), /killed/);
    ledger.database.isKilled = null;
    ledger.raise(3, { title: 'Again' });
    ledger.start();
    await ledger.sync();
    assert.deepEqual(ledger.sent, [['hits', 1]]);
});

// Apps that call `synchronize()` themselves.

/** The next pull goes over an edit of `hits` that was made on the first version. */
async function editedBeforeAPull() {
    const ledger = new Ledger();
    await ledger.stock();
    ledger.edit({ hits: 6 });
    ledger.raise(3, { title: 'Theirs' });
    return ledger;
}

test('without sync() the resolver is enough', async () => {
    const ledger = await editedBeforeAPull();
    ledger.instead = REFUSED;
    await assert.rejects(ledger.stock());
    assert.deepEqual(ledger.noted, { 'tasks/t': { hits: 1 } });
    ledger.instead = () => null;
    ledger.start();
    ledger.edit({ title: 'Mine' });
    await ledger.stock();
    assert.deepEqual([ledger.sent, ledger.noted], [[['hits,title', 1, { title: 3 }]], null]);
});

test('without sync() a row that goes back to what it was leaves no base', async () => {
    const ledger = await editedBeforeAPull();
    ledger.instead = REFUSED;
    await assert.rejects(ledger.stock());
    ledger.instead = () => null;
    await ledger.stock();
    for (const [hits, version] of [[7, 5], [8, 7]]) {
        ledger.raise(version, { title: `Theirs ${version}` });
        await ledger.stock();
        ledger.edit({ hits });
        await ledger.stock();
        assert.deepEqual(ledger.sent, [['hits']]);
    }
});

test('without sync() a row that is edited during the push was edited on what was pulled', async () => {
    const ledger = await editedBeforeAPull();
    ledger.onRequest = ({ method }) => method === 'POST' && ledger.edit({ hits: 8 });
    await ledger.stock();
    ledger.onRequest = () => {};
    await ledger.stock();
    assert.deepEqual(ledger.sent, [['hits', 3]]);
});

test('without the resolver nothing is known of what a pull went over', async () => {
    const ledger = await editedBeforeAPull();
    await ledger.stock({ conflictResolver: null });
    assert.deepEqual(ledger.sent, [['hits']]);
});
