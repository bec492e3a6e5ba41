import { problemOf } from '../fields/check.js';
import { isPickedList } from '../fields/kinds.js';
import { counted } from '../fields/names.js';
import { typed } from '../fields/parse.js';
import { folded } from '../query/filter.js';

const PICKED = ['choice', 'boolean', 'reference', 'user', 'zone'];

/**
 * Why the text on the clipboard can't be one value: it is a block of cells, which a spreadsheet copies as lines with
 * tabs. Null if it can. `isTable` says whether the clipboard has it as a table, too: long texts may have lines.
 */
export function whyBlock({ kind }, text, isTable) {
    const lines = linesOf(text);
    const columns = Math.max(...lines.map(line => line.split('\t').length));
    if (columns * lines.length === 1 || (HAS_LINES.includes(kind) && !isTable)) return null;
    const size = `${counted(lines.length, 'rows')} and ${counted(columns, 'columns')}`;
    return `The clipboard has ${size}, and a cell takes one value. Copy a single cell, or open this one to paste text.`;
}

const HAS_LINES = ['long text', 'texts', 'references', 'users', 'data'];

/** Without the end of line that spreadsheets put after a cell. */
const linesOf = text => text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');

/**
 * What pasted text is as a value of the field, as `{ value }`, or `{ problem }`. Where one picks, it is the name of an
 * option (see options.js), or its value; it must be the only one of that name. `before` is the value that was there.
 */
export function pasted(field, text, options, before = null) {
    const trimmed = linesOf(text).join('\n');
    if (PICKED.includes(field.kind)) return checked(field, picked(field, trimmed, options));
    if (field.kind === 'weekdays') return { problem: 'Days are chosen, not pasted.' };
    if (!isPickedList(field.kind)) return typed(field, trimmed, before);
    const parts = trimmed.split(/\s*[,\n]\s*/).filter(Boolean).map(part => picked(field, part, options));
    return parts.find(({ problem }) => problem) ?? checked(field, { value: parts.map(({ value }) => value) });
}

function picked({ isNullable, kind }, text, options) {
    if (text.trim() === '' && isNullable && !isPickedList(kind)) return { value: null };
    const byName = options.filter(({ label }) => folded(label.trim()) === folded(text.trim()));
    const found = byName.length > 0 ? byName : options.filter(({ value }) => String(value) === text.trim());
    if (found.length === 1) return { value: found[0].value };
    return { problem: found.length > 1 ? `Several are called “${text}”.` : `Nothing here is called “${text}”.` };
}

function checked(field, read) {
    const problem = read.problem ?? problemOf(field, read.value);
    return problem ? { problem } : read;
}
