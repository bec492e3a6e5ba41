import { problemOf } from '../fields/check.js';
import { typed } from '../fields/parse.js';
import { folded } from '../query/filter.js';

const PICKED = ['choice', 'boolean', 'reference', 'user', 'zone'];

/**
 * What pasted text is as a value of the field, as `{ value }`, or `{ problem }`. Where one picks, it is the name of an
 * option (see options.js), or its value; it must be the only one of that name.
 */
export function pasted(field, text, options) {
    const trimmed = text.replace(/\r\n?/g, '\n').replace(/\n$/, '');
    if (PICKED.includes(field.kind)) return checked(field, picked(field, trimmed, options));
    if (field.kind === 'weekdays') return { problem: 'Days are chosen, not pasted.' };
    if (field.kind !== 'references') return typed(field, trimmed);
    const parts = trimmed.split(/\s*[,\n]\s*/).filter(Boolean).map(part => picked(field, part, options));
    return parts.find(({ problem }) => problem) ?? checked(field, { value: parts.map(({ value }) => value) });
}

function picked({ isNullable, kind }, text, options) {
    if (text.trim() === '' && isNullable && kind !== 'references') return { value: null };
    const byName = options.filter(({ label }) => folded(label.trim()) === folded(text.trim()));
    const found = byName.length > 0 ? byName : options.filter(({ value }) => String(value) === text.trim());
    if (found.length === 1) return { value: found[0].value };
    return { problem: found.length > 1 ? `Several are called “${text}”.` : `Nothing here is called “${text}”.` };
}

function checked(field, read) {
    const problem = read.problem ?? problemOf(field, read.value);
    return problem ? { problem } : read;
}
