import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder } from '../../web/lib/order/index.js';
import { goesWith } from '../lib/edit/goes-with.js';
import { catalog, rowsOf } from './support/schema.js';

const tasks = catalog.collection('tasks');
const task = (id, parent, rank) => ({ id, parent, rank, short_id: id, status: 'NOT_STARTED', percent_complete: 0 });
const all = [
    task('walls', null, 'K'), task('roof', null, 'M'), task('north', 'walls', 'C'), task('south', 'walls', 'T'),
    task('tiles', 'roof', 'D'), task('gutter', 'roof', 'E'),
];
const rows = rowsOf({ tasks: all });

/** The names below a parent, once an edit is made. */
function below(parent, id, values, { others = [] } = {}) {
    const made = new Map([[id, values], ...others.map(each => [each.id, each.update])]);
    return inOrder(all.map(row => ({ ...row, ...made.get(row.id) })).filter(row => row.parent === parent))
        .map(row => row.id).join();
}

test('another parent is another place: the last one below it', () => {
    const set = (id, parent) => {
        const done = goesWith(tasks, all.find(row => row.id === id), { parent }, rows);
        assert.deepEqual(Object.keys(done.values), ['parent', 'rank']);
        return below(parent, id, done.values, done);
    };
    assert.equal(set('tiles', 'walls'), 'north,south,tiles');
    assert.equal(set('tiles', null), 'walls,roof,tiles');
    assert.equal(set('walls', 'tiles'), 'walls');
});

test('where there is no room behind the last one, it gets another place, too', () => {
    const full = all.map(row => (row.id === 'south' ? { ...row, rank: `Vz${'z'.repeat(126)}` } : row));
    const { values, others } = goesWith(tasks, full[4], { parent: 'walls' }, rowsOf({ tasks: full }));
    assert.deepEqual(others.map(({ id, expected }) => [id, expected.rank]), [['south', full[3].rank]]);
    assert.equal(below('walls', 'tiles', values, { others }), 'north,south,tiles');
});

test('other edits, and schemas without ranks, are as they were', () => {
    assert.deepEqual(goesWith(tasks, all[0], { name: 'x' }, rows), { values: { name: 'x' }, others: [] });
    assert.deepEqual(goesWith(tasks, all[0], { percent_complete: 100 }, rows).values,
        { percent_complete: 100, status: 'COMPLETE' });
    const risks = catalog.collection('risks');
    assert.deepEqual(goesWith(risks, {}, { parent: 'x' }, rows), { values: { parent: 'x' }, others: [] });
    const without = Object.create(tasks, { field: { value: name => (name === 'rank' ? null : tasks.field(name)) } });
    assert.deepEqual(goesWith(without, all[0], { parent: null }, rows).values, { parent: null });
});
