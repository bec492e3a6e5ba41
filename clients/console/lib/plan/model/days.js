import { instantOf, weekdayOf } from '../../../tidemark/lib/schedule/days.js';

export { dateOf, dayOf, instantOf, weekdayOf } from '../../../tidemark/lib/schedule/days.js';

// Calendar dates as numbers of days since 1970-01-01. Only today depends on where the reader is.

const DAY = 86_400_000;

/** The day that the reader's calendar shows at this moment. */
export const todayAt = now => Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / DAY;

/** Milliseconds until the reader's next day begins, however long this one is. */
export const untilTomorrow = now => new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1) - now;

/** The first day of the week, month, quarter or year that has this day. */
export function startOf(unit, day) {
    if (unit === 'day') return day;
    if (unit === 'week') return day - weekdayOf(day);
    const date = instantOf(day);
    return firstOf(date.getUTCFullYear(), Math.floor(date.getUTCMonth() / MONTHS[unit]) * MONTHS[unit]);
}

/** The first day of the next one. `start` is the first day of a unit. */
export function nextOf(unit, start) {
    if (unit === 'day') return start + 1;
    if (unit === 'week') return start + 7;
    const date = instantOf(start);
    return firstOf(date.getUTCFullYear(), date.getUTCMonth() + MONTHS[unit]);
}

const MONTHS = { month: 1, quarter: 3, year: 12 };

const firstOf = (year, month) => Date.UTC(year, month, 1) / DAY;
