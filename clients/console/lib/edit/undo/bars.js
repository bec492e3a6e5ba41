import { catalogOf } from '../../data/catalog.js';
import { element, fill } from '../../elements.js';
import { notify, notifyError } from '../../notices.js';
import { isTyping, turnOf } from './keys.js';

/** What a window shows of its edits: a bar for each deletion that waits, what undo and redo did, and their keys. */
export class UndoBars {
    _bars = new Map();

    constructor({ edits, tidemark }) {
        Object.assign(this, { edits, tidemark });
        this._end = new AbortController();
        addEventListener('keydown', event => this._press(event), { signal: this._end.signal });
        this._stops = [
            edits.waiting.onChange(() => this._show()), edits.onChange(() => this._show()),
            edits.onReport(report => this._tell(report).catch(notifyError)),
            edits.onTrouble(notifyError),
        ];
    }

    stop() {
        this._end.abort();
        this._stops.forEach(stop => stop());
        this._bars.forEach(bar => bar.element.remove());
        this._notice?.remove();
    }

    _press(event) {
        const turn = turnOf(event);
        const isElsewhere = event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]');
        if (!turn || isElsewhere || isTyping(event.target)) return;
        event.preventDefault();
        this.edits[turn]().catch(notifyError);
    }

    /** The last word only: somebody who goes back many steps reads where they are. */
    async _tell(report) {
        const { reportText } = await this.edits.load();
        const { text, isWhole } = reportText(report, await catalogOf(this.tidemark));
        this._notice?.remove();
        this._notice = notify(text, isWhole ? '' : 'stays');
    }

    _show() {
        const { waiting } = this.edits;
        for (const [deletion, bar] of this._bars) {
            if (waiting.all.includes(deletion)) bar.show();
            else bar.element.remove();
        }
        if (waiting.all.some(each => !this._bars.has(each))) this._notice?.remove();
        this._bars = new Map(waiting.all.map(each => [each, this._bars.get(each) ?? new Bar(this, each)]));
    }
}

/** Says what is about to go, and takes it back. The time stands still while the pointer or the focus is in it. */
class Bar {
    _hidden = new Map();

    constructor({ edits, tidemark }, deletion) {
        Object.assign(this, { edits, tidemark, deletion });
        this._text = element('div', { class: 'undo-text' });
        this._clock = element('span', { class: 'undo-clock', 'aria-hidden': 'true' });
        this.element = element('div', {
            class: 'notice undo-bar', onpointerenter: () => this._hold(), onpointerleave: () => this._goOn(),
            onfocusin: () => this._hold(), onfocusout: () => this._goOn(),
        }, this._text, element('button', { type: 'button', class: 'undo', text: 'Undo', onclick: () => this._undo() }),
        this._clock);
        document.getElementById('notices').append(this.element);
        this._ask();
    }

    async show() {
        const [catalog, later] = [await catalogOf(this.tidemark), await this.edits.load().catch(() => null)];
        const lines = later?.deletionLines(this.deletion, catalog, this._hidden) ?? [`${this.deletion.name} …`];
        if (lines.join() === this._shown) return;
        this._shown = lines.join();
        fill(this._text, lines.map(text => element('p', { text })));
    }

    /** What only the server knows is added when it answers. Without a network nobody says. */
    async _ask() {
        await this.show();
        for (const { collection, id, row } of this.deletion.rows.slice(0, 20)) {
            if (row.server_version === 0) continue;
            const found = await this.edits.load().then(({ hiddenRows }) => hiddenRows(this.tidemark, collection, id))
                .catch(() => new Map());
            for (const [name, count] of found) this._hidden.set(name, (this._hidden.get(name) ?? 0) + count);
        }
        await this.show();
    }

    /** The focus goes back to the page, where the rows are again. */
    async _undo() {
        document.getElementById('page')?.focus({ preventScroll: true });
        await this.edits.keep(this.deletion);
    }

    _hold() {
        this.element.classList.add('held');
        this.edits.waiting.hold(this.deletion);
    }

    _goOn() {
        if (this.element.matches(':hover') || this.element.contains(document.activeElement)) return;
        this.element.classList.remove('held');
        this.edits.waiting.resume(this.deletion);
    }
}
