import { element } from './elements.js';

// Instants in the reader's zone; the hover shows the instant itself. Calendar dates have no zone.

const INSTANT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** A `<time>` for an instant: RFC 3339, or milliseconds since 1970. */
export function instant(value, format = INSTANT) {
    const date = new Date(value);
    const iso = date.toISOString();
    return element('time', { datetime: iso, title: iso, text: format.format(date) });
}

export const timeOfDay = value => instant(value, TIME);

/** A calendar date, `2026-03-29`, in the reader's language: the same day in all zones. */
export const dateText = date => DATE.format(new Date(`${date}T00:00:00Z`));
