import { element } from '../../elements.js';

/**
 * Prints the whole plan instead of what is in sight. `picture()` returns what printView takes; null while there is no
 * plan. What makes the pages is loaded after the first picture, and a browser that prints waits for nothing.
 */
export class Printing {
    constructor(picture) {
        this._end = new AbortController();
        const { signal } = this._end;
        addEventListener('beforeprint', () => this._show(picture()), { signal });
        addEventListener('afterprint', () => this._hide(), { signal });
    }

    stop() {
        this._end.abort();
        this._hide();
    }

    async load() {
        const loaded = await import('./print-view.js').catch(() => null);
        this._printView = loaded?.printView;
    }

    _show(picture) {
        this._hide();
        if (!picture) return;
        if (!this._printView) this.load();
        this._view = this._printView?.(picture) ?? notYet(picture);
        document.body.append(this._view);
    }

    _hide() {
        this._view?.remove();
        this._view = null;
    }
}

const notYet = ({ name }) => element('div', { class: 'plan-print' }, element('h1', { text: name }),
    element('p', { text: 'The plan was still being loaded. Print it again in a moment.' }));
