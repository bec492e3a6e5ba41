import { UndoButtons } from '../edit/undo/buttons.js';
import { element } from '../elements.js';
import { KEYS } from './keys.js';
import { ZOOMS } from './view/time-scale.js';

/** Zoom, today, open and close all, and which keys there are. */
export class Toolbar {
    constructor({ onZoom, onToday, onToggleAll, onDetails, edits }) {
        this._undo = new UndoButtons(edits);
        this._zooms = Object.entries(ZOOMS).map(([zoom, { name }]) => element('button', {
            type: 'button', role: 'radio', 'data-zoom': zoom, text: name, onclick: () => onZoom(zoom),
        }));
        const group = {
            class: 'segments', role: 'radiogroup', 'aria-label': 'Zoom', onkeydown: event => this._walk(event),
        };
        this._count = element('span', { class: 'muted plan-count' });
        this.element = element('div', { class: 'plan-bar' },
            element('div', group, this._zooms),
            element('button', { class: 'quiet', text: 'Today', onclick: onToday }),
            element('button', { class: 'quiet', text: 'Expand all', onclick: () => onToggleAll(true) }),
            element('button', { class: 'quiet', text: 'Collapse all', onclick: () => onToggleAll(false) }),
            this._undo.element, this._count, element('button', { class: 'quiet', text: 'Details', onclick: onDetails }), keyHelp());
    }

    stop() {
        this._undo.stop();
    }

    showZoom(zoom) {
        for (const button of this._zooms) {
            const isOn = button.dataset.zoom === zoom;
            button.setAttribute('aria-checked', `${isOn}`);
            button.tabIndex = isOn ? 0 : -1;
        }
    }

    showCount(text) {
        this._count.textContent = text;
    }

    /** Arrow keys choose, as in every group of radio buttons. */
    _walk(event) {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        const here = this._zooms.indexOf(document.activeElement);
        if (!step || here < 0) return;
        const next = this._zooms[(here + step + this._zooms.length) % this._zooms.length];
        next.focus();
        next.click();
        event.preventDefault();
    }
}

function keyHelp() {
    const list = element('dl', {}, KEYS.map(([keys, does]) => [
        element('dt', {}, element('kbd', { text: keys })), element('dd', { text: does }),
    ]));
    return element('div', { class: 'plan-help' },
        element('button', { class: 'quiet', popovertarget: 'plan-keys', text: 'Keys' }),
        element('div', { class: 'popover', popover: 'auto', id: 'plan-keys' }, list));
}
