import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateOf, dayOf, nextOf, startOf, todayAt, untilTomorrow, weekdayOf } from '../lib/plan/model/days.js';
import { dateShort } from '../lib/plan/texts.js';

const HOUR = 3_600_000;

/** Runs a test in a zone of the world. */
const inZone = (zone, name, body) => test(`${zone}: ${name}`, () => {
    const before = process.env.TZ;
    process.env.TZ = zone;
    try {
        body();
    } finally {
        process.env.TZ = before;
    }
});

test('a date and its number are the same day', () => {
    assert.equal(dayOf('1970-01-01'), 0);
    const dates = ['1899-12-31', '2026-03-29', '2024-02-29', '9999-12-31'];
    assert.deepEqual(dates.map(date => dateOf(dayOf(date))), dates);
});

test('what is no date has no number', () => {
    for (const date of [null, undefined, '', 'soon', '2026-13-01']) assert.equal(dayOf(date), null);
});

test('units begin where the calendar says', () => {
    const day = dayOf('2026-08-19');
    const begin = unit => dateOf(startOf(unit, day));
    assert.deepEqual(['day', 'week', 'month', 'quarter', 'year'].map(begin),
        ['2026-08-19', '2026-08-17', '2026-08-01', '2026-07-01', '2026-01-01']);
    assert.deepEqual(['day', 'week', 'month', 'quarter', 'year'].map(unit => dateOf(nextOf(unit, dayOf(begin(unit))))),
        ['2026-08-20', '2026-08-24', '2026-09-01', '2026-10-01', '2027-01-01']);
});

test('weeks begin on Monday, also before 1970', () => {
    assert.equal(weekdayOf(dayOf('2026-11-23')), 0);
    assert.equal(weekdayOf(dayOf('1969-12-28')), 6);
    assert.equal(dateOf(startOf('week', dayOf('1969-12-28'))), '1969-12-22');
});

inZone('Europe/Berlin', 'the day of a change of the clock has 23 or 25 hours', () => {
    assert.equal(untilTomorrow(new Date(2026, 2, 29)), 23 * HOUR);
    assert.equal(untilTomorrow(new Date(2026, 9, 25)), 25 * HOUR);
    assert.equal(dateOf(todayAt(new Date(2026, 2, 29, 23, 59))), '2026-03-29');
    assert.equal(dateOf(todayAt(new Date(2026, 9, 25, 0, 1))), '2026-10-25');
});

inZone('America/Santiago', 'a day that begins at one o\'clock is still one day', () => {
    const now = new Date('2026-09-06T04:30:00Z');
    assert.equal(dateOf(todayAt(now)), '2026-09-06');
    assert.equal(dateOf(todayAt(new Date('2026-09-06T03:59:00Z'))), '2026-09-05');
});

for (const zone of ['Pacific/Kiritimati', 'Pacific/Midway', 'Europe/Berlin']) {
    inZone(zone, 'a calendar date is the same day everywhere, and today is the reader\'s', () => {
        const day = dayOf('2026-03-29');
        assert.match(dateShort(day, day), /29/);
        assert.equal(todayAt(new Date(2026, 2, 29, 0, 30)), day);
        assert.equal(todayAt(new Date(2026, 2, 29, 23, 30)), day);
    });
}

test('a year of two digits is one that is near, and looks like a year', () => {
    const [today, next, far, before] = ['2026-11-26', '2027-01-07', '2206-12-01', '1926-11-26'].map(dayOf);
    assert.doesNotMatch(dateShort(today, today), /20?26/);
    assert.match(dateShort(next, today), /’27/);
    assert.match(dateShort(far, today), /2206/);
    assert.match(dateShort(before, today), /1926/);
});
