import { problemOf } from './check.js';

// Between values and what is typed for them.

/** The text with which an editor begins. */
export function inputText(field, value) {
    if (value === null || value === undefined) return '';
    switch (field.kind) {
        case 'instant': return localText(value);
        case 'texts': return value.join('\n');
        case 'data': return JSON.stringify(value, null, 2);
        default: return String(value);
    }
}

/** What was typed, as `{ value }`, or `{ problem }`: a sentence that says what is wrong. */
export function typed(field, text) {
    const read = (READERS.get(field.kind) ?? asText)(text, field);
    if (read.problem) return read;
    const problem = problemOf(field, read.value);
    return problem ? { problem } : read;
}

const asText = (text, { isNullable }) => ({ value: text === '' && isNullable ? null : text });

const orNothing = read => (text, field) => {
    const trimmed = text.trim();
    if (trimmed !== '') return read(trimmed, field);
    return field.isNullable ? { value: null } : { problem: `${field.label} can't be empty.` };
};

const READERS = new Map([
    ['integer', orNothing(number)],
    ['number', orNothing(number)],
    ['date', orNothing(text => ({ value: text }))],
    ['time', orNothing(text => ({ value: /^\d\d:\d\d$/.test(text) ? `${text}:00` : text }))],
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

function instant(text) {
    const date = new Date(text);
    return isNaN(date) ? { problem: 'Write a date and a time.' } : { value: date.toISOString() };
}

function data(text) {
    try {
        return { value: JSON.parse(text) };
    } catch (error) {
        return { problem: `This is not JSON: ${error.message}` };
    }
}

/** An instant as `<input type="datetime-local">` takes it, in the reader's zone. */
export function localText(value) {
    const date = new Date(value);
    if (isNaN(date)) return '';
    const two = part => String(part).padStart(2, '0');
    const day = [String(date.getFullYear()).padStart(4, '0'), two(date.getMonth() + 1), two(date.getDate())].join('-');
    return `${day}T${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}
