import { element, fill, icon } from '../elements.js';
import { cellModel } from '../grid/row-model.js';
import { content } from '../grid/cell.js';
import { openEditor } from '../edit/editor.js';
import { whyNotEdit } from '../fields/access.js';
import { inColumnOrder } from '../query/columns.js';
import { pathTo } from '../routes.js';
import { typeText } from './type-text.js';

const OPEN = 'M6 3h-3v10h10v-3M9 3h4v4M13 3l-6 6';

/** All fields of a row with their labels, types and values. A value is a button that opens its editor. */
export class RowFields {
    _signatures = new Map();

    /** `page` has `collection`, `names`, `rows`, `who`, and `save(row, field, before, value)`. */
    constructor(page) {
        this.page = page;
        const { collection } = page;
        this._values = new Map(inColumnOrder(collection).map(field => [field, element('div', { class: 'row-value' })]));
        this.element = element('div', { class: 'row-fields' }, [...this._values].map(([field, value]) =>
            element('div', { class: 'row-field' },
                element('div', { class: 'row-label', id: `label-${field.name}` },
                    element('span', { text: field.label }),
                    element('small', { class: 'muted', text: typeText(field),
                        title: field.document.description ?? '' })), value)));
    }

    show(row, wrong) {
        const { collection, names, who } = this.page;
        for (const [field, box] of this._values) {
            const model = cellModel(field, row, names);
            const why = whyNotEdit(collection, field, row, who);
            const shown = JSON.stringify([model, why, row[field.name], wrong.has(field.name),
                row._changed.includes(field.name)]);
            if (this._signatures.get(field) === shown) continue;
            this._signatures.set(field, shown);
            const hadFocus = box.contains(document.activeElement);
            fill(box, this._value(field, row, model, why, wrong), this._link(field, row));
            if (hadFocus) box.querySelector('button')?.focus();
        }
    }

    _value(field, row, model, why, wrong) {
        const isLong = model.kind === 'long text' || model.kind === 'data';
        const kind = ['value', isLong && 'long', wrong.has(field.name) && 'wrong',
            row._changed.includes(field.name) && 'unsent']
            .filter(Boolean).join(' ');
        const shown = model.text === '' ? element('span', { class: 'muted', text: '—' })
            : model.value === false ? element('span', { text: model.text })
                : content(model.kind, model.text, model.value, model);
        if (why !== null) return element('div', { class: `${kind} fixed`, title: why }, shown);
        return element('button', {
            type: 'button', class: kind, 'aria-label': `${field.label}: ${model.text || 'nothing'}. Edit`,
            onclick: () => this._edit(field),
        }, shown);
    }

    _link({ reference, kind, name }, row) {
        if (kind === 'text' && /^https?:\/\/\S+$/i.test(row[name] ?? '')) return outside(row[name]);
        if (kind !== 'reference' || !row[name]) return null;
        const href = `#${pathTo('/row/:collection/:id', { collection: reference, id: row[name] })}`;
        return element('a', { class: 'button quiet round', href,
            'aria-label': `Open ${this.page.names.row(reference, row[name])}` }, icon(OPEN));
    }

    _edit(field) {
        const { row, rows, names } = this.page;
        const before = row[field.name] ?? null;
        const box = this._values.get(field);
        if (field.kind === 'boolean' && !field.isNullable) return this.page.save(row, field, before, !before);
        return openEditor({
            anchor: () => box.querySelector('.value'), field, value: before, row, rows: { names, rowsOf: rows.rowsOf },
            onSave: value => this.page.save(row, field, before, value), onEnd: move => this._moved(field, move),
        });
    }

    _moved(field, move) {
        if (!move) return;
        const buttons = [...this.element.querySelectorAll('button.value')];
        const here = buttons.indexOf(this._values.get(field).querySelector('button.value'));
        const to = { next: 1, previous: -1 }[move] ?? 0;
        buttons[Math.max(0, Math.min(buttons.length - 1, here + to))]?.focus();
    }
}

const outside = href => element('a', {
    class: 'button', href, target: '_blank', rel: 'noopener noreferrer', 'aria-label': `Open ${href} in another window`,
}, icon(OPEN));
