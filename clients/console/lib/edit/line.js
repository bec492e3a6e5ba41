import { element } from '../elements.js';
import { inputText, typed } from '../fields/parse.js';

const TYPES = new Map([['date', 'date'], ['time', 'time'], ['instant', 'datetime-local']]);

/**
 * What all controls have: `element`, `focus()`, `isChanged`, and `read()`, which returns `{ value }` or `{ problem }`.
 * `input` is what has the focus. Enter ends a control, but one that `isBlock` only with Ctrl or ⌘.
 *
 * This one is a line for texts, numbers, dates, times and instants.
 */
export class Line {
    isBlock = false;

    /** `start` is what was typed to begin with, in place of the value. */
    constructor(field, value, { start = null, ...attributes } = {}) {
        Object.assign(this, { field, value, before: inputText(field, value) });
        const type = TYPES.get(field.kind) ?? 'text';
        this.input = this.element = element('input', {
            type, value: start !== null && type === 'text' ? start : this.before, autocomplete: 'off',
            spellcheck: 'false',
            dir: type === 'text' && !field.isNumeric ? 'auto' : null,
            inputmode: field.kind === 'integer' || field.kind === 'number' ? 'decimal' : null,
            step: type === 'time' || type === 'datetime-local' ? 1 : null,
            max: type === 'date' ? '9999-12-31' : type === 'datetime-local' ? '9999-12-31T23:59:59' : null,
            ...attributes,
        });
        this._isStarted = start !== null;
    }

    get isChanged() {
        return this.input.value !== this.before;
    }

    read() {
        if (!this.isChanged) return { value: this.value };
        // The browser's own words: a date that is not complete has an empty value.
        if (this.input.validity.badInput) return { problem: 'This is not complete.' };
        return typed(this.field, this.input.value);
    }

    focus() {
        this.input.focus({ preventScroll: true });
        if (this.input.type === 'text' && !this._isStarted) this.input.select();
    }
}
