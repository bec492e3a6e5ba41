import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateOf } from '../lib/plan/model/days.js';
import { Plan } from '../lib/plan/model/plan.js';

const task = (id, values) => ({
    id, parent: null, name: id, wbs_path: null, short_id: id, duration: 1, percent_complete: 0, planned_start: null,
    scheduled_start: null, early_start: null, is_critical: null, is_milestone: false, ...values,
});
function planOf(...tasks) {
    const plan = new Plan();
    plan.setTasks(tasks);
    return plan;
}
const bar = (plan, id) => {
    const { kind, start, end, percent, isCritical } = plan.node(id).bar;
    return [kind, start && dateOf(start), end && dateOf(end), percent, isCritical];
};

test('a bar begins where it was planned, otherwise where it was scheduled', () => {
    const plan = planOf(
        task('a', { planned_start: '2026-03-02', scheduled_start: '2026-03-09', duration: 6 }),
        task('b', { scheduled_start: '2026-03-09', early_start: '2026-03-03' }),
        task('c', { early_start: '2026-03-03' }), task('d', {}));
    assert.deepEqual(bar(plan, 'a'), ['task', '2026-03-02', '2026-03-09', 0, false]);
    assert.deepEqual(bar(plan, 'b'), ['task', '2026-03-09', '2026-03-09', 0, false]);
    assert.deepEqual(bar(plan, 'c'), ['task', '2026-03-03', '2026-03-03', 0, false]);
    assert.deepEqual(bar(plan, 'd'), ['none', null, null, 0, false]);
});

test('a schema without lengths and percentages has bars of a day', () => {
    const plan = planOf({ id: 'p', name: 'p' }, { id: 'a', name: 'a', parent: 'p', planned_start: '2026-03-02' });
    assert.deepEqual(bar(plan, 'a'), ['task', '2026-03-02', '2026-03-02', 0, false]);
    assert.deepEqual(bar(plan, 'p'), ['summary', '2026-03-02', '2026-03-02', 0, false]);
});

test('what has no length is a milestone', () => {
    const plan = planOf(
        task('a', { planned_start: '2026-03-02', duration: 0 }),
        task('b', { planned_start: '2026-03-02', duration: 3, is_milestone: true }));
    for (const id of ['a', 'b']) assert.deepEqual(bar(plan, id), ['milestone', '2026-03-02', '2026-03-02', 0, false]);
});

test('a parent spans what is below it, and weighs percentages by length', () => {
    const plan = planOf(
        task('p', { duration: 99 }), task('q', { parent: 'p' }),
        task('a', { parent: 'q', planned_start: '2026-03-02', duration: 3, percent_complete: 100 }),
        task('b', { parent: 'q', planned_start: '2026-03-05', duration: 1, is_critical: true }),
        task('c', { parent: 'p' }));
    assert.deepEqual(bar(plan, 'q'), ['summary', '2026-03-02', '2026-03-05', 75, false]);
    assert.deepEqual(bar(plan, 'p'), ['summary', '2026-03-02', '2026-03-05', 75, false]);
    assert.deepEqual(Object.values(plan.span).map(dateOf), ['2026-03-02', '2026-03-05']);
});

test('a change is shown at once, in all that is above it', () => {
    const plan = planOf(task('p'), task('a', { parent: 'p', planned_start: '2026-03-02' }));
    plan.change('a', { planned_start: '2026-03-10' });
    assert.deepEqual(bar(plan, 'p'), ['summary', '2026-03-10', '2026-03-10', 0, false]);
});

test('another calendar makes other bars', () => {
    const plan = planOf(task('a', { planned_start: '2026-03-06', duration: 2 }));
    plan.setCalendar({ working_days: 127, exceptions: [] });
    assert.deepEqual(bar(plan, 'a').slice(1, 3), ['2026-03-06', '2026-03-07']);
});

test('rows know their place, whatever is collapsed', () => {
    const plan = planOf(task('a'), task('b', { parent: 'a' }), task('c', { parent: 'b' }), task('d'));
    assert.deepEqual(['a', 'b', 'c', 'd'].map(id => plan.indexOf(id)), [0, 1, 2, 3]);
    plan.toggle('a');
    assert.deepEqual(['a', 'b', 'c', 'd', 'x'].map(id => plan.indexOf(id)), [0, -1, -1, 1, -1]);
    plan.toggleAll(false);
    plan.reveal('c');
    assert.deepEqual(['a', 'b', 'c', 'd'].map(id => plan.indexOf(id)), [0, 1, 2, 3]);
    plan.toggle('d');
    assert.equal(plan.collapsed.size, 0, 'nothing is below it');
});

test('links join tasks that are there', () => {
    const plan = planOf(task('a'), task('b'));
    plan.setDependencies([
        { id: '1', predecessor: 'a', successor: 'b', dep_type: 'SS', lag: 2 },
        { id: '2', predecessor: 'a', successor: 'gone', dep_type: 'FS', lag: 0 },
    ]);
    const links = plan.links.map(({ from, to, kind, lag }) => [from.task.id, to.task.id, kind, lag]);
    assert.deepEqual(links, [['a', 'b', 'SS', 2]]);
    plan.setTasks([task('b')]);
    assert.deepEqual(plan.links, []);
});
