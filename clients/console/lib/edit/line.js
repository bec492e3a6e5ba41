import { element } from '../elements.js';
import { inputText, typed } from '../fields/parse.js';

/**
 * What all controls have: `element`, `focus()`, `isChanged`, and `read()`, which returns `{ value }` or `{ problem }`.
 * `input` is what has the focus. Enter ends a control, but one that `isBlock` only with Ctrl or ⌘.
 *
 * This one is a line for texts, numbers and times.
 */
export class Line {
    isBlock = false;

    /** `start` is what was typed to begin with, in place of the value. */
    constructor(field, value, { start = null, ...attributes } = {}) {
        Object.assign(this, { field, value, before: inputText(field, value) });
        this.input = this.element = element('input', {
            type: 'text', value: start ?? this.before, autocomplete: 'off', spellcheck: 'false',
            dir: field.isNumeric ? null : 'auto',
            inputmode: field.kind === 'integer' || field.kind === 'number' ? 'decimal' : null, ...attributes,
        });
        this._isStarted = start !== null;
    }

    get isChanged() {
        return this.input.value !== this.before;
    }

    read() {
        return this.isChanged ? typed(this.field, this.input.value, this.value) : { value: this.value };
    }

    /** Goes on with this value, which was stored. */
    settle(value) {
        Object.assign(this, { value, before: inputText(this.field, value) });
        this.input.value = this.before;
    }

    focus() {
        this.input.focus({ preventScroll: true });
        if (!this._isStarted) this.input.select();
    }
}
