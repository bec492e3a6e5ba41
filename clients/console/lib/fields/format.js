import { withoutTurns } from '../elements.js';
import { choiceWords } from './names.js';
import { daysText } from './weekdays.js';

// Values as text in a line. What a person reads here, filters look at too.

const INSTANT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
// Of the calendar in which dates are typed, so a date that is copied can be pasted.
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC', calendar: 'gregory' });

/**
 * The text of a field's value; empty for none. `names` has `row(collection, id)` and `user(id)`, which say how a row
 * and a user are called.
 */
export function textOf(field, value, names) {
    if (value === null || value === undefined) return '';
    return (WRITERS.get(field.kind) ?? plain)(value, field, names);
}

const plain = value => (typeof value === 'object' ? JSON.stringify(value) : withoutTurns(String(value)));

const WRITERS = new Map([
    ['boolean', value => (value ? 'Yes' : 'No')],
    ['choice', (value, { choices }) => choices.find(each => each.value === value)?.label ?? choiceWords(value)],
    ['date', value => dateText(value)],
    ['instant', value => instantText(value)],
    ['reference', (value, { reference }, names) => names.row(reference, value)],
    ['references', (value, { reference }, names) => listOf(value).map(id => names.row(reference, id)).join(', ')],
    ['texts', value => listOf(value).join(', ')],
    ['time', value => String(value).replace(/:00$/, '')],
    ['weekdays', value => daysText(value) || 'None'],
    ['user', (value, field, names) => names.user(value)],
    ['users', (value, field, names) => listOf(value).map(id => names.user(id)).join(', ')],
]);

const listOf = value => (Array.isArray(value) ? value : [value]);

/** A calendar date in the reader's language: the same day in all zones. */
export function dateText(value) {
    const date = new Date(`${value}T00:00:00Z`);
    return isNaN(date) ? String(value) : DATE.format(date);
}

/** An instant in the reader's zone. */
export function instantText(value) {
    const date = new Date(value);
    return isNaN(date) ? String(value) : INSTANT.format(date);
}

/** The reader's zone, as `Europe/Paris`. */
export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Text in which nothing is invisible: a name of blanks or control characters is still seen. */
export function visible(text) {
    return withoutTurns(text).replace(/[\u0001-\u001f\u007f]+/g, ' ').replace(INVISIBLE, '').trim();
}

// Marks of direction and joiners stay within a text; alone they show nothing.
const INVISIBLE = /^[\s\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+$/u;
