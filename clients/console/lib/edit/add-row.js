import { openDialog } from '../dialog.js';
import { element } from '../elements.js';
import { whyNotEdit } from '../fields/access.js';
import { inColumnOrder } from '../query/columns.js';
import { FormField } from './field-form.js';
import { quoted } from './undo/words.js';

/**
 * Asks for what a new row needs, and adds it. Everything else of it is edited in the table. `onAdded` is told the row's
 * id.
 */
export function openAddRow({ edits, collection, project, rows, who, onAdded }) {
    const fields = asked(collection, who).map(field => new FormField(field, startOf(field), rows));
    const problem = element('p', { class: 'form-problem', role: 'alert' });
    const add = async event => {
        event.preventDefault();
        const read = fields.map(each => ({ each, ...each.read() }));
        const wrong = read.find(each => each.problem);
        if (wrong) return wrong.each.focus();
        const values = Object.fromEntries(read.map(({ each: { field }, value }) => [field.name, value]));
        try {
            const row = { ...whole(values, collection), project_id: project };
            const called = collection.nameField && row[collection.nameField.name];
            const name = `Add ${collection.singular}${called ? ` ${quoted(called)}` : ''}`;
            const { ids: [id] } = await edits.apply({ name, changes: [{ collection: collection.name, insert: row }] });
            dialog.close();
            onAdded(id);
        } catch (error) {
            problem.textContent = error.detail ?? String(error);
        }
    };
    const form = element('form', { class: 'add-row', novalidate: true, onsubmit: add },
        fields.map(each => each.element), problem,
        element('div', { class: 'actions' },
            element('button', { type: 'button', text: 'Cancel', onclick: () => dialog.close() }),
            element('button', { class: 'primary', text: `Add ${collection.singular}` })));
    const dialog = openDialog({ title: `New ${collection.singular}` }, form);
    fields[0]?.focus();
}

/** What a new row is asked for: what it needs, and its name. */
export function asked(collection, who) {
    const needed = inColumnOrder(collection).filter(field => field.isRequired || field === collection.nameField);
    return needed.filter(field => whyNotEdit(collection, field, null, who) === null);
}

/** A value to begin with: the schema's, or today. */
export function startOf({ kind, isRequired, standard, choices, document }, now = new Date()) {
    if (standard !== null || !isRequired) return standard;
    if (kind === 'date') return [now.getFullYear(), now.getMonth() + 1, now.getDate()]
        .map(part => String(part).padStart(2, '0')).join('-');
    if (kind === 'choice') return choices[0].value;
    return kind === 'integer' && document.minimum > 0 ? document.minimum : null;
}

/** Without the fields that nothing was written for, so they get the schema's values. */
const whole = (values, collection) => Object.fromEntries(Object.entries(values)
    .filter(([name, value]) => value !== null || collection.field(name).isNullable));
