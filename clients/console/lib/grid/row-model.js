import { whyNotEdit } from '../fields/access.js';
import { textOf } from '../fields/format.js';

/**
 * What the grid shows of a row, as plain data: `{ id, name, state, cells }`. `state` is `synced`, `unsent`, `refused`
 * or `aside`. A cell is `{ kind, text, value, isFixed, isWrong, isUnsent, tone }`.
 */
export function rowModel(row, { collection, fields, names, trouble, who }) {
    const wrong = wrongFields(trouble);
    return {
        id: row.id, name: names.of(collection.name, row), state: stateOf(row, trouble),
        cells: fields.map(field => ({
            ...cellModel(field, row, names), isWrong: wrong.has(field.name),
            isFixed: whyNotEdit(collection, field, row, who) !== null, isUnsent: row._changed.includes(field.name),
        })),
    };
}

/** The fields that the server did not take. If it gave a reason for the whole row, these are the edited ones. */
export function wrongFields({ reasons, copies }) {
    const wrong = new Set();
    for (const { field } of reasons) if (field !== null) wrong.add(field);
    for (const { changed, reasons: its } of copies) {
        const named = its.map(({ field }) => field).filter(field => field !== null);
        for (const name of named.length > 0 ? named : changed) wrong.add(name);
    }
    return wrong;
}

/** How a row stands with the server. */
export function stateOf({ _status }, { reasons, copies }) {
    if (reasons.length > 0) return 'refused';
    if (copies.length > 0) return 'aside';
    return _status === 'synced' ? 'synced' : 'unsent';
}

/** What these states mean, for people. */
export const STATE_TEXTS = {
    synced: 'In sync', unsent: 'Not sent yet', refused: 'Refused by the server', aside: 'An edit was not taken',
};

export function cellModel(field, row, names) {
    const value = row[field.name] ?? null;
    const isPlain = value === null || typeof value !== 'object';
    return {
        kind: field.kind, text: textOf(field, value, names), value: isPlain ? value : null,
        isPercent: field.isPercent, isServers: field.isReadOnly, tone: field.kind === 'choice' ? toneOf(value) : '',
    };
}

const TONES = [
    ['good', /^(complete|completed|done|resolved|accepted|merged)$/i],
    ['accent', /^(in_progress|active|review|open)$/i],
    ['warning', /^(on_hold|mitigating|pending|draft)$/i],
];

/** The colour of a word that says how far something is. */
const toneOf = value => TONES.find(([, words]) => words.test(value))?.[0] ?? '';
