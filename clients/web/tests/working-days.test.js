import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateOf, dayOf } from '../lib/schedule/days.js';
import { WorkingDays } from '../lib/schedule/working-days.js';

const EASTER = { exc_start: '2026-04-03', exc_end: '2026-04-06' };
const office = new WorkingDays({ working_days: 31, exceptions: [EASTER] });
const finish = (start, duration, days = office) => dateOf(days.finish(dayOf(start), duration));
const move = (start, step, days = office) => dateOf(days.move(dayOf(start), step));

test('work goes on after weekends and days off', () => {
    assert.equal(finish('2026-03-02', 1), '2026-03-02');
    assert.equal(finish('2026-03-06', 2), '2026-03-09');
    assert.equal(finish('2026-04-02', 2), '2026-04-07');
    assert.equal(finish('2026-04-04', 1), '2026-04-07', 'work that begins on a day off');
});

test('moving goes from working day to working day', () => {
    assert.equal(move('2026-03-06', 1), '2026-03-09');
    assert.equal(move('2026-03-09', -1), '2026-03-06');
    assert.equal(move('2026-04-07', -1), '2026-04-02');
    assert.equal(move('2026-04-04', 1), '2026-04-07');
    assert.equal(move('2026-04-04', -1), '2026-04-02');
    assert.equal(move('2026-04-04', 0), '2026-04-04');
});

test('count is the inverse of finish, step by step as one would count', () => {
    const masks = [127, 64].map(mask => new WorkingDays({ working_days: mask }));
    const calendars = [office, new WorkingDays(), ...masks];
    for (const days of calendars) {
        for (let start = dayOf('2026-03-25'); start < dayOf('2026-04-12'); start += 1) {
            let [day, counted] = [start, days.isWorking(start) ? 1 : 0];
            for (let duration = 1; duration < 30; duration += 1) {
                while (counted < duration) counted += days.isWorking(day += 1) ? 1 : 0;
                assert.equal(days.finish(start, duration), day);
                assert.equal(days.count(start, day), duration);
            }
        }
    }
});

test('going there and back ends where it began, on working days', () => {
    for (let step = 1; step < 40; step += 1) {
        assert.equal(move(move('2026-04-02', step), -step), '2026-04-02');
    }
});

test('a calendar without working days, and dates far away, still give an answer', () => {
    const always = { exc_start: '1900-01-01', exc_end: '2200-01-01' };
    const never = new WorkingDays({ working_days: 1, exceptions: [always] });
    assert.equal(finish('2026-03-02', 5, never), '2026-03-06');
    assert.equal(move('2026-03-02', 1, never), '2026-03-03');
    assert.equal(finish('0001-01-01', 3), '0001-01-03');
    assert.equal(finish('9990-01-01', 36_525), dateOf(dayOf('9990-01-01') + 36_524));
    assert.ok(office.finish(dayOf('2149-12-30'), 10) >= dayOf('2150-01-01'));
});

test('a boundary lies before the first working day after it', () => {
    for (const days of [office, new WorkingDays(), new WorkingDays({ working_days: 64 })]) {
        for (let day = dayOf('2026-03-25'); day < dayOf('2026-04-12'); day += 1) {
            const next = days.onOrAfter(day);
            assert.equal(days.after(days.before(day)), next);
            assert.equal(days.before(next + 1), days.before(day) + 1);
        }
    }
    const far = dayOf('0001-01-01');
    assert.equal(office.after(office.before(far)), far);
});
