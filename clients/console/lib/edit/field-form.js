import { element, fill } from '../elements.js';
import { textOf } from '../fields/format.js';
import { controlFor } from './control.js';
import { openEditor } from './editor.js';

let numbers = 0;

/** One field in a form: a label with the control, or for what is picked a button that opens the picker. */
export class FormField {
    constructor(field, value, rows) {
        Object.assign(this, { field, value, rows });
        const id = `field-${++numbers}`;
        this._problem = element('p', { class: 'form-problem', id: `${id}-problem`, role: 'alert' });
        const options = { id, 'aria-describedby': `${id}-problem`, required: field.isRequired };
        this._control = controlFor(field, value, rows, null, options);
        this._isPicked = this._control.isMany !== undefined;
        if (this._isPicked) this._button = this._pickButton(id);
        this.element = element('div', { class: 'field' },
            element('label', { for: id, text: `${field.label}${field.isRequired ? '' : ' (optional)'}` }),
            this._button ?? this._control.element, this._problem);
    }

    focus() {
        (this._button ?? this._control).focus();
    }

    /** `{ value }`, or `{ problem }`, which is shown. */
    read() {
        const read = this._isPicked ? this._picked() : this._read();
        this._problem.textContent = read.problem ?? '';
        (this._button ?? this._control.input).setAttribute('aria-invalid', String(Boolean(read.problem)));
        return read;
    }

    _read() {
        const read = this._control.read();
        const isMissing = this.field.isRequired && !read.problem && (read.value ?? '') === '';
        return isMissing ? { problem: `${this.field.label} is needed.` } : read;
    }

    _picked() {
        const isMissing = this.field.isRequired && (this.value ?? null) === null;
        return isMissing ? { problem: `${this.field.label} is needed.` } : { value: this.value };
    }

    _pickButton(id) {
        const text = () => textOf(this.field, this.value, this.rows.names) || 'Choose …';
        const button = element('button', {
            type: 'button', id, class: 'pick', 'aria-haspopup': 'listbox', 'aria-describedby': `${id}-problem`,
            onclick: () => openEditor({
                anchor: () => button, field: this.field, value: this.value, rows: this.rows, row: null,
                onSave: value => {
                    this.value = value;
                    fill(button, element('span', { dir: 'auto', text: text() }));
                    this.read();
                },
                onEnd: move => move && button.focus(),
            }),
        }, element('span', { dir: 'auto', text: text() }));
        return button;
    }
}
