import { element, fill, loading, problem } from '../elements.js';
import { textOf } from '../fields/format.js';
import { initials } from '../grid/cell.js';
import { instant } from '../times.js';

const PAGE = 20;
/** An edit that arrived so many milliseconds after it was made was made offline. */
const LATE = 60_000;

/** Who changed what of a row, when and from where: the newest first. The server tells, so it needs a network. */
export class History {
    _entries = [];
    _next = null;
    _version = null;

    /** `page` has `context`, `collection` and `names`. */
    constructor(page, id) {
        Object.assign(this, { page, id });
        this._list = element('div', { class: 'history-list' });
        this.element = element('section', { class: 'side history' }, element('h2', { text: 'History' }), this._list);
        this._stop = page.context.onState(({ isOnline }) => this._follow(isOnline));
    }

    stop() {
        this._stop();
        this._isOver = true;
    }

    /** Asks again if the server has another version of the row. */
    show({ server_version: version }) {
        if (version === this._version) return;
        this._version = version;
        this._begin();
    }

    /** Shows the names again. */
    refresh() {
        if (this._isShown) this._show();
    }

    _follow(isOnline) {
        const wasOffline = this._isOffline;
        this._isOffline = isOnline === false;
        if (this._isOffline && !this._isShown) this._say('Offline: the history comes from the server.');
        else if (wasOffline && this._version !== null) this._begin();
    }

    _begin() {
        if (this._version === 0) return this._say('The row is not on the server yet, so it has no history.');
        return this._isOffline ? undefined : this._ask(null);
    }

    async _ask(after) {
        const { context, collection } = this.page;
        const asked = this._asked = Symbol('asked');
        if (!this._isShown) fill(this._list, loading('Asking the server …'));
        try {
            const path = `/${collection.name}/${encodeURIComponent(this.id)}/history/`;
            const { results, next, is_complete: isComplete } = await context.api('GET', path,
                { query: { limit: PAGE, after } });
            if (this._isOver || asked !== this._asked) return;
            this._entries = after === null ? results : [...this._entries, ...results];
            Object.assign(this, { _next: next, _isComplete: isComplete });
            this._show();
        } catch (error) {
            if (!this._isOver && asked === this._asked) this._fail(error);
        }
    }

    _fail(error) {
        if (error.status === 0) return this._say('The server can\'t be reached. The history needs the network.');
        if (error.status === 404) return this._say('The server has no history of this row for you.');
        this._isShown = false;
        return fill(this._list, problem(error, element('button', { text: 'Try again', onclick: () => this._begin() })));
    }

    _say(text) {
        this._isShown = false;
        fill(this._list, element('p', { class: 'muted', text }));
    }

    _show() {
        this._isShown = true;
        const more = () => element('button', {
            type: 'button', class: 'quiet', text: 'Show earlier changes', onclick: () => this._ask(this._next),
        });
        const limit = () => element('p',
            { class: 'muted', text: 'Earlier changes are not kept, or not yours to see.' });
        const end = this._next !== null ? more() : !this._isComplete && limit();
        fill(this._list, this._entries.length === 0 && element('p', { class: 'muted', text: 'No changes are kept.' }),
            element('ol', {}, this._entries.map(entry => this._entry(entry))), end);
    }

    _entry({ version, at, edited_at: editedAt, user, device, changes }) {
        const who = user ? user.display_name || user.username : 'The operator';
        const isLate = Boolean(editedAt) && Date.parse(at) - Date.parse(editedAt) > LATE;
        const changed = Object.entries(changes ?? {});
        return element('li', {},
            element('div', { class: 'history-head' }, initials(who), element('bdi', { class: 'who', text: who }),
                element('span', { class: 'muted' }, instant(at)),
                element('span', { class: 'muted', text: `v${version}` })),
            (device || isLate) && element('p', { class: 'muted small' }, isLate && ['edited ', instant(editedAt)],
                isLate && device && ', ', device && ['from ', element('bdi', { text: device })]),
            element('ul', { class: 'changes' },
                version === 1 && element('li', { class: 'muted', text: 'Created' }),
                changed.map(([name, change]) => this._change(name, change))));
    }

    _change(name, { before, after }) {
        const { collection, names } = this.page;
        const field = collection.field(name);
        const text = value => (field ? textOf(field, value, names) : String(value ?? ''));
        const [old, present] = [text(before), text(after)];
        return element('li', {}, element('span', { class: 'muted', text: `${field?.label ?? name} ` }),
            old && element('del', { dir: 'auto', text: old }), old && present && ' → ',
            present ? element('ins', { dir: 'auto', text: present })
                : element('span', { class: 'muted', text: ' emptied' }));
    }
}
