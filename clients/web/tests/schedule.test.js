import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { dateOf, dayOf, schedule, scheduling } from '../lib/schedule/index.js';

const here = path => fileURLToPath(new URL(path, import.meta.url));
const { plans } = JSON.parse(readFileSync(here('../../../Tests/Vectors/schedule.json'), 'utf8'));

const inputOf = plan => ({ ...plan, start: dayOf(plan.start), today: dayOf(plan.today) });
const span = dates => dates && [dateOf(dates.start), dateOf(dates.finish)];

/** A schedule as the vectors have it. */
function told(made, plan) {
    const expected = Object.fromEntries(plan.tasks.map(({ id }) => {
        const each = made.of(id);
        return [id, each && [
            span(each.planned), span(each.early), span(each.late), each.float, each.isCritical, each.isOverdue,
            each.isFinished, each.isSummary,
        ]];
    }));
    const broken = Object.fromEntries([...made.broken].map(([id, { reason, days, task, day }]) =>
        [id, [reason, days, task, day && dateOf(day)]]));
    return { expected, broken, finish: made.finish && dateOf(made.finish) };
}

const wanted = ({ expected, broken, finish }) => ({ expected, broken, finish });
const pushed = ({ moves, stays }) => ({
    moves: Object.fromEntries(moves.map(({ id, from, to, values }) => {
        if (values) assert.deepEqual(values, { planned_start: dateOf(to) });
        return [id, [dateOf(from), dateOf(to), values !== null]];
    })),
    stays: stays.sort(),
});

for (const plan of plans) {
    test(`the schedule of a plan: ${plan.name}`, () => {
        const made = schedule(inputOf(plan));
        assert.deepEqual(told(made, plan), wanted(plan));
        for (const { id, values, moves, stays } of plan.pushes) {
            assert.deepEqual(pushed(made.push(new Map([[id, values]]))), { moves, stays }, JSON.stringify({ id, values }));
        }
    });
}

test('the vectors are what their script writes', context => {
    const { error, status, stderr } = spawnSync(here('../../../scripts/vectors/schedule.py'), ['--check']);
    if (error) return context.skip('there is no Python');
    return assert.equal(status, 0, String(stderr));
});

/** Chains of ten tasks in groups, with links between the groups. */
function manyTasks(count) {
    const [tasks, dependencies] = [[], []];
    for (let group = 0; group < count / 10; group += 1) {
        tasks.push({ id: `g${group}` });
        for (let place = 0; place < 9; place += 1) {
            tasks.push({ id: `t${group}-${place}`, parent: `g${group}`, duration: 1 + place % 4 });
            if (place > 0) link(`t${group}-${place - 1}`, `t${group}-${place}`);
        }
        if (group > 3) link(`g${group - 4}`, `g${group}`);
    }
    function link(predecessor, successor) {
        dependencies.push({ id: `${predecessor}>${successor}`, predecessor, successor, dep_type: 'FS', lag: 0 });
    }
    return { tasks, dependencies, start: dayOf('2026-03-02'), today: dayOf('2026-03-02') };
}

test('twice the tasks are twice the work, with and without cycles', () => {
    for (const isCyclic of [false, true]) {
        const steps = count => {
            const input = manyTasks(count);
            const [predecessor, successor] = [`t${count / 10 - 4}-0`, 't0-0'];
            if (isCyclic) input.dependencies.push({ id: 'back', predecessor, successor, dep_type: 'FS', lag: 0 });
            const made = schedule(input);
            assert.equal(made.broken.get('back')?.reason, isCyclic ? 'cycle' : undefined);
            return made.steps;
        };
        const [once, twice] = [steps(10_000), steps(20_000)];
        assert.ok(twice < 2.1 * once, `${once} steps, then ${twice}`);
        assert.ok(once < 40 * 10_000, `${once} steps`);
    }
});

test('a large schedule is computed in pieces, with the same result', () => {
    const input = manyTasks(5000);
    const run = scheduling(input);
    let pieces = 0;
    let piece = run.next();
    for (; !piece.done; piece = run.next()) pieces += 1;
    assert.ok(pieces > 10, `${pieces} pieces`);
    assert.equal(piece.value.finish, schedule(input).finish);
});

test('a cycle of summaries, of parents, and a task that is its own parent come to an end', () => {
    const tasks = [
        { id: 'a', parent: 'c' }, { id: 'b', parent: 'a', planned_start: '2026-03-02' }, { id: 'c', parent: 'b' },
        { id: 'd', parent: 'd', planned_start: '2026-03-02' },
    ];
    const made = schedule({ tasks, dependencies: [], start: 0, today: 0 });
    assert.deepEqual(['a', 'b', 'c'].map(id => made.of(id).isSummary), [true, false, true]);
    assert.equal(made.of('d').isSummary, false);
});

test('chains of thousands of tasks, and dates beyond all calendars, have a schedule', () => {
    const tasks = Array.from({ length: 3000 }, (_, place) => ({ id: `t${place}`, duration: 36_525 }));
    const dependencies = tasks.slice(1).map(({ id }, place) =>
        ({ id, predecessor: `t${place}`, successor: id, dep_type: 'FS', lag: 36_525 }));
    const made = schedule({ tasks, dependencies, start: dayOf('9990-01-01'), today: 0 });
    assert.equal(dateOf(made.finish), '9999-12-31');
    assert.equal(made.of('t0').isCritical, true);
});

test('a project whose calendar has no working day works every day', () => {
    const calendar = { working_days: 1, exceptions: [{ exc_start: '1900-01-01', exc_end: '2200-01-01' }] };
    const tasks = [{ id: 'a', duration: 3 }, { id: 'b', duration: 2 }];
    const dependencies = [{ id: 'l', predecessor: 'a', successor: 'b', dep_type: 'FS', lag: 0 }];
    const made = schedule({ tasks, dependencies, calendar, start: dayOf('2026-03-07'), today: 0 });
    assert.deepEqual(span(made.of('b').early), ['2026-03-10', '2026-03-11']);
});

test('over a part of a project nothing moves', () => {
    const made = schedule({ ...manyTasks(10) });
    const { isPossible, moves } = made.push(new Map([['t0-0', { duration: 9 }]]), { isPart: true });
    assert.deepEqual([isPossible, moves], [false, []]);
    assert.ok(made.push(new Map([['t0-0', { duration: 9 }]])).moves.length > 0);
});
