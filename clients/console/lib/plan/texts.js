import { instantOf } from './model/days.js';

// Dates and lengths in the reader's language. Calendar dates are the same day in every zone.

const SHORT = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const WITH_YEAR = new Intl.DateTimeFormat(undefined, {
    day: 'numeric', month: 'short', year: '2-digit', timeZone: 'UTC',
});
const MEDIUM = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
// As wide as the others, with its century.
const FAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'numeric', year: 'numeric', timeZone: 'UTC' });
const NEAR_YEARS = 50;
const LONG = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeZone: 'UTC' });
const kept = new Map();

/** Without the year in the year of today. Two digits say which year only while it is near: `Jan 7, ’27`. */
export function dateShort(day, today) {
    const [date, now] = [instantOf(day), instantOf(today)];
    const years = Math.abs(date.getUTCFullYear() - now.getUTCFullYear());
    const key = years === 0 ? day : `${day} ${years < NEAR_YEARS}`;
    if (!kept.has(key)) kept.set(key, years === 0 ? SHORT.format(date) : withYear(date, years < NEAR_YEARS));
    return kept.get(key);
}

function withYear(date, isNear) {
    if (!isNear) return FAR.format(date);
    return WITH_YEAR.formatToParts(date).map(({ type, value }) => (type === 'year' ? `’${value}` : value)).join('');
}

export const dateLong = day => LONG.format(instantOf(day));

/** `2 – 6 March`, or the one day. */
export const datesText = ({ start, finish }) =>
    (start === finish ? MEDIUM.format(instantOf(start)) : MEDIUM.formatRange(instantOf(start), instantOf(finish)));

export const workingDaysText = count => `${count} working ${count === 1 ? 'day' : 'days'}`;

/** Working days of a bar, for a column of numbers. */
export function daysText(bar, workingDays) {
    if (bar.start === null) return '–';
    return bar.kind === 'milestone' ? '0' : `${workingDays.count(bar.start, bar.end)}`;
}

export const percentText = percent => `${Math.round(percent)} %`;

/** A bar in one line: `Monday, 2 March 2026 – Friday, 6 March 2026, 5 working days`. */
export function spanText(bar, workingDays) {
    if (bar.start === null) return 'No dates yet';
    if (bar.kind === 'milestone') return dateLong(bar.start);
    const days = workingDays.count(bar.start, bar.end);
    return `${dateLong(bar.start)} – ${dateLong(bar.end)}, ${workingDaysText(days)}`;
}
