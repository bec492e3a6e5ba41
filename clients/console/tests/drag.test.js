import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateOf, dayOf } from '../lib/plan/model/days.js';
import { WorkingDays } from '../tidemark/lib/schedule/working-days.js';
import { endMoved, lengthened, moved, startMoved, stepped } from '../lib/plan/view/drag.js';

const days = new WorkingDays({ working_days: 31, exceptions: [{ exc_start: '2026-04-03', exc_end: '2026-04-06' }] });
const task = (planned_start, duration = 5, more = {}) => ({ planned_start, duration, is_milestone: false, ...more });

test('a bar that is moved keeps its working days', () => {
    assert.deepEqual(moved(task('2026-03-02'), 3, days), { planned_start: '2026-03-05' });
    assert.deepEqual(moved(task('2026-03-05'), -3, days), { planned_start: '2026-03-02' });
});

test('a bar that is moved to a day off goes on in its direction', () => {
    assert.deepEqual(moved(task('2026-03-05'), 2, days), { planned_start: '2026-03-09' });
    assert.deepEqual(moved(task('2026-03-10'), -2, days), { planned_start: '2026-03-06' });
    assert.deepEqual(moved(task('2026-04-02'), 1, days), { planned_start: '2026-04-07' });
});

test('a bar without a plan of its own is planned from where it is shown', () => {
    assert.deepEqual(moved(task(null, 5, { scheduled_start: '2026-03-02' }), 1, days), { planned_start: '2026-03-03' });
});

test('steps of the keyboard are working days', () => {
    assert.deepEqual(stepped(task('2026-03-06'), 1, days), { planned_start: '2026-03-09' });
    assert.deepEqual(stepped(task('2026-03-09'), -1, days), { planned_start: '2026-03-06' });
});

test('the end of a bar changes its length, to one working day at least', () => {
    assert.deepEqual(endMoved(task('2026-03-02'), 3, days), { duration: 6 });
    assert.deepEqual(endMoved(task('2026-03-02'), -1, days), { duration: 4 });
    assert.deepEqual(endMoved(task('2026-03-02'), -99, days), { duration: 1 });
    assert.equal(endMoved(task('2026-03-02'), 1, days), null, 'Saturday adds no work');
});

test('the start of a bar moves, and its end stays', () => {
    const random = [[-7, 1], [-3, 4], [2, 5], [3, 9], [1, 1], [20, 3]];
    for (const [by, duration] of random) {
        const before = task('2026-03-04', duration);
        const after = { ...before, ...startMoved(before, by, days) };
        const end = each => dateOf(days.finish(dayOf(each.planned_start), each.duration));
        assert.equal(end(after), end(before), `by ${by}, of ${duration}`);
    }
});

test('the length changes by working days, within what the schema allows', () => {
    assert.deepEqual(lengthened(task('2026-03-02'), 1), { duration: 6 });
    assert.equal(lengthened(task('2026-03-02', 1), -1), null);
    assert.equal(lengthened(task('2026-03-02', 36_525), 1), null);
});

test('milestones move and have no length, and what has no date stays', () => {
    const milestone = task('2026-03-02', 0);
    assert.deepEqual(moved(milestone, 1, days), { planned_start: '2026-03-03' });
    for (const none of [endMoved(milestone, 1, days), startMoved(milestone, 1, days), lengthened(milestone, 1)]) {
        assert.equal(none, null);
    }
    assert.equal(moved(task(null), 1, days), null);
    assert.equal(stepped(task(null), 1, days), null);
});

test('nothing moved is no edit', () => {
    for (const maker of [moved, endMoved, startMoved]) assert.equal(maker(task('2026-03-02'), 0, days), null);
});
