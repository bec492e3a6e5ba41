import { element } from '../elements.js';
import { inputText, typed } from '../fields/parse.js';

/** A control of several lines: long texts, lists with a text a line, and JSON. */
export class Block {
    isBlock = true;

    constructor(field, value, attributes = {}) {
        Object.assign(this, { field, value, before: inputText(field, value) });
        this.input = this.element = element('textarea', {
            value: this.before, rows: 6, dir: field.kind === 'data' ? null : 'auto',
            class: field.kind === 'data' ? 'mono' : null, spellcheck: field.kind === 'long text' ? null : 'false',
            ...attributes,
        });
    }

    get isChanged() {
        return this.input.value !== this.before.replace(/\r\n?/g, '\n');
    }

    read() {
        return this.isChanged ? typed(this.field, this.input.value) : { value: this.value };
    }

    /** Goes on with this value, which was stored. */
    settle(value) {
        Object.assign(this, { value, before: inputText(this.field, value) });
        this.input.value = this.before;
    }

    focus() {
        this.input.focus({ preventScroll: true });
        this.input.setSelectionRange(this.input.value.length, this.input.value.length);
    }
}
