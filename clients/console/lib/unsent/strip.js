import { element, fill } from '../elements.js';
import { TroubleActions } from './actions.js';
import { canRepeat, reasonLines, reasonText } from './reasons.js';

/** Below a table: what the server did not take of the row that is active, with its reasons and what can be done. */
export class TroubleStrip {
    _shown = '';

    /** `table` has `context`, `collection`, `troubles` and `names`. */
    constructor(table) {
        this.table = table;
        this._actions = new TroubleActions(table.context);
        this.element = element('div', { class: 'strip', role: 'status', hidden: true });
    }

    show(row) {
        const { collection, troubles } = this.table;
        const { reasons, copies } = row ? troubles.of(collection.name, row.id) : { reasons: [], copies: [] };
        const shown = JSON.stringify([row?.id, reasons, copies]);
        if (shown === this._shown) return;
        this._shown = shown;
        this.element.hidden = reasons.length + copies.length === 0;
        fill(this.element, reasons.length > 0 && this._refused(row, reasons), copies.map(copy => this._aside(copy)));
    }

    _refused(row, reasons) {
        const isNew = row._status === 'created';
        return this._line('bad', 'Refused', reasonLines(this.table.collection, reasons),
            button('Try again', () => this._actions.tryAgain()),
            button('Give up …',
                () => this._actions.giveUp({ collection: this.table.collection.name, id: row.id, isNew }), 'danger'));
    }

    _aside(copy) {
        const { collection } = this.table;
        const lines = copy.reasons.length > 0 ? reasonLines(collection, copy.reasons)
            : [{ label: '', text: reasonText(copy.reason) }];
        return this._line('warning', 'Not taken', [...lines, ...this._written(copy)],
            canRepeat(copy) && button('Write again', () => this._actions.writeAgain(collection, copy)),
            button('Dismiss', () => this._actions.dismiss(copy)));
    }

    /** What the user wrote, in a few words. */
    _written({ status, changed, values }) {
        const { collection, shown } = this.table;
        if (status !== 'updated') return [];
        const fields = changed.map(name => collection.field(name)).filter(Boolean);
        return [{ label: 'Yours', text: fields.map(field => `${field.label} “${shown(field, values)}”`).join(', ') }];
    }

    _line(kind, title, lines, ...buttons) {
        return element('div', { class: `strip-line ${kind}` }, element('strong', { text: title }),
            element('ul', {}, lines.map(({ label, text }) =>
                element('li', {}, label && element('span', { class: 'muted', text: `${label}: ` }),
                    element('bdi', { text })))),
            element('div', { class: 'actions' }, buttons));
    }
}

const button = (text, onclick, kind = '') => element('button', { type: 'button', class: kind, text, onclick });
