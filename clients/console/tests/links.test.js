import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenText, whyNotText } from '../lib/plan/links/words.js';
import { dateOf, dayOf } from '../lib/plan/model/days.js';
import { whyNotLinked } from '../lib/plan/model/links.js';
import { Plan } from '../lib/plan/model/plan.js';
import { Scheduler } from '../lib/plan/model/scheduler.js';
import * as library from '../tidemark/lib/schedule/index.js';

// 2026-03-02 is a Monday; 2026-03-13, a Friday, is a day off.
const CALENDAR = { working_days: 31, exceptions: [{ exc_start: '2026-03-13', exc_end: '2026-03-13' }] };
const task = (id, planned_start, duration = 5, more = {}) => ({
    id, parent: null, name: id, wbs_path: null, short_id: id, percent_complete: 0, is_milestone: false, planned_start,
    duration, ...more,
});

function planOf(tasks, ...links) {
    const plan = new Plan();
    plan.setCalendar(CALENDAR);
    plan.setTasks(tasks);
    plan.setDependencies(links.map(([predecessor, successor, dep_type = 'FS', lag = 0]) =>
        ({ id: `${predecessor} ${successor}`, predecessor, successor, dep_type, lag })));
    new Scheduler(plan, () => {}, { library }).compute(dayOf(A[0]));
    return plan;
}

/** What the only link from a to b says: which end of which task is too early, and the first day for it. */
function breach(kind, lag, from, to, ...others) {
    const plan = planOf([task('a', ...from), task('b', ...to), ...others], ['a', 'b', kind, lag]);
    const [{ broken }] = plan.links;
    return broken && [broken.task, broken.end, dateOf(broken.day)];
}

// From Monday 2 to Friday 6 March.
const A = ['2026-03-02'];

test('a task begins on the working day after the one that it waits for', () => {
    assert.equal(breach('FS', 0, A, ['2026-03-09']), null);
    assert.equal(breach('FS', 0, A, ['2026-03-07']), null, 'from Saturday on is from Monday on');
    assert.deepEqual(breach('FS', 0, A, ['2026-03-06']), ['b', 'start', '2026-03-09']);
});

test('the lag counts working days, forwards and backwards', () => {
    assert.equal(breach('FS', 4, A, ['2026-03-16']), null, 'four days and the day off');
    assert.deepEqual(breach('FS', 4, A, ['2026-03-12']), ['b', 'start', '2026-03-16']);
    assert.equal(breach('FS', -1, A, ['2026-03-06']), null);
    assert.equal(breach('FS', -5, A, ['2026-03-02']), null);
    assert.deepEqual(breach('FS', -2, A, ['2026-03-04']), ['b', 'start', '2026-03-05']);
});

test('each kind joins its ends', () => {
    assert.equal(breach('SS', 0, A, ['2026-03-02']), null);
    assert.deepEqual(breach('SS', 2, A, ['2026-03-03']), ['b', 'start', '2026-03-04']);
    assert.deepEqual(breach('SS', 0, A, ['2026-02-27']), ['b', 'start', '2026-03-02']);
    assert.equal(breach('FF', 0, A, ['2026-03-06', 1]), null);
    assert.deepEqual(breach('FF', 1, A, ['2026-03-06', 1]), ['b', 'finish', '2026-03-09']);
    assert.equal(breach('SF', 0, A, ['2026-02-25', 3]), null, 'it ends on Friday, before Monday');
    assert.deepEqual(breach('SF', 1, A, ['2026-02-25', 3]), ['b', 'finish', '2026-03-02']);
});

test('a milestone may be on the last day of what it waits for, and what waits for it begins on its day', () => {
    assert.equal(breach('FS', 0, A, ['2026-03-06', 0]), null);
    assert.equal(breach('FS', 0, A, ['2026-03-09', 0]), null);
    assert.deepEqual(breach('FS', 0, A, ['2026-03-05', 0]), ['b', 'finish', '2026-03-06']);
    assert.equal(breach('FS', 0, ['2026-03-06', 0], ['2026-03-06']), null);
    assert.deepEqual(breach('FS', 0, ['2026-03-06', 0], ['2026-03-05']), ['b', 'start', '2026-03-06']);
});

