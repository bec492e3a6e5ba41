import { openEditor } from '../../edit/editor.js';
import { element } from '../../elements.js';
import { textOf } from '../../fields/format.js';

let numbers = 0;

/** A label with a button, which opens a picker: for a status, a person, or the task above. */
export class PickedField {
    /** `rows` is `{ names, rowsOf }`, and `onChange` is that of Fields. */
    constructor(field, rows, onChange) {
        Object.assign(this, { field, rows, onChange });
        const id = `plan-pick-${++numbers}`;
        this._text = element('span', { dir: 'auto' });
        this._button = element('button', {
            type: 'button', class: 'pick', id, 'aria-haspopup': 'listbox', onclick: () => this._open(),
        }, this._text);
        this.element = element('div', { class: 'field' },
            element('label', { for: id, text: field.label }), this._button);
    }

    show(task, node) {
        Object.assign(this, { _task: task, _node: node });
        const { field, rows } = this;
        const text = textOf(field, task[field.name] ?? null, rows.names) || 'None';
        if (text !== this._text.textContent) this._text.textContent = text;
    }

    _open() {
        const { field, rows: { names, rowsOf }, _task: task, _node: node } = this;
        const value = task[field.name] ?? null;
        openEditor({
            anchor: () => this._button, field, value, row: task,
            rows: { names, rowsOf: name => (name === 'tasks' ? without(rowsOf(name), node) : rowsOf(name)) },
            onSave: chosen => this.onChange({ [field.name]: chosen }, { [field.name]: value }),
            onEnd: move => move && this._button.focus(),
        });
    }
}

/** The tasks that another one can be put below: not what is below it. */
function without(tasks, node) {
    const others = new Map(tasks);
    for (const open = [...node.children]; open.length > 0;) {
        const each = open.pop();
        others.delete(each.task.id);
        open.push(...each.children);
    }
    return others;
}
