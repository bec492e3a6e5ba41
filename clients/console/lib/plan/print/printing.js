/**
 * Prints the whole plan instead of what is in sight. `picture()` returns what printView takes; null while there is no
 * plan.
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
        if (!picture || !this._printView) return;
        this._view = this._printView(picture);
        document.body.append(this._view);
    }

    _hide() {
        this._view?.remove();
        this._view = null;
    }
}
