import { element, fill, loading, problem } from '../elements.js';
import { worded } from '../online.js';

/**
 * A list that comes page by page. `ask(after)` resolves to a page of the API, `{ results, next }`; `rows(results,
 * isFirst)` makes elements of it for the element `into`. `nothing()` is shown if there is none.
 */
export class KeysetList {
    _round = 0;

    constructor({ ask, into, rows, nothing, waiting = 'Loading …', more = 'Show more' }) {
        Object.assign(this, { ask, into, rows, nothing, waiting });
        this._more = element('button', { text: more, onclick: () => this._next() });
        this._foot = element('div', { class: 'list-foot', role: 'status' });
        this.element = element('div', { class: 'online' });
    }

    /** From the beginning. What is on the page stays until the first page of the list is here. */
    async show() {
        this._round += 1;
        if (!this.element.hasChildNodes()) fill(this.element, loading(this.waiting));
        await this._load(null, page => {
            fill(this.into, this.rows(page.results, true));
            const isEmpty = page.results.length === 0 && page.next === null;
            fill(this.element, isEmpty ? this.nothing() : [this.into, this._foot]);
        }, error => fill(this.element,
            problem(error, element('button', { text: 'Try again', onclick: () => this.show() }))));
    }

    close() {
        this._round += 1;
    }

    async _next() {
        const hadFocus = document.activeElement === this._more;
        this._more.disabled = true;
        await this._load(this._after, page => {
            const made = this.rows(page.results, false);
            this.into.append(...made);
            // Keyboards go on with what has come.
            if (hadFocus && page.next === null) made[0]?.querySelector?.('a, button')?.focus();
        }, error => fill(this._foot, element('p', { class: 'form-problem', text: error.detail ?? String(error) }),
            this._more));
        this._more.disabled = false;
        if (hadFocus && this._more.isConnected) this._more.focus();
    }

    async _load(after, onPage, onError) {
        const round = this._round;
        try {
            const page = await this.ask(after);
            if (round !== this._round) return;
            this._after = page.next;
            fill(this._foot, page.next !== null && this._more);
            onPage(page);
        } catch (error) {
            if (round === this._round) onError(worded(error));
        }
    }
}
