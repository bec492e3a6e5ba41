import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Answer } from '../lib/rows/answer.js';
import { lostEdit } from '../lib/rows/restored.js';
import { firstThatFit, inOrder } from '../lib/rows/order.js';
import { readPage } from '../lib/rows/page.js';
import { asBase, merged, newRecord } from '../lib/rows/record.js';
import { sentRow } from '../lib/rows/sent.js';
import { settlement } from '../lib/rows/settlement.js';
import { areSame } from '../lib/rows/values.js';
import * as documents from './support/documents.js';

const schema = documents.schema();
const tasks = schema.collection('tasks');
const values = { name: 'Old', notes: '', short_id: 'T', parent: null };
const record = (id, rest = {}, status = 'synced') =>
    ({ ...newRecord('tasks', { id, project_id: 'p', server_version: 3, values }, status), ...rest });
const edited = (changes, rest = {}) => {
    const row = record('t');
    return {
        ...row, values: { ...values, ...changes }, _status: 'updated', _changed: Object.keys(changes),
        _base: asBase(row), ...rest,
    };
};
const applied = (version, kept = []) => ({ is: 'applied', version, kept });

test('a page leaves what is edited here, and keeps the server\'s side of it', () => {
    const theirs = { id: 't', server_version: 4, values: { name: 'Theirs', notes: 'N' } };
    const row = merged(edited({ name: 'Mine' }), theirs);
    assert.deepEqual([row.values.name, row.values.notes, row._changed, row.server_version], ['Mine', 'N', ['name'], 4]);
    assert.deepEqual([row._base.values.name, row._base.server_version], ['Theirs', 4]);
});

test('a row that is deleted here stays so, unless the server has made it again', () => {
    const gone = record('t', { _status: 'deleted', _base: asBase(record('t')) });
    const row = { id: 't', server_version: 4, values: { name: 'Theirs' } };
    assert.equal(merged(gone, row, 'updated')._status, 'deleted');
    const { _status, values: after } = merged(gone, row, 'created');
    assert.deepEqual([_status, after.name], ['synced', 'Theirs']);
});

test('an answer settles what was sent, and not what was edited since', () => {
    const sent = sentRow(edited({ name: 'Mine', notes: 'One' }), tasks);
    const { record: row, lost } = settlement(edited({ name: 'Mine', notes: 'Two' }), sent, applied(4));
    assert.deepEqual([row._status, row._changed, row.server_version, lost], ['updated', ['notes'], 4, null]);
    assert.deepEqual([row._base.values.notes, row._base.values.name], ['One', 'Mine']);
    const local = edited({ name: 'Mine' });
    assert.equal(settlement(local, sentRow(local, tasks), applied(4)).record._status, 'synced');
});

test('an edit is made on what a drain has brought, not on the version of an answer', () => {
    const local = { ...edited({ name: 'Mine' }), _seen: 3 };
    const { record: row } = settlement(local, sentRow(local, tasks), applied(5));
    assert.deepEqual([row.server_version, asBase(row).edited], [5, 3]);
    const drained = merged(row, { id: 't', server_version: 6, values: {} });
    assert.equal(asBase(drained).edited, 6);
    const made = newRecord('tasks', { id: 't', project_id: 'p', values }, 'created');
    const answered = settlement(made, sentRow(made, tasks), applied(4)).record;
    assert.deepEqual([answered.server_version, asBase(answered).edited], [4, 1]);
    const { _seen, ...older } = record('t');
    assert.equal(asBase(older).edited, 3, 'in a copy of an earlier version of this module');
});

test('a value that a drain has delivered after the answer stays', () => {
    const base = { server_version: 5, values: { ...values, name: 'Theirs' } };
    const local = edited({ name: 'Mine' }, { _base: base, server_version: 5 });
    const { record: row } = settlement(local, sentRow(local, tasks), applied(4));
    assert.deepEqual([row.values.name, row._status, row.server_version], ['Theirs', 'synced', 5]);
});

test('a refused edit is taken back, and a copy goes aside', () => {
    const local = edited({ name: 'Mine', notes: 'Later' });
    const sent = sentRow(edited({ name: 'Mine' }), tasks);
    const reasons = [{ field: 'name', code: 'field_forbidden' }];
    const { record: row, lost } = settlement(local, sent, { is: 'refused', reasons });
    assert.deepEqual([row.values.name, row.values.notes], ['Old', 'Later']);
    assert.deepEqual([row._changed, lost], [['notes'], 'field_forbidden']);
});

test('a place that somebody else has given a row stands, and the other edits stay unsent', () => {
    const reasons = [{ field: 'rank', code: 'conflict' }];
    const withRank = documents.schema('v1', { rank: { type: ['string', 'null'] } }).collection('tasks');
    const settled = (local, sent = local, each = reasons) =>
        settlement(local, sentRow(sent, withRank), { is: 'refused', reasons: each });
    const base = { server_version: 4, edited: 3, values: { ...values, rank: 'Theirs' } };
    const both = edited({ rank: 'Mine', name: 'Mine' }, { _base: base });
    const { record: row, lost, yields } = settled(both);
    assert.deepEqual([row.values.rank, row.values.name, row._changed], ['Theirs', 'Mine', ['name']]);
    assert.deepEqual([row._base.edited, lost, yields], [3, null, true]);
    const only = settled(edited({ rank: 'Mine' }, { _base: base }));
    assert.deepEqual([only.record.values.rank, only.record._status, only.yields], ['Theirs', 'synced', true]);
    const again = settled(edited({ rank: 'Later' }, { _base: base }), edited({ rank: 'Mine' }, { _base: base }));
    assert.deepEqual([again.record.values.rank, again.record._changed], ['Later', ['rank']], 'moved again meanwhile');
    for (const other of [{ field: 'parent', code: 'conflict' }, { field: 'rank', code: 'bad_format' }]) {
        assert.ok(settled(both, both, [...reasons, other]).lost !== null, JSON.stringify(other));
    }
});

