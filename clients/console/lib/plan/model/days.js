// Calendar dates as numbers of days since 1970-01-01. They have no zone, so no change of the clock touches them; only
// today depends on where the reader is.

const DAY = 86_400_000;

/** The number of a date such as `2026-03-29`; null for null or for what is no date. */
export function dayOf(date) {
    const time = date ? Date.parse(`${date}T00:00:00Z`) : NaN;
    return Number.isNaN(time) ? null : time / DAY;
}

/** The date of a number: `2026-03-29`. */
export const dateOf = day => instantOf(day).toISOString().slice(0, 10);

/** Midnight of the day in UTC, for Intl with `timeZone: 'UTC'`. */
export const instantOf = day => new Date(day * DAY);

/** The day that the reader's calendar shows at this moment. */
export const todayAt = now => Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / DAY;

/** Milliseconds until the reader's next day begins, however long this one is. */
export const untilTomorrow = now => new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1) - now;

/** 0 for Monday to 6 for Sunday: 1970-01-01 was a Thursday. */
export const weekdayOf = day => (((day + 3) % 7) + 7) % 7;

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
