import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cascadeOf } from '../lib/data/cascade.js';
import { listed } from '../lib/fields/names.js';
import { moved, next } from '../lib/grid/cursor.js';
import { rowModel, stateOf, wrongFields } from '../lib/grid/row-model.js';
import { scrolledTo, windowOf } from '../lib/grid/window.js';
import { arranged } from '../lib/query/arranged.js';
import { keepChoice, readChoice } from '../lib/query/choice.js';
import { chosenFields, standardColumns } from '../lib/query/columns.js';
import { filterOf } from '../lib/query/filter.js';
import { Query } from '../lib/query/query.js';
import { textOf } from '../lib/fields/format.js';
import { NASTY, catalog, field, names, rowsOf } from './support/schema.js';

const tasks = catalog.collection('tasks');
const task = (id, values = {}) => ({
    id, name: id, status: 'BACKLOG', duration: 1, planned_start: null, assignee: null, parent: null, short_id: id,
    _status: 'synced', _changed: [], ...values,
});

test('of a long table only the rows in sight are shown, and some around them', () => {
    const at = (scrollTop, rest = {}) => windowOf({ scrollTop, height: 400, rowHeight: 40, count: 10_000, ...rest });
    assert.deepEqual(at(0), { first: 0, last: 18 });
    assert.deepEqual(at(4000), { first: 92, last: 118 });
    assert.deepEqual(at(400_000), { first: 9992, last: 10_000 });
    assert.deepEqual(at(0, { count: 0 }), { first: 0, last: 0 });
    assert.deepEqual(at(9999, { count: 3 }), { first: 3, last: 3 }, 'rows have gone meanwhile');
    for (let top = 0; top < 5000; top += 7) {
        const { first, last } = at(top);
        assert.ok(first * 40 <= top && Math.min(10_000, last) * 40 >= top + 400, `at ${top}`);
    }
});

test('a cell is scrolled into sight, and not behind what stays', () => {
    const to = (start, end, scroll) => scrolledTo({ start, end, scroll, size: 400, covered: 40 });
    assert.deepEqual([to(100, 140, 0), to(20, 60, 0), to(500, 540, 0), to(100, 140, 200)], [0, 0, 140, 60]);
    for (let start = 40; start < 2000; start += 13) {
        const scroll = to(start, start + 40, 300);
        assert.ok(start >= scroll + 40 && start + 40 <= scroll + 400, `${start} at ${scroll}`);
    }
});

test('keys move the active cell, and stop at the edges', () => {
    const size = { rows: 50, columns: 4, page: 10 };
    const from = { row: 5, column: 1 };
    const places = Object.fromEntries(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown',
        'Home', 'End']
        .map(key => [key, moved(from, key, size)]).map(([key, { row, column }]) => [key, [row, column]]));
    assert.deepEqual(places,
        { ArrowUp: [4, 1], ArrowDown: [6, 1], ArrowLeft: [5, 0], ArrowRight: [5, 2], PageUp: [0, 1],
        PageDown: [15, 1], Home: [5, 0], End: [5, 3] });
    assert.deepEqual(moved({ row: 0, column: 0 }, 'ArrowUp', size), { row: -1, column: 0 }, 'the headings');
    assert.deepEqual(moved({ row: -1, column: 3 }, 'ArrowRight', size), { row: -1, column: 3 });
    assert.deepEqual(moved(from, 'End', size, true), { row: 49, column: 1 });
    assert.deepEqual(moved({ row: 0, column: 0 }, 'ArrowDown', { ...size, rows: 0 }), { row: -1, column: 0 });
    assert.equal(moved(from, 'x', size), null);
    assert.deepEqual(next({ row: 0, column: 3 }, size), { row: 1, column: 0 });
    assert.equal(next({ row: 49, column: 3 }, size), null);
    assert.equal(next({ row: 0, column: 0 }, size, -1), null);
});

const lists = {
    tasks: [
        task('1', { name: 'Paint 10', status: 'REVIEW', duration: 9, planned_start: '2026-03-29', assignee: 7 }),
        task('2', { name: 'paint 9', duration: 10, parent: '1' }),
        task('3', { name: 'Öl', status: 'COMPLETE', duration: 100 }),
        task('4', { name: 'zero', duration: 0, planned_start: '2025-12-31', assignee: 8 }),
    ],
    memberships: [{ id: 'm', user: 7, display_name: 'Zoe' }, { id: 'n', user: 8, display_name: 'Adam' }],
};
const shown = (known, row) => textOf(known, row[known.name] ?? null, names(lists));
const ids = (query, rows = lists.tasks) =>
    arranged(rows, tasks, tasks.fields, { search: '', filters: new Map(), sort: null, ...query }, shown)
        .map(({ id }) => id).join('');

