import { dayOf, todayAt } from '../plan/model/days.js';
import { problemOf } from './check.js';
import { dates, timeOfDay } from './dates.js';

// Between values and what is typed for them.

/** The text with which an editor begins. */
export function inputText(field, value) {
    if (value === null || value === undefined) return '';
    switch (field.kind) {
        case 'date': return dates.shown(value);
        case 'instant': return localText(value);
        case 'texts': return value.join('\n');
        case 'data': return JSON.stringify(value, null, 2);
        default: return String(value);
    }
}

/**
 * What was typed, as `{ value }`, or `{ problem }`: a sentence that says what is wrong. `before` is the value that was
 * there: `+3d` counts from it.
 */
export function typed(field, text, before = null) {
    const read = (READERS.get(field.kind) ?? asText)(text, field, before);
    if (read.problem) return read;
    const problem = problemOf(field, read.value);
    return problem ? { problem } : read;
}

const asText = (text, { isNullable }) => ({ value: text === '' && isNullable ? null : text });

const orNothing = read => (text, field, before) => {
    const trimmed = text.trim();
    if (trimmed !== '') return read(trimmed, field, before);
    return field.isNullable ? { value: null } : { problem: `${field.label} can't be empty.` };
};

const READERS = new Map([
    ['integer', orNothing(number)],
    ['number', orNothing(number)],
    ['date', orNothing((text, field, before) => date(text, dayOf(before)))],
    ['time', orNothing(time)],
    ['instant', orNothing(instant)],
    ['zone', orNothing(text => ({ value: text }))],
    ['data', orNothing(data)],
    ['texts', text => ({ value: text.split('\n').map(each => each.trim()).filter(Boolean) })],
]);

function number(text) {
    const plain = text.replace(/^[−–]/, '-').replace(/\s/g, '');
    return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? { value: Number(plain) }
        : { problem: 'Write a number, such as 12 or 12.5.' };
}

const date = (text, from) => dates.read(text, { today: todayAt(new Date()), from });

function time(text) {
    const value = timeOfDay(text);
    return value === null ? { problem: 'Write a time, such as 14:30.' } : { value };
}

/** A date and a time in the reader's zone, apart by a blank or a T; or an instant as ISO 8601 writes it. */
function instant(text, field, before) {
    if (/T.*(Z|[+-]\d\d:\d\d)$/.test(text) && !isNaN(new Date(text))) return { value: new Date(text).toISOString() };
    const [, dayText, timeText] = /^(.*\S)(?:\s+|T)(\d{1,2}[:.h]\S*(?:\s*[ap]\.?m\.?)?)$/i.exec(text) ?? [];
    const hours = timeText && timeOfDay(timeText);
    if (!hours) return { problem: 'Write a date and a time, such as 2026-12-24 14:30.' };
    const read = date(dayText.replace(/,$/, ''), before && dayOf(localText(before).slice(0, 10)));
    return read.problem ? read : { value: new Date(`${read.value}T${hours}`).toISOString() };
}

function data(text) {
    try {
        return { value: JSON.parse(text) };
    } catch (error) {
        return { problem: `This is not JSON: ${error.message}` };
    }
}

/** An instant as a date and a time in the reader's zone: `2026-12-24T14:30:00`. */
export function localText(value) {
    const date = new Date(value);
    if (isNaN(date)) return '';
    const two = part => String(part).padStart(2, '0');
    const day = [String(date.getFullYear()).padStart(4, '0'), two(date.getMonth() + 1), two(date.getDate())].join('-');
    return `${day}T${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}
