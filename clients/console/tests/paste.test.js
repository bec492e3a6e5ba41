import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, textOfCells } from '../lib/grid/tab-text.js';
import { Columns } from '../lib/plan/list/columns.js';
import { Plan } from '../lib/plan/model/plan.js';
import { PlanBlock } from '../lib/plan/paste/plan-block.js';
import { NASTY, catalog, names, rowsOf } from './support/schema.js';

const ME = { user: 1, role: 100, isArchived: false };
const PEOPLE = { memberships: [{ id: 'm', user: 7, display_name: 'Ada' }, { id: 'n', user: 8, display_name: 'Bo' }] };
const task = (id, values) => ({
    id, parent: null, name: id, wbs_path: id, short_id: id, duration: 1, percent_complete: 0, planned_start: null,
    status: 'NOT_STARTED', assignee: null, is_critical: null, is_milestone: false, ...values,
});

/** What a text makes of a plan, when it is pasted at a row and a column. */
function block(text, { tasks = [], from = 0, column = 0, ...more } = {}) {
    const plan = new Plan();
    plan.setTasks(tasks);
    const data = { who: ME, names: names(PEOPLE), rowsOf: rowsOf(PEOPLE) };
    const columns = new Columns({ workingDays: () => plan.workingDays, names: () => data.names });
    columns.setCollection(catalog.collection('tasks'));
    return new PlanBlock(cellsOf(text), { plan, columns, shown: columns.all.slice(column), from, data, ...more });
}
const valuesOf = (...given) => block(...given).lines.map(({ values }) => values);

test('cells survive the way through the clipboard', () => {
    for (const text of [...NASTY, '"quoted"', 'a "b"', 'tab\there', '']) {
        const rows = [[text, 'x'], ['y', text]];
        const normal = rows.map(row => row.map(cell => cell.replace(/\r\n?/g, '\n')));
        assert.deepEqual(cellsOf(textOfCells(rows)), normal, JSON.stringify(text));
    }
    assert.deepEqual(cellsOf('a\tb\r\nc\td\r\n'), [['a', 'b'], ['c', 'd']]);
    assert.deepEqual(cellsOf('"un"ended\n"x'), [['"un"ended'], ['"x']]);
});

test('columns follow one another from the cell on, and rows behind the last one are new', () => {
    const found = block('Dig\t2026-03-02\t2026-03-06\nPour\t2026-03-09', { tasks: [task('1')] });
    assert.deepEqual(found.lines.map(({ state, values }) => [state, values]), [
        ['changed', { name: 'Dig', planned_start: '2026-03-02', duration: 5 }],
        ['new', { name: 'Pour', planned_start: '2026-03-09' }],
    ]);
    assert.equal(found.summary, '2 rows: 1 new, 1 changed');
    assert.deepEqual(valuesOf('3\t50 %', { tasks: [task('1')], column: 3 }), [{ duration: 3, percent_complete: 50 }]);
});

test('a first row of names says which columns there are; others are left out and named', () => {
    const found = block('Duration\tCost\tTask Name\tResource Names\n2 wks\t9\tDig\tada\n5 days?\t8\tPour\tBO');
    assert.deepEqual(found.lines.map(({ values }) => values), [
        { name: 'Dig', duration: 10, assignee: 7 }, { name: 'Pour', duration: 5, assignee: 8 },
    ]);
    assert.deepEqual(found.leftOut, ['Cost']);
    assert.equal(block('Start\tFinish').lines.length, 1, 'without a name it is a row like any other');
});

test('what is not understood is said, and the rest of the row counts', () => {
    const found = block('Dig\tsoon\t\t3\t120\tNobody\tDone\n\t2026-03-02');
    const [dig, nameless] = found.lines;
    assert.deepEqual(dig.values, { name: 'Dig', duration: 3 });
    const wrong = [...dig.problems.keys()].map(({ name }) => name).sort();
    assert.deepEqual(wrong, ['assignee', 'percent', 'start', 'status']);
    assert.equal(nameless.state, 'wrong');
    assert.equal(found.summary, '2 rows: 1 new, 2 not understood');
    assert.match(block('X\t2026-03-02', { tasks: [task('p'), task('c', { parent: 'p' })] }).lines[0].problems.values()
        .next().value, /comes from/);
});

test('done and complete are set together, and a row that is as it was is left', () => {
    assert.deepEqual(valuesOf('a\t100%', { tasks: [task('a')], column: 0 })[0].name, 'a');
    const same = block('a\t\t\t1', { tasks: [task('a')] });
    assert.equal(same.lines[0].state, 'same');
});

test('names that stand to the right are below the one before', () => {
    const levels = text => block(text, { isNew: true }).lines.map(({ level }) => level);
    assert.deepEqual(levels('A\n    B\n    C\n        D\n    E\nF'), [0, 1, 1, 2, 1, 0]);
    assert.deepEqual(levels('  A\n      B\n  C'), [0, 1, 0]);
    assert.deepEqual(levels('A\n   B\n  C\n D'), [0, 1, 1, 1]);
    assert.deepEqual(levels('A\n\u00a0B'), [0, 1]);
});

test('two thousand rows are read at once', () => {
    const text = Array.from({ length: 2000 }, (_, place) => `Task ${place}\t2026-03-02\t\t3\t50\tAda`).join('\n');
    const found = block(text);
    assert.equal(found.summary, '2,000 rows: 2,000 new');
});