test('rows are ordered by what people see, numbers in texts included, and those without a value come last', () => {
    const by = (name, descending = false) => ids({ sort: { name, descending } });
    assert.equal(by('name'), '3214');
    assert.equal(by('duration'), '4123');
    assert.equal(by('duration', true), '3214');
    assert.equal(by('status'), '2413', 'in the order of the schema');
    assert.deepEqual([by('planned_start'), by('planned_start', true)], ['4123', '1423']);
    assert.equal(by('assignee'), '4123', 'by name');
    assert.equal(by('parent'), '2134');
    assert.equal(by('gone'), '1234', 'a field that the schema has lost');
});

test('without an order, rows are as they were made, and new ones come last', () => {
    assert.equal(ids({}, [task('n', { short_id: null }), task('b', { short_id: '00000002' }),
        task('c', { short_id: '00000001' })]), 'cbn');
});

test('tasks stand as in the plan, whatever is filtered', () => {
    const rows = [
        task('c', { parent: 'b', short_id: '00000001' }), task('b', { rank: 'V', short_id: '00000002' }),
        task('a', { rank: 'B', short_id: '00000003' }), task('d', { parent: 'a', short_id: '00000004' }),
    ];
    assert.equal(ids({}, rows), 'adbc');
    assert.equal(ids({ filters: new Map([['parent', '*']]) }, rows), 'dc');
});

test('rows that are no tasks are as they were made, and new ones come last', () => {
    const { fields, ...rest } = catalog.collection('risks');
    const row = (id, short_id) => ({ id, short_id, rank: id });
    const made = arranged([row('n', null), row('b', '00000002'), row('c', '00000001')], { fields, ...rest }, fields,
        { search: '', filters: new Map(), sort: null }, () => '');
    assert.equal(made.map(({ id }) => id).join(''), 'cbn');
});

test('filters and the search find what is shown', () => {
    const by = (name, text) => ids({ filters: new Map([[name, text]]) });
    assert.deepEqual([by('name', 'PAINT'), by('name', 'ol'), by('name', ' ')], ['12', '3', '1234']);
    assert.deepEqual([by('duration', '10'), by('duration', '>9'), by('duration', '<=9'), by('duration', '9..10'),
        by('duration', '>')],
        ['2', '23', '14', '12', '1234']);
    assert.deepEqual([by('planned_start', '2026'), by('planned_start', '<2026'), by('planned_start', '>=2026-03'),
        by('planned_start', '2025-12..2026-03')], ['1', '4', '1', '14']);
    assert.deepEqual([by('assignee', '-'), by('assignee', '*'), by('assignee', 'zo')], ['23', '14', '1']);
    assert.equal(by('status', 'Review'), '1');
    assert.equal(by('parent', 'paint 10'), '2');
    assert.deepEqual([ids({ search: 'zoe paint' }), ids({ search: 'adam paint' })], ['1', '']);
    for (const text of NASTY) assert.doesNotThrow(() => by('name', text));
    for (const text of NASTY) assert.doesNotThrow(() => by('duration', text));
    const contained = filterOf(field('tasks', 'name'), '.*');
    assert.equal(contained('x', 'x'), false, 'a filter is no pattern');
});