test('a link to a parent counts for each task below it, and one from a parent from its end', () => {
    const child = (id, start, more) => task(id, start, 1, { parent: 'b', ...more });
    assert.equal(breach('FS', 0, A, [null], child('c', '2026-03-09'), child('d', '2026-03-10')), null);
    assert.deepEqual(breach('FS', 0, A, [null], child('c', '2026-03-09'), child('d', '2026-03-05')),
        ['d', 'start', '2026-03-09']);
    const plan = planOf([task('p', null), task('a', '2026-03-02', 5, { parent: 'p' }), task('b', '2026-03-05')],
        ['p', 'b']);
    assert.equal(dateOf(plan.links[0].broken.day), '2026-03-09');
});

test('what is finished, or stands where its links let it, breaks no link', () => {
    assert.deepEqual(breach('FS', 0, [null], ['2026-03-02']), ['b', 'start', '2026-03-09'], 'a begins with the project');
    assert.equal(breach('FS', 0, A, [null]), null);
    assert.equal(breach('FS', 0, A, ['2026-03-02', 5, { percent_complete: 100 }]), null);
});

test('a broken link says what is too early, and since when it would not be', () => {
    const plan = planOf([task('a', '2026-03-02'), task('b', '2026-03-04')], ['a', 'b']);
    const [link] = plan.links;
    const text = brokenText(link, plan);
    assert.match(text, /^“b” begins too early: after “a”, not before .*March 9.*2026\.$/);
});

test('links that can\'t be are refused with a sentence', () => {
    const plan = planOf([
        task('p', null), task('c', A[0], 1, { parent: 'p' }), task('d', A[0], 1, { parent: 'p' }), task('e', A[0]),
        task('f', A[0]), task('g', A[0]),
    ], ['c', 'e'], ['e', 'f'], ['f', 'd'], ['g', 'p', 'SS']);
    const why = (from, to, kind = 'FS') => {
        const found = whyNotLinked(plan.links, plan.node(from), plan.node(to), kind);
        return found && whyNotText(found, plan.node(from), plan.node(to));
    };
    assert.equal(why('e', 'e'), 'A task can\'t wait for itself.');
    assert.equal(why('c', 'p'), '“c” is part of “p”, so the two can\'t be linked.');
    assert.equal(why('p', 'c'), '“c” is part of “p”, so the two can\'t be linked.');
    assert.equal(why('c', 'e'), '“c” and “e” are linked so already.');
    assert.equal(why('c', 'e', 'SS'), null);
    assert.equal(why('f', 'c'), '“f” waits for “c” already, by way of “e”: the link would close a circle.');
    assert.equal(why('c', 'd'), null, 'the two are siblings');
    assert.equal(why('c', 'f'), null);
    assert.match(why('d', 'g'), /^“d” waits for “g” already/, 'what waits for a parent waits for all below it');
    assert.match(why('p', 'g'), /circle/);
    assert.match(why('f', 'p'), /circle/, 'a parent begins with what is below it');
    assert.equal(why('g', 'e'), null);
    assert.match(why('p', 'e'), /^“p”/, 'e is within what p consists of');
});

test('a circle is looked for in a plan of 10,000 links at once', () => {
    const tasks = Array.from({ length: 10_000 }, (_, place) => task(`t${place}`, A[0]));
    const plan = planOf(tasks, ...tasks.slice(1).map(({ id }, place) => [`t${place}`, id]));
    assert.equal(whyNotLinked(plan.links, plan.node('t9999'), plan.node('t0'), 'FS').way.length, 10_000);
    assert.equal(whyNotLinked(plan.links, plan.node('t0'), plan.node('t9999'), 'FS'), null);
});
