// Calendar dates as numbers of days since 1970-01-01. They have no zone, so no change of the clock touches them.

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

/** 0 for Monday to 6 for Sunday: 1970-01-01 was a Thursday. */
export const weekdayOf = day => (((day + 3) % 7) + 7) % 7;
