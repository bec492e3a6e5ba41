import { isPickedList } from '../fields/kinds.js';
import { daysOf, maskOf } from '../fields/weekdays.js';
import { Block } from './block.js';
import { DateLine } from './date-line.js';
import { Line } from './line.js';
import { optionsOf } from './options.js';
import { Picker } from './picker.js';

const PICKED = ['choice', 'boolean', 'reference', 'user', 'zone'];

/**
 * The control that fits a field's type and the value it has. `rows` is `{ names, rowsOf }`, of the project; `row` is
 * the row that is edited, null for a new one. `options` are the control's.
 */
export function controlFor(field, value, { names, rowsOf }, row, options = {}) {
    const { start = null, onPick, ...attributes } = options;
    if (PICKED.includes(field.kind)) {
        return new Picker(field, value, optionsOf(field, names, rowsOf, row), { start, onPick, ...attributes });
    }
    if (isPickedList(field.kind)) {
        return new Picker(field, value, optionsOf(field, names, rowsOf, row), { isMany: true, start, ...attributes });
    }
    if (field.kind === 'weekdays') {
        const form = { toList: daysOf, fromList: maskOf };
        return new Picker(field, value, optionsOf(field, names, rowsOf, row), { isMany: true, form, ...attributes });
    }
    if (isBlock(field, value)) return new Block(asData(field, value), value, attributes);
    const Kind = field.kind === 'date' || field.kind === 'instant' ? DateLine : Line;
    return new Kind(field, value, { start, ...attributes });
}

const isBlock = ({ kind }, value) => ['long text', 'texts', 'data'].includes(kind)
    || (kind === 'text' && /[\n\r]/.test(value ?? ''));

/** A list of texts in which a text has several lines can't be written a text a line. */
function asData(field, value) {
    const isPlain = field.kind !== 'texts' || (value ?? []).every(each => each === each.trim() && !/[\n\r]/.test(each));
    return isPlain ? field : Object.assign(Object.create(field), { kind: 'data' });
}
