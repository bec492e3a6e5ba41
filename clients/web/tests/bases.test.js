import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lostEdit } from '../lib/rows/restored.js';
import { newRecord } from '../lib/rows/record.js';
import { elementOf, sentRow } from '../lib/rows/sent.js';
import { Copy } from './support/copy.js';
import { page, schema, task } from './support/documents.js';

// On which version each field of an upload was edited, with a made-up server.

/** A drain brings a version of the task. */
function bring(copy, version, values = {}) {
    const tasks = { updated: [task('p-1', 'p', version, values)] };
    return copy.page(page({ tasks }, 100 + version, { heads: { p: version } }));
}

/** A copy that has the task at a version. */
async function at(version) {
    const copy = await Copy.open();
    await copy.start();
    await bring(copy, version);
    return copy;
}

const edit = (copy, values, id = 'p-1') => copy.replica.update('tasks', id, values);

/** The next batch, and the bases in it. */
async function sent(copy) {
    const batch = await copy.next();
    return [batch, basesIn(batch)];
}

function basesIn({ body }) {
    const { base_version: base, base_versions: bases } = body.changes.tasks.updated[0];
    return [base, bases];
}

const stored = (copy, id = 'p-1') => copy.database.read(transaction => transaction.get('rows', ['tasks', id]));

/** Changes the stored row as an earlier version of this module does. */
async function rewrite(copy, change) {
    const record = await stored(copy);
    await copy.database.write(transaction => transaction.put('rows', change(record)));
}

test('each field has the version that it was edited on, whatever pulls bring', async () => {
    const copy = await at(5);
    await edit(copy, { name: 'Mine' });
    await bring(copy, 7);
    await edit(copy, { notes: 'Mine', name: 'Mine, too' });
    await bring(copy, 9);
    const [batch, bases] = await sent(copy);
    assert.deepEqual(bases, [5, { notes: 7 }]);
    assert.deepEqual(await copy.next(), batch, 'it is sent again as it was');
});

test('fields of one version are not named', async () => {
    const copy = await at(5);
    await edit(copy, { name: 'Mine' });
    await edit(copy, { notes: 'Mine' });
    await bring(copy, 7);
    const [{ body }] = await sent(copy);
    assert.deepEqual(body.changes.tasks.updated[0],
        { name: 'Mine', notes: 'Mine', project_id: 'p', id: 'p-1', _changed: 'name,notes', base_version: 5 });
});

test('when the oldest edit is settled, the next one is the row\'s base', async () => {
    const copy = await at(5);
    await edit(copy, { name: 'Mine' });
    const batch = await copy.next();
    await bring(copy, 7);
    await edit(copy, { notes: 'Mine' });
    await bring(copy, 8);
    await edit(copy, { parent: 'q-1' });
    await copy.answer(batch, { p: 9 }, { version: 9 });
    assert.deepEqual((await sent(copy))[1], [7, { parent: 8 }]);
});

test('an answer moves no base', async () => {
    const copy = await at(1);
    await edit(copy, { name: 'Mine' });
    await copy.answer(await copy.next(), { p: 3 }, { version: 3 });
    await edit(copy, { name: 'Again' });
    const [batch, bases] = await sent(copy);
    assert.deepEqual(bases, [1, undefined]);
    await bring(copy, 3, { name: 'Both' });
    assert.equal((await copy.row('p-1')).name, 'Again');
    await edit(copy, { name: 'Later', notes: 'Mine' });
    await copy.answer(batch, { p: 4 }, { version: 4 });
    const [next, both] = await sent(copy);
    assert.deepEqual(both, [1, { notes: 3 }], 'what is shown of the name is still the own value');
    await bring(copy, 4);
    await copy.answer(next, { p: 5 }, { version: 5 });
    await bring(copy, 5);
    await edit(copy, { name: 'Last' });
    assert.deepEqual((await sent(copy))[1], [5, undefined]);
});

test('a field that is refused leaves the bases of the others', async () => {
    const copy = await at(1);
    await edit(copy, { name: 'Mine' });
    const batch = await copy.next();
    await bring(copy, 2);
    await edit(copy, { notes: 'Mine' });
    const conflicts = { tasks: [{ id: 'p-1', fields: ['name'] }] };
    await copy.answer(batch, { p: 3 }, { applied: {}, conflicts });
    assert.deepEqual((await sent(copy))[1], [2, undefined]);
});