test('a new row that is refused stays unsent; an edit whose row is gone goes aside', () => {
    const made = record('t', { server_version: 0 }, 'created');
    const reasons = [{ field: null, code: 'forbidden' }];
    const kept = settlement(made, sentRow(made, tasks), { is: 'notCreated', reasons });
    assert.deepEqual([kept.record, kept.refusals], [made, reasons]);
    const local = edited({ name: 'Mine' });
    const gone = settlement(local, sentRow(local, tasks), { is: 'skipped', code: 'deleted' });
    assert.deepEqual([gone.record, gone.lost], [null, 'deleted']);
    const archived = settlement(local, sentRow(local, tasks),
        { is: 'notCreated', reasons: [{ code: 'project_archived' }] });
    assert.equal(archived.record, local);
});

test('a deletion waits for its tombstone', () => {
    const gone = record('t', {}, 'deleted');
    assert.equal(settlement(gone, sentRow(gone, tasks), applied(0)).record, gone);
});

test('what a replaced server lacks is unsent again, unless it has it or something later', () => {
    const sent = { ...sentRow(edited({ name: 'Mine' }), tasks), version: 4 };
    assert.equal(lostEdit(record('t', { server_version: 4 }), sent, true), null);
    assert.equal(lostEdit(record('t', { values: { ...values, name: 'Mine' } }), sent, true), null);
    const again = lostEdit(record('t'), sent, true);
    assert.deepEqual([again._status, again._changed, again.values.name, again._base.values.name],
        ['updated', ['name'], 'Mine', 'Old']);
    const made = { ...sentRow(record('t', {}, 'created'), tasks), version: 1 };
    assert.equal(lostEdit(record('t'), made, false)._status, 'created');
});

test('parents come before children, a project with its calendar, and deletions of parents last', () => {
    const row = (collection, id, bucket, own = {}, project_id = 'p') =>
        ({ collection, id, project_id, bucket, changed: [], values: own });
    const groups = inOrder([
        row('tasks', 'gone', 'deleted'), row('tasks', 'child', 'created', { parent: 'top' }),
        row('tasks', 'top', 'created', {}, 'new'), row('risks', 'r', 'deleted'), row('tasks', 'e', 'updated'),
        row('risks', 'made', 'created', { task_ids: ['child'] }),
        row('projects', 'new', 'created', { calendar: 'c' }, 'new'),
        row('calendars', 'c', 'created', {}, 'new'),
    ], schema);
    const ids = groups.map(group => group.map(({ id }) => id).sort().join('+'));
    assert.deepEqual(ids, ['r', 'c+new', 'top', 'child', 'made', 'e', 'gone']);
    const sizes = [1, 2, 100].map(rows => firstThatFit(groups, { rows, bytes: 1e6 }).length);
    assert.deepEqual(sizes, [1, 1, 8]);
});

test('an order is found for a chain that is too long for recursion', () => {
    const chain = Array.from({ length: 20_000 }, (_, index) => ({
        collection: 'tasks', id: `t${index}`, project_id: 'p', bucket: 'created', changed: [],
        values: { parent: `t${index + 1}` },
    }));
    assert.equal(inOrder(chain, schema)[0][0].id, 't19999');
});

test('only the edited fields of a row are sent, without those of the server', () => {
    const { values: sent, changed } = sentRow(edited({ name: 'Mine', short_id: 'X' }), tasks);
    assert.deepEqual([sent, changed], [{ name: 'Mine' }, ['name']]);
});

test('an answer about another batch, or without its commits, is no answer', () => {
    const answer = { client_batch_id: 'B', timestamps: { p: 4 }, applied: {} };
    assert.ok(new Answer(answer, 'b', null));
    assert.throws(() => new Answer(answer, 'c', null), { code: 'invalid_answer' });
    assert.throws(() => new Answer({ client_batch_id: 'b', applied: {} }, 'b', null), { code: 'invalid_answer' });
});

test('a page that is not as in the protocol is refused as a whole', () => {
    const good = documents.page({ tasks: { updated: [documents.task('t', 'p')] } }, 9);
    assert.equal(readPage(good, schema, null).count, 1);
    const row = documents.task('t', 'p');
    const wrong = [
        null, { ...good, timestamp: '9' }, { ...good, changes: undefined }, { ...good, has_more: true },
        { ...good, heads: undefined }, { ...good, left_projects: [{ project_id: 'p', code: 'other' }] },
        documents.page({ tasks: { updated: [row, row] } }, 9), documents.page({ tasks: { deleted: [7] } }, 9),
        documents.page({ tasks: { updated: [{ ...row, name: 7 }] } }, 9),
        documents.page({ tasks: { updated: [{ ...row, project_id: undefined }] } }, 9),
        documents.page({ tasks: { updated: [{ ...row, server_version: 0 }] } }, 9),
        { ...good, changes: { tasks: { updated: [] } } }, { ...good, digest: { p: { tasks: { count: 1 } } } },
    ];
    for (const each of wrong) assert.throws(() => readPage(each, schema, null), { code: 'invalid_answer' });
});

test('JSON values are equal by content', () => {
    assert.ok(areSame({ a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] }));
    for (const [one, other] of [[[1], { 0: 1 }], [null, {}], [{ a: 1 }, { b: 1 }], ['1', 1], [[1, 2], [1]]]) {
        assert.ok(!areSame(one, other));
    }
});
