import { chip, element, fill, loading, problem } from '../elements.js';
import { textOf } from '../fields/format.js';
import { notify } from '../notices.js';
import { pathTo } from '../routes.js';
import { instant } from '../times.js';
import { lookAt } from './look.js';
import { reasonText } from './reasons.js';
import { notShownBy } from './twice.js';
import { valueTable } from './values.js';

/** The server's list of the user's lost edits, of all devices. It needs a network. */
export class Inbox {
    _entries = null;
    _copies = new Map();

    constructor(context, catalog) {
        Object.assign(this, { context, catalog });
        this._list = element('div', { class: 'inbox' });
        this.element = element('section', { class: 'edit-list' },
            element('h2', { text: 'Lost edits on the server' }),
            element('p', { class: 'muted',
                text: 'What the server did not take from any of your devices, but for what this browser has set aside. '
                    + 'It keeps this list for 30 days.' }),
            this._list);
        this._stop = context.onState(({ isOnline }) => this._follow(isOnline));
    }

    stop() {
        this._stop();
        this._isOver = true;
    }

    /** Asks again whenever the network is back. */
    _follow(isOnline) {
        if (isOnline === this._isOnline) return;
        this._isOnline = isOnline;
        if (isOnline !== false) return this._ask();
        this._shown = null;
        return fill(this._list, element('p', { class: 'muted', text: 'Offline: this list needs the network.' }));
    }

    async _ask() {
        if (this._list.children.length === 0) fill(this._list, loading('Asking the server …'));
        try {
            const entries = await this.context.tidemark.inbox();
            this._look = await lookAt(this.context, this.catalog, entries);
            this._entries = entries.reverse();
            if (!this._isOver) this._show();
        } catch (error) {
            this._shown = null;
            if (!this._isOver) fill(this._list,
                problem(error, element('button', { text: 'Try again', onclick: () => this._ask() })));
        }
    }

    /** Leaves out what these copies show already, and goes on doing so when they are dealt with. */
    leaveOut(copies) {
        for (const copy of copies) this._copies.set(copy.number, copy);
        if (this._entries && this._isOnline !== false) this._show();
    }

    _show() {
        const entries = notShownBy([...this._copies.values()], this._entries);
        const shown = JSON.stringify(entries);
        if (shown === this._shown) return;
        this._shown = shown;
        fill(this._list, entries.length === 0 ? element('p', { class: 'muted', text: 'None.' })
            : entries.map(entry => this._card(entry, this._look)));
    }

    _card(entry, look) {
        const { collection: name, id, field: fieldName, code, at } = entry;
        const collection = this.catalog.collection(name);
        const field = fieldName === null ? null : collection?.field(fieldName);
        const remove = () => this._dismiss(entry, made);
        const made = element('article', { class: 'edit-card' },
            element('header', {}, chip(field?.label ?? fieldName ?? 'Row', 'warning'),
                element('h3', {}, element('a', { href: `#${pathTo('/row/:collection/:id', { collection: name, id })}`,
                    dir: 'auto', text: nameOf(entry, look) })),
                element('span', { class: 'muted', text: collection?.singular ?? name }), instant(at)),
            element('p', { text: reasonText(code) }),
            collection && fieldName === null && typeof entry.sent === 'object'
                ? valueTable(collection, { values: entry.sent ?? {}, changed: [], base: null, status: 'created' },
                    null, look.names(entry))
                : values(field, entry, look.names(entry)),
            element('div', { class: 'actions' },
                element('button', { type: 'button', text: 'Dismiss', onclick: remove })));
        return made;
    }

    async _dismiss({ entry }, card) {
        try {
            await this.context.tidemark.dismissFromInbox(entry);
            this._entries = this._entries.filter(each => each.entry !== entry);
            const next = card.nextElementSibling ?? card.previousElementSibling;
            card.remove();
            next?.querySelector('button')?.focus();
        } catch (error) {
            notify(error.detail ?? String(error), 'bad');
        }
    }
}

function values(field, { sent, kept }, names) {
    const text = value => (field ? textOf(field, value, names) : JSON.stringify(value)) || '(nothing)';
    const line = (name, value) => [element('dt', { text: name }), element('dd', { dir: 'auto', text: text(value) })];
    return element('dl', {}, line('Sent', sent), kept !== undefined && kept !== null && line('Kept', kept));
}

/** The row's present name or, if it is not here, the one that was sent. */
function nameOf(entry, look) {
    const { collection, field, sent, id } = entry;
    const row = look.present(entry) ?? (field === null && sent ? { ...sent, id } : null);
    return row ? look.names(entry).of(collection, row) : id;
}
