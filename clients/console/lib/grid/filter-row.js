import { element, fill } from '../elements.js';
import { HINTS } from '../query/filter.js';

/** A line of inputs below the headings, one for each column. */
export class FilterRow {
    constructor(onFilter) {
        this.onFilter = onFilter;
        this.element = element('div', { class: 'grid-filters', role: 'presentation', hidden: true });
    }

    /** `columns` are the grid's; `filters` is a Map of what is typed by the column's name. */
    show(columns, filters) {
        const typing = document.activeElement?.dataset?.filter;
        fill(this.element, element('div', { class: 'cell state' }),
            columns.map(column => element('div', { class: `cell ${column.isName ? 'name' : ''}` },
                this._control(column, filters))));
        if (typing) this.element.querySelector(`[data-filter="${CSS.escape(typing)}"]`)?.focus();
    }

    focus() {
        this.element.querySelector('input, select')?.focus();
    }

    _control({ name, label, field }, filters) {
        const value = filters.get(name) ?? '';
        const common = { 'aria-label': `Filter ${label}`, 'data-filter': name };
        const tell = ({ target }) => this.onFilter(name, target.value);
        if (field.kind === 'choice' || field.kind === 'boolean') {
            return element('select', { ...common, onchange: tell }, choices(field).map(([each, text]) =>
                element('option', { value: each, text, selected: each === value })));
        }
        return element('input', {
            ...common, type: 'text', value, oninput: tell, autocomplete: 'off', spellcheck: 'false',
            placeholder: HINTS.get(field.kind) ?? '', title: 'A - is “no value”, a * is “any value”.',
        });
    }
}

function choices({ kind, choices: known, isNullable }) {
    const values = kind === 'boolean' ? ['Yes', 'No'] : known.map(({ label }) => label).filter(Boolean);
    return [['', 'All'], ...values.map(label => [label, label]), ...(isNullable ? [['-', '(none)']] : [])];
}
