import { localText } from '../fields/parse.js';

// Filters of columns, as one types them: see HINTS.

/** What a filter of a kind takes, for people. Each also takes `-` for “no value” and `*` for “any value”. */
export const HINTS = new Map([
    ['integer', '>5'], ['number', '>5'], ['date', '>2026-03'], ['instant', '>2026-03'],
]);

/** The test of a filter for a field's value and its text; null if the filter lets everything pass. */
export function filterOf(field, typed) {
    const text = typed.trim();
    if (text === '') return null;
    if (text === '-') return value => isNothing(value);
    if (text === '*') return value => !isNothing(value);
    if (field.isNumeric) return numberFilter(text);
    if (field.kind === 'date') return rangeFilter(text, value => value);
    if (field.kind === 'instant') return rangeFilter(text.replace(' ', 'T'), localText);
    if (field.kind === 'boolean') return (value, shown) => folded(shown).startsWith(folded(text));
    if (field.choices.some(({ label }) => label === text)) return (value, shown) => shown === text;
    return (value, shown) => folded(shown).includes(folded(text));
}

/** The test of a search for a text in which all fields are: every word has to be there. */
export function searchOf(typed) {
    const words = folded(typed).split(/\s+/).filter(Boolean);
    return words.length === 0 ? null : text => words.every(word => text.includes(word));
}

/** Text without case and accents. */
export const folded = text => text.normalize('NFD').replace(/\p{M}+/gu, '').toLowerCase();

const isNothing = value => value === null || value === undefined || value === ''
    || (Array.isArray(value) && value.length === 0);

function numberFilter(text) {
    const range = text.match(/^(-?[\d.]+)\s*\.\.\s*(-?[\d.]+)$/);
    if (range) {
        const [least, most] = [Number(range[1]), Number(range[2])];
        return value => value !== null && value >= least && value <= most;
    }
    const [, sign, rest] = text.match(/^(<=|>=|<|>|=)?\s*(.*)$/s);
    const bound = Number(rest);
    // While the number is being typed, nothing is hidden.
    if (rest === '' || Number.isNaN(bound)) return null;
    return value => value !== null && value !== undefined && COMPARED[sign ?? '='](value, bound);
}

/** Texts that are ordered as what they mean, such as dates. A bound may be cut: `2026-03` is the whole month. */
function rangeFilter(text, comparable) {
    const [, from, to] = text.match(/^(.*?)\s*\.\.\s*(.*)$/s) ?? [];
    if (from !== undefined) return tested(comparable, value => value >= from && value.slice(0, to.length) <= to);
    const [, sign, rest] = text.match(/^(<=|>=|<|>|=)?\s*(.*)$/s);
    if (!sign || sign === '=') return tested(comparable, value => value.startsWith(rest));
    return tested(comparable, value => COMPARED[sign](value.slice(0, rest.length), rest));
}

const tested = (comparable, test) => value => (isNothing(value) ? false : test(comparable(value)));

const COMPARED = {
    '=': (one, other) => one === other, '<': (one, other) => one < other, '>': (one, other) => one > other,
    '<=': (one, other) => one <= other, '>=': (one, other) => one >= other,
};
