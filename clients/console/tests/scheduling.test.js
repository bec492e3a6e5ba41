import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateOf, dayOf } from '../lib/plan/model/days.js';
import { Plan } from '../lib/plan/model/plan.js';
import { Scheduler } from '../lib/plan/model/scheduler.js';
import { moved } from '../lib/plan/view/drag.js';
import * as library from '../tidemark/lib/schedule/index.js';
import { bigPlan } from './support/big-plan.js';

const TODAY = dayOf('2026-03-18');
const task = (id, values) => ({
    id, parent: null, name: id, duration: 1, percent_complete: 0, planned_start: null, is_milestone: false, ...values,
});
const link = (predecessor, successor, values) =>
    ({ id: `${predecessor}${successor}`, predecessor, successor, dep_type: 'FS', lag: 0, ...values });

/** A plan with its schedule. */
function planOf(tasks, dependencies = []) {
    const plan = new Plan();
    plan.setStart('2026-03-02');
    plan.setTasks(tasks);
    plan.setDependencies(dependencies);
    new Scheduler(plan, () => {}, { library }).compute(TODAY);
    return plan;
}
const bar = (plan, id) => {
    const { start, end } = plan.node(id).bar;
    return [start && dateOf(start), end && dateOf(end)];
};

test('a task without a date stands where its links let it, whatever a scheduler has said', () => {
    const plan = planOf([
        task('a', { planned_start: '2026-03-02', duration: 3 }),
        task('b', { duration: 2, scheduled_start: '2026-06-01', early_start: '2026-06-01' }),
    ], [link('a', 'b')]);
    assert.deepEqual(bar(plan, 'b'), ['2026-03-05', '2026-03-06']);
    assert.deepEqual(moved(plan.node('b').task, 7, plan.workingDays), { planned_start: '2026-03-12' });
});

test('a task with a scheduler\'s date and no links stays there', () => {
    assert.deepEqual(bar(planOf([task('a', { scheduled_start: '2026-06-01' })]), 'a'), ['2026-06-01', '2026-06-01']);
});

test('a bar stands where the task began, and ends where it ended', () => {
    const plan = planOf([
        task('a', { planned_start: '2026-03-02', actual_start: '2026-03-04', duration: 3 }),
        task('b', { planned_start: '2026-03-02', actual_start: '2026-03-04', actual_finish: '2026-03-16', duration: 3 }),
        task('c', { planned_start: '2026-03-02', actual_finish: '2026-03-05', is_milestone: true }),
        task('d', { actual_finish: '2026-03-10', duration: 3 }),
    ]);
    assert.deepEqual(bar(plan, 'a'), ['2026-03-04', '2026-03-06']);
    assert.deepEqual(bar(plan, 'b'), ['2026-03-04', '2026-03-16']);
    assert.deepEqual(bar(plan, 'c'), ['2026-03-05', '2026-03-05']);
    assert.deepEqual(bar(plan, 'd'), ['2026-03-06', '2026-03-10']);
});

test('what is critical and overdue is computed, and an old flag does not count', () => {
    const plan = planOf([
        task('p', { is_critical: true }), task('a', { parent: 'p', planned_start: '2026-03-02', is_critical: true }),
        task('b', { planned_start: '2026-03-20', duration: 5 }),
    ]);
    const told = id => [plan.node(id).bar.isCritical, plan.node(id).bar.isOverdue];
    assert.deepEqual([told('p'), told('a'), told('b')], [[false, true], [false, true], [true, false]]);
});

test('a broken link knows why', () => {
    const plan = planOf([
        task('a', { planned_start: '2026-03-02', duration: 5 }), task('b', { planned_start: '2026-03-04' }),
        task('c', { planned_start: '2026-03-20' }),
    ], [link('a', 'b'), link('b', 'c'), link('c', 'c')]);
    assert.deepEqual(plan.links.map(({ broken }) => broken), [
        { reason: 'dates', task: 'b', end: 'start', days: 3, day: dayOf('2026-03-09') }, null,
        { reason: 'cycle', task: null, end: null, days: 0, day: null },
    ]);
    plan.setDependencies([link('a', 'b')]);
    assert.equal(plan.links[0].broken.days, 3, 'until there is another schedule');
});

test('a bar that is dragged breaks links meanwhile', () => {
    const plan = planOf([task('a', { planned_start: '2026-03-02' }), task('b', { planned_start: '2026-03-03' })],
        [link('a', 'b')]);
    plan.change('a', { planned_start: '2026-03-04' });
    new Scheduler(plan, () => {}, { library }).compute(TODAY);
    assert.deepEqual(plan.links[0].broken, { reason: 'dates', task: 'b', end: 'start', days: 2, day: dayOf('2026-03-05') });
});

test('a large plan is computed in pieces, and a change begins anew', () => {
    const plan = new Plan();
    const { tasks, dependencies } = bigPlan(3000);
    plan.setTasks(tasks.map(each => task(each.id, each)));
    plan.setDependencies(dependencies);
    const waits = [];
    let [time, done, stopped] = [0, 0, 0];
    const wait = callback => {
        waits.push(callback);
        return () => { stopped += 1; };
    };
    const scheduler = new Scheduler(plan, () => { done += 1; }, {
        library, now: () => { time += 4; return time; }, wait,
    });
    scheduler.compute(TODAY);
    waits.shift()();
    assert.deepEqual([done, waits.length], [0, 1]);
    scheduler.compute(TODAY);
    assert.equal(stopped, 1);
    waits.shift();
    let pieces = 0;
    for (; waits.length > 0; pieces += 1) waits.shift()();
    assert.equal(done, 1);
    assert.ok(pieces > 5, `${pieces} pieces`);
    assert.ok(plan.links.some(({ broken }) => broken?.reason === 'dates'));
});

test('what computes is fetched when it is needed, and computes the plan as it is by then', async () => {
    const plan = new Plan();
    let [loads, done, answer] = [0, 0, null];
    const load = () => {
        loads += 1;
        return new Promise((resolve, reject) => { answer = { resolve, reject }; });
    };
    const scheduler = new Scheduler(plan, () => { done += 1; }, { load });
    assert.equal(scheduler.fresh(), null);
    scheduler.compute(TODAY);
    answer.reject(new Error('there is no network'));
    await new Promise(resolve => setTimeout(resolve));
    scheduler.compute(TODAY);
    plan.setTasks([task('a', { planned_start: '2026-03-02' })]);
    scheduler.compute(TODAY);
    answer.resolve(library);
    await new Promise(resolve => setTimeout(resolve));
    assert.deepEqual([loads, done, plan.schedule.of('a').isCritical], [2, 1, true]);
    assert.equal(scheduler.fresh().of('a').isCritical, true);
});

test('a plan that was left is not computed any more', async () => {
    const plan = new Plan();
    let answer;
    const scheduler = new Scheduler(plan, () => {}, { load: () => new Promise(resolve => { answer = resolve; }) });
    scheduler.compute(TODAY);
    scheduler.stop();
    answer(library);
    await new Promise(resolve => setTimeout(resolve));
    assert.equal(plan.schedule, null);
});
