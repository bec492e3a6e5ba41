import { element } from '../elements.js';
import { zone } from '../fields/format.js';
import { controlFor } from './control.js';

let shown = null;

/** Ends the editor that is open, if there is one. Returns whether it could: its value may be wrong. */
export const finishEditor = () => shown?.finish() ?? true;

/** Puts the editor that is open where its anchor is by now. */
export const followAnchor = () => shown?.follow();

/**
 * Opens an editor at the element that `anchor` returns. One that was open is ended as by a click elsewhere: it stays,
 * and no other is opened, if its value is wrong. Enter or Tab ends it, Escape leaves
 * the value as it was, and so does a click elsewhere if nothing was changed. `onSave(value)` is called if it was
 * changed; `onEnd(move)` always, with `next` or `previous` after Tab, and null if the focus has gone elsewhere.
 * `onKey(event)` sees each key first, and returns whether it was for the page.
 */
export function openEditor({ anchor, field, value, rows, row, start = null, onKey = () => false, onSave, onEnd }) {
    if (!finishEditor()) return shown;
    shown = new Editor({ anchor, field, onKey, onSave, onEnd });
    shown.open(options => controlFor(field, value, rows, row, { start, ...options }));
    return shown;
}

class Editor {
    constructor(parts) {
        Object.assign(this, parts);
    }

    open(makeControl) {
        const { field, anchor } = this;
        this._problem = element('p', { class: 'form-problem', role: 'alert', id: 'editor-problem' });
        this.control = makeControl({
            onPick: () => this.finish('stay'), 'aria-label': field.label,
            'aria-describedby': 'editor-problem editor-hint',
        });
        const hint = this._hint();
        const isWide = this.control.isBlock || this.control.isMany;
        this.element = element('div', {
            class: ['editor', isWide && 'wide', field.isNumeric && 'number'].filter(Boolean).join(' '), role: 'dialog',
            'aria-label': `Edit ${field.label}`, onkeydown: event => this._key(event),
        }, this.control.element, this._problem, element('p', { class: 'hint muted', id: 'editor-hint', text: hint }),
        isWide && this._buttons());
        (anchor().closest('dialog') ?? document.body).append(this.element);
        this._place();
        this._listeners(true);
        this.control.focus();
    }

    /** Ends it and stores what was changed. Returns whether it could: a wrong value has to be corrected, or left. */
    finish(move = null) {
        const { value, problem } = this.control.read();
        this._problem.textContent = problem ?? '';
        this.control.input.setAttribute('aria-invalid', String(Boolean(problem)));
        if (problem) {
            this.control.focus();
            return false;
        }
        const { isChanged } = this.control;
        this._close();
        if (isChanged) this.onSave(value);
        this.onEnd(move);
        return true;
    }

    cancel(move = null) {
        this._close();
        this.onEnd(move);
    }

    _close() {
        this._listeners(false);
        if (shown === this) shown = null;
        this.element.remove();
    }

    _hint() {
        if (this.field.kind === 'instant') return zone();
        if (this.field.kind === 'texts') return 'One a line.';
        if (this.field.kind === 'weekdays') return '';
        return this.field.document.description ?? '';
    }

    _buttons() {
        return element('div', { class: 'actions' },
            element('button', { type: 'button', class: 'quiet', text: 'Cancel', onclick: () => this.cancel('stay') }),
            element('button', { type: 'button', class: 'primary', text: 'Save', onclick: () => this.finish('stay') }));
    }

    _key(event) {
        const isFar = event.ctrlKey || event.metaKey;
        event.stopPropagation();
        if (event.isComposing) return;
        if (this.onKey(event)) return event.preventDefault();
        const isEnd = event.key === 'Enter' && event.target === this.control.input && (isFar || !this.control.isBlock);
        if (event.key === 'Escape') this.cancel('stay');
        else if (isEnd) this.finish('stay');
        else if (event.key === 'Tab' && this._isLast(event)) this.finish(event.shiftKey ? 'previous' : 'next');
        else return;
        event.preventDefault();
    }

    /** Tab goes on within the editor first, if there are buttons. */
    _isLast({ target, shiftKey }) {
        const stops = [this.control.input, ...this.element.querySelectorAll('button:not([tabindex="-1"])')];
        return target === (shiftKey ? stops[0] : stops.at(-1));
    }

    // Where it is.

    follow() {
        this._place();
    }

    _listeners(isOn) {
        this._moved ??= () => this._place();
        this._pointed ??= event => {
            if (!this.element.contains(event.target) && !this.finish()) event.preventDefault();
        };
        const change = isOn ? 'addEventListener' : 'removeEventListener';
        window[change]('scroll', this._moved, true);
        window[change]('resize', this._moved);
        document[change]('pointerdown', this._pointed, true);
    }

    /** At the anchor, within the window. An anchor that left the document leaves the editor where it is. */
    _place() {
        const anchor = this.anchor();
        if (!anchor?.isConnected) return;
        const { left, top, width, height, bottom } = anchor.getBoundingClientRect();
        const { style } = this.element;
        style.minWidth = `${this.field.isNumeric ? width : Math.max(width, 12 * 16)}px`;
        style.setProperty('--anchor-height', `${height}px`);
        const { offsetWidth, offsetHeight } = this.element;
        const [wide, high] = [document.documentElement.clientWidth, window.innerHeight];
        const isAbove = top + offsetHeight > high - 8 && bottom - offsetHeight > 8;
        style.left = `${Math.max(4, Math.min(left, wide - offsetWidth - 4))}px`;
        style.top = `${isAbove ? bottom - offsetHeight : Math.max(4, Math.min(top, high - offsetHeight - 4))}px`;
    }
}
