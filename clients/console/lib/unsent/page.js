import { element, empty, fill, loading, problem } from '../elements.js';
import { whenCatalog } from '../data/catalog.js';
import { asideCard, refusedCard, waitingCard } from './cards.js';
import { UnsentFiles } from './files.js';
import { Inbox } from './inbox.js';
import { lookAt } from './look.js';

/** What the server does not have: edits that wait, rows that it refused, copies set aside, and its own list. */
export function open(context) {
    const box = element('div', { class: 'unsent-page' }, loading('Loading the edits …'));
    let page = null;
    const stop = whenCatalog(context, catalog => {
        page = new Unsent(context, catalog);
        fill(box, page.element);
    }, error => fill(box, problem(error)));
    return { element: box, title: 'Unsent edits', close: () => [stop, () => page?.stop()].forEach(each => each()) };
}

class Unsent {
    _number = 0;

    constructor(context, catalog) {
        Object.assign(this, { context, catalog });
        this._edits = element('div', { class: 'edits' }, loading('Loading the edits …'));
        this._inbox = new Inbox(context, catalog);
        this._files = new UnsentFiles(context, () => this._look());
        this.element = element('div', {}, element('h1', { text: 'Unsent edits' }), this._edits,
            this._files.element, this._inbox.element);
        this._stop = context.onState(() => this._look());
    }

    stop() {
        this._stop();
        this._inbox.stop();
        this._files.stop();
        this._number = Infinity;
    }

    async _look() {
        const number = ++this._number;
        const { tidemark } = this.context;
        try {
            const [unsent, refused, aside] = [await tidemark.unsent(), await tidemark.refused(),
                await tidemark.setAside()];
            const look = await lookAt(this.context, this.catalog, [...unsent, ...aside]);
            if (number === this._number) this._show(sortedOut(unsent, refused), aside.reverse(), look);
        } catch (error) {
            if (number === this._number) fill(this._edits, problem(error));
        }
    }

    _show({ refused, waiting }, aside, look) {
        const hasFiles = !this._files.element.hidden;
        const shown = JSON.stringify([refused, waiting, aside, aside.map(look.present), hasFiles]);
        if (shown === this._shown) return;
        this._shown = shown;
        this._inbox.leaveOut(aside);
        const isEmpty = refused.length + waiting.length + aside.length === 0;
        this._edits.hidden = isEmpty && hasFiles;
        fill(this._edits, isEmpty
            ? empty('Everything is on the server',
                'Edits that could not be sent yet, or that the server did not take, appear here.')
            : [
                section('Refused', 'The server did not take these. Correct them, or give them up.',
                    refused.map(each => refusedCard(each, look))),
                section('Set aside',
                    'These edits are not going to reach the server. Write them again, or dismiss them.',
                    aside.map(each => asideCard(each, look))),
                section('Waiting', 'These go to the server with the next sync.',
                    waiting.map(each => waitingCard(each, look))),
            ]);
    }
}

/** The rows that are refused, with their reasons, and those that only wait. */
export function sortedOut(unsent, refused) {
    const reasons = new Map(refused.map(({ collection, id, reasons: its }) => [`${collection} ${id}`, its]));
    const reasonsOf = ({ collection, id }) => reasons.get(`${collection} ${id}`);
    return {
        refused: unsent.filter(reasonsOf).map(edit => ({ ...edit, reasons: reasonsOf(edit) })),
        waiting: unsent.filter(edit => !reasonsOf(edit)),
    };
}

const section = (title, text, cards) => cards.length > 0 && element('section', { class: 'edit-list' },
    element('h2', {}, title, element('span', { class: 'muted', text: ` ${cards.length}` })),
    element('p', { class: 'muted', text }), cards);