test('a table begins with the fields that people write, and keeps what was chosen', () => {
    const standard = standardColumns(tasks);
    assert.equal(standard[0], 'name');
    assert.ok(['status', 'assignee', 'planned_start'].every(name => standard.includes(name)), standard.join());
    assert.ok(['early_start', 'modified_at', 'project', 'rank'].every(name => !standard.includes(name)), standard.join());
    const named = chosen => chosenFields(tasks, chosen).map(({ name }) => name);
    assert.deepEqual(named(['status', 'gone', 'name']), ['name', 'status']);
    assert.deepEqual(named(['gone']), standard, 'nothing of the choice is left');
    for (const collection of catalog.collections) assert.ok(standardColumns(collection).length > 0, collection.name);
    const kept = new Map();
    const storage = { getItem: key => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
    keepChoice('tasks', { columns: ['name'], sort: { name: 'name', descending: true } }, storage);
    assert.deepEqual(readChoice('tasks', storage), { columns: ['name'], sort: { name: 'name', descending: true } });
    for (const strange of ['', '{', '[]', '{"columns": 7, "sort": {"name": 7}}']) {
        kept.set('tidemark-table tasks', strange);
        assert.deepEqual(readChoice('tasks', storage), { columns: null, sort: null });
    }
    assert.deepEqual(readChoice('tasks', undefined), { columns: null, sort: null });
});

test('a query keeps columns and order, and forgets what was searched for', () => {
    const kept = new Map();
    const storage = { getItem: key => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
    const query = new Query(tasks, storage);
    const orders = ['name', 'name', 'name', 'status'].map(name => {
        query.sortBy(name);
        return [query.directionOf('name'), query.directionOf('status')].join();
    });
    assert.deepEqual(orders, ['ascending,', 'descending,', ',', ',ascending']);
    query.choose(['status']);
    query.ask({ search: 'paint' });
    query.filter('duration', '>9');
    assert.deepEqual(query.of(lists.tasks, shown).map(({ id }) => id), [], 'only what is shown is searched');
    query.choose(['name', 'status']);
    assert.deepEqual(query.of(lists.tasks, shown).map(({ id }) => id), ['2']);
    const before = query.changes;
    query.clear();
    assert.ok(query.changes > before);
    assert.equal(query.of(lists.tasks, shown).length, 4);
    const again = new Query(tasks, storage);
    assert.deepEqual([again.fields.map(({ name }) => name), again.sort, again.search, again.filters.size],
        [['name', 'status'], { name: 'status', descending: false }, '', 0]);
});

test('a deletion says what goes along, what loses a reference, and what forbids it', () => {
    const rows = rowsOf({
        tasks: [task('top'), task('child', { parent: 'top' }), task('leaf', { parent: 'child' }), task('other'),
            task('a', { parent: 'b' }), task('b', { parent: 'a' })],
        dependencies: [{ id: 'd', predecessor: 'leaf', successor: 'other' },
            { id: 'e', predecessor: 'child', successor: 'leaf' }],
        risks: [{ id: 'r', task_ids: ['child', 'leaf'] }, { id: 'q', task_ids: ['other'] }],
        projects: [{ id: 'p', calendar: 'c' }],
    });
    const of = (collection, id) => cascadeOf(catalog, rows, [{ collection, id }]);
    const { goes, cleared, blockers } = of('tasks', 'top');
    assert.deepEqual([[...goes], [...cleared], [...blockers]],
        [[['tasks', 2], ['dependencies', 2]], [['risks', 1]], []]);
    assert.equal(listed(goes), '2 tasks and 2 dependencies');
    assert.deepEqual([...of('calendars', 'c').blockers], [['projects', 1]]);
    assert.deepEqual([...of('tasks', 'a').goes], [['tasks', 1]], 'a circle ends');
    assert.equal(listed(new Map([['tasks', 1], ['risks', 2], ['time_entries', 1]])),
        '1 task, 2 risks and 1 time entry');
});

test('a row shows how it stands with the server, and which fields were not taken', () => {
    const nothing = { reasons: [], copies: [] };
    const reason = name => ({ field: name, code: 'too_long', detail: '' });
    const copy = (changed, ...reasons) => ({ changed, reasons });
    assert.equal(stateOf(task('t'), nothing), 'synced');
    assert.equal(stateOf(task('t', { _status: 'updated' }), nothing), 'unsent');
    assert.equal(stateOf(task('t', { _status: 'created' }), { reasons: [reason('name')], copies: [] }), 'refused');
    assert.equal(stateOf(task('t'), { reasons: [], copies: [copy(['name'])] }), 'aside');
    assert.deepEqual([...wrongFields({ reasons: [reason('name'), reason(null)], copies: [] })], ['name']);
    assert.deepEqual([...wrongFields({ reasons: [], copies: [copy(['name', 'notes'], reason('name'))] })], ['name']);
    assert.deepEqual([...wrongFields({ reasons: [], copies: [copy(['name', 'notes'], reason(null))] })],
        ['name', 'notes']);
});

test('nasty texts stay texts in what a row shows', () => {
    for (const text of NASTY) {
        const model = rowModel(task('t', { name: text, notes: text }), {
            collection: tasks, fields: [tasks.field('name'), tasks.field('notes')], names: names(lists),
            who: { role: 100, user: 7, isArchived: false }, trouble: { reasons: [], copies: [] },
        });
        assert.equal(model.cells[0].text, text.replace(/[\u202a-\u202e]/g, ''));
        assert.notEqual(model.name.trim(), '');
        assert.doesNotThrow(() => JSON.stringify(model));
    }
});