test('a row that was made here has no base until a drain has brought it', async () => {
    const copy = await at(1);
    await copy.replica.insert('tasks', { id: 'new', project_id: 'p', name: 'New' });
    await edit(copy, { name: 'Newer' }, 'new');
    const batch = await copy.next();
    const { base_version: base, base_versions: bases } = batch.body.changes.tasks.created[0];
    assert.deepEqual([base, bases], [undefined, undefined]);
    await copy.answer(batch, { p: 2 }, { version: 1 });
    await edit(copy, { notes: 'Mine' }, 'new');
    const [next, none] = await sent(copy);
    assert.deepEqual(none, [undefined, undefined]);
    await copy.answer(next, { p: 3 }, { version: 2 });
    await edit(copy, { name: 'Mine' }, 'new');
    await copy.page(page({ tasks: { created: [task('new', 'p', 4)] } }, 110, { heads: { p: 4 } }));
    await edit(copy, { notes: 'Later' }, 'new');
    assert.deepEqual((await sent(copy))[1], [1, { notes: 4 }], 'the name was edited on what was made here');
});

test('so has one of which only a drain tells that it has arrived', async () => {
    const copy = await at(1);
    await copy.replica.insert('tasks', { id: 'new', project_id: 'p', name: 'New' });
    const batch = await copy.next();
    await edit(copy, { name: 'Newer' }, 'new');
    await copy.page(page({ tasks: { created: [task('new', 'p', 2)] } }, 110, { heads: { p: 3 } }));
    await edit(copy, { notes: 'Mine' }, 'new');
    await copy.answer(batch, { p: 2 }, { version: 1 });
    assert.deepEqual((await sent(copy))[1], [1, { notes: 2 }]);
});

test('the one number of an older copy counts for all fields that it has edited', async () => {
    const copy = await at(5);
    await edit(copy, { name: 'Mine', notes: 'Mine' });
    await rewrite(copy, ({ _seenIn, _base: { bases, ...base }, ...record }) => ({ ...record, _base: base }));
    await bring(copy, 7);
    await edit(copy, { name: 'Again', parent: 'q-1' });
    assert.deepEqual((await sent(copy))[1], [5, { parent: 7 }]);
});

test('a window of the version before pulls, and its base is that of all fields', async () => {
    const copy = await at(5);
    await edit(copy, { name: 'Mine' });
    await bring(copy, 7);
    await edit(copy, { notes: 'Mine' });
    await rewrite(copy, ({ _base: { values, edited }, ...record }) =>
        ({ ...record, server_version: 8, _drain: record._drain + 1, _base: { server_version: 8, values, edited } }));
    await edit(copy, { parent: 'q-1' });
    assert.deepEqual((await sent(copy))[1], [5, { parent: 8 }]);
});

test('what such a window has pulled is seen, and what it was answered since can\'t be told', async () => {
    const copy = await at(5);
    await rewrite(copy, record => ({ ...record, server_version: 8, _drain: record._drain + 1 }));
    await edit(copy, { name: 'Mine' });
    const [batch, bases] = await sent(copy);
    assert.deepEqual(bases, [8, undefined]);
    await copy.answer(batch, { p: 9 }, { version: 9 });
    await edit(copy, { name: 'Again' });
    assert.deepEqual((await sent(copy))[1], [8, undefined], 'but not by an answer that comes to this window');
});

test('what a replaced server has lost was edited on the version that it has', () => {
    const tasks = schema().collection('tasks');
    const values = { name: 'Old', notes: '', short_id: 'T', parent: null };
    const record = { ...newRecord('tasks', { id: 't', project_id: 'p', server_version: 3, values }), _drain: 1 };
    const row = sentRow({ ...record, _status: 'updated', _changed: ['name'] }, tasks);
    const base = { server_version: 3, values, edited: 2, bases: {} };
    const dirty = { ...record, _status: 'updated', _changed: ['notes'], _base: base };
    const again = lostEdit(dirty, { ...row, values: { name: 'Mine' }, version: 4 }, true);
    const { base_version: oldest, base_versions: bases } = elementOf(sentRow(again, tasks));
    assert.deepEqual([oldest, bases], [2, { name: 3 }]);
});

test('a server that was restored has fewer versions than the edits knew', async () => {
    const copy = await at(5);
    await edit(copy, { name: 'Mine' });
    await bring(copy, 7);
    await edit(copy, { notes: 'Mine' });
    await copy.replica.reset(true, await copy.replica.state(), true);
    await copy.start();
    assert.deepEqual((await sent(copy))[1], [1, undefined]);
});
