import { element, fill } from '../elements.js';
import { PAGES } from '../pages.js';
import { instant, timeOfDay } from '../times.js';
import { summaryOf } from './sync-summary.js';

const hasUnsentPage = PAGES.some(({ route }) => route === '/unsent');

/** A button that says how the sync goes, with what is behind it. */
export class SyncState {
    constructor(context) {
        this.context = context;
        this._details = element('div', { class: 'popover', popover: 'auto', id: 'sync-details' });
        this._button = element('button', { class: 'sync quiet', popovertarget: 'sync-details' });
        this._said = element('span', { class: 'unseen', role: 'status' });
        this.element = element('div', { class: 'sync-box' }, this._button, this._details, this._said);
        this._stop = context.onState(state => this._show(state));
    }

    stop() {
        this._stop();
    }

    _show(state) {
        const { text, kind } = summaryOf(state);
        fill(this._button, element('span', { class: `dot ${kind}` }), element('span', { class: 'sync-text', text }));
        this._button.title = text;
        // Screen readers hear of trouble, not of every sync.
        const said = ['warning', 'bad'].includes(kind) ? text : '';
        if (this._said.textContent !== said) this._said.textContent = said;
        fill(this._details, details(state), element('div', { class: 'actions' },
            element('button', { text: 'Sync now', onclick: () => this.context.tidemark.sync().catch(() => {}) }),
            hasUnsentPage && element('a', { class: 'button', href: '#/unsent', text: 'Unsent edits' })));
    }
}

function details({ isOnline, isSignedIn, unsent, filesToSend, refused, setAside, lastSync, error }) {
    const network = isOnline === null ? 'not tried yet' : isOnline ? 'online' : 'offline';
    return element('dl', {},
        line('Network', network),
        line('Session', isSignedIn ? 'signed in' : 'ended'),
        line('Unsent edits', unsent),
        filesToSend > 0 && line('Files to send', filesToSend),
        line('Refused', refused.length),
        line('Set aside', setAside),
        line('Last sync', lastSync === null ? 'never' : lastSyncTime(lastSync)),
        error && line('Last problem', error.detail));
}

const line = (name, value) => [
    element('dt', { text: name }), element('dd', {}, value instanceof Node ? value : `${value}`),
];

const lastSyncTime = value => new Date(value).toDateString() === new Date().toDateString()
    ? timeOfDay(value) : instant(value);
