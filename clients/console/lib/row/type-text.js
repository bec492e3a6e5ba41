import { words } from '../fields/names.js';

const KINDS = new Map([
    ['text', 'text'], ['long text', 'text'], ['integer', 'whole number'], ['number', 'number'],
    ['boolean', 'yes or no'], ['date', 'date'], ['instant', 'date and time'], ['time', 'time of day'],
    ['zone', 'time zone'], ['weekdays', 'days of the week'], ['choice', 'choice'],
    ['user', 'member'], ['users', 'members'], ['texts', 'list of texts'], ['data', 'JSON'],
]);

/** The type of a field in a few words: “text, at most 512”, “whole number, 0 to 100”. */
export function typeText(field) {
    const { document: { minimum, maximum, exclusiveMinimum, maxLength, maxItems }, isReadOnly, isRequired } = field;
    const parts = [kindText(field)];
    if (field.kind === 'weekdays') return parts[0];
    const least = minimum ?? (exclusiveMinimum === undefined ? undefined : `over ${exclusiveMinimum}`);
    if (least !== undefined && maximum !== undefined) parts.push(`${least} to ${maximum}`);
    else if (least !== undefined) parts.push(`from ${least}`);
    else if (maximum !== undefined) parts.push(`up to ${maximum}`);
    if (maxLength !== undefined) parts.push(`at most ${maxLength}`);
    if (maxItems !== undefined) parts.push(`at most ${maxItems}`);
    if (isRequired) parts.push('required');
    if (isReadOnly) parts.push('set by the server');
    return parts.join(', ');
}

function kindText({ kind, reference }) {
    if (kind === 'reference') return `one of ${words(reference).toLowerCase()}`;
    return kind === 'references' ? words(reference).toLowerCase() : KINDS.get(kind) ?? kind;
}
