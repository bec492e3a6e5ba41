import { UndoButtons } from '../edit/undo/buttons.js';
import { element, icon } from '../elements.js';
import { KEYS } from './list/keys.js';
import { ZOOMS } from './view/time-scale.js';

const ICONS = {
    add: 'M8 3v10M3 8h10', minus: 'M3 8h10', earlier: 'M10 3l-5 5l5 5', later: 'M6 3l5 5l-5 5',
    task: 'M3.500 8h.1M8 8h.1M12.500 8h.1',
};

/** New tasks and what can be done with one, the chart's zoom and days, and which keys there are. */
export class Toolbar {
    constructor({ onAdd, onMenu, onZoom, onZoomStep, onPan, onToday, onToggleAll, onFollow, onDetails, edits }) {
        this._undo = new UndoButtons(edits);
        this._zooms = Object.entries(ZOOMS).map(([zoom, { name }]) => element('button', {
            type: 'button', role: 'radio', 'data-zoom': zoom, text: name, onclick: () => onZoom(zoom),
        }));
        const group = {
            class: 'segments', role: 'radiogroup', 'aria-label': 'Zoom', onkeydown: event => this._walk(event),
        };
        this._follow = element('button', {
            class: 'quiet', text: 'Move followers', 'aria-pressed': 'false',
            title: 'Moves what waits for a task with it, if it would be too early otherwise',
            onclick: () => onFollow(this._follow.getAttribute('aria-pressed') !== 'true'),
        });
        this._readOnly = element('span', { class: 'chip read-only', text: 'Read only', hidden: true });
        this._count = element('span', { class: 'muted plan-count' });
        this._add = element('button', { class: 'primary', onclick: onAdd }, icon(ICONS.add),
            element('span', { text: 'New task' }));
        this._task = round('task', 'What can be done with the task', () => onMenu(this._task));
        this._task.setAttribute('aria-haspopup', 'menu');
        this.element = element('div', { class: 'plan-bar', role: 'toolbar', 'aria-label': 'Plan' },
            this._add, this._task, this._undo.element, this._follow,
            element('div', group, this._zooms),
            round('minus', 'Zoom out', () => onZoomStep(-1)), round('add', 'Zoom in', () => onZoomStep(1)),
            round('earlier', 'Earlier', () => onPan(-1)),
            element('button', { class: 'quiet', text: 'Today', onclick: onToday }),
            round('later', 'Later', () => onPan(1)),
            element('button', { class: 'quiet', text: 'Expand all', onclick: () => onToggleAll(true) }),
            element('button', { class: 'quiet', text: 'Collapse all', onclick: () => onToggleAll(false) }),
            this._readOnly, this._count,
            element('button', { class: 'quiet', text: 'Details', onclick: onDetails }), keyHelp());
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

    /** `canAdd`, `canEdit`: whether the reader may add and move tasks. */
    showRole(canAdd, canEdit) {
        this._add.hidden = !canAdd;
        this._follow.hidden = !canEdit;
    }

    showFollowing(isOn) {
        this._follow.setAttribute('aria-pressed', `${isOn}`);
    }

    /** `why`: a sentence if nothing can be edited, otherwise null. */
    showReadOnly(why) {
        this._readOnly.hidden = why === null;
        this._readOnly.title = why ?? '';
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

const round = (drawing, label, onclick) => element('button', {
    type: 'button', class: 'quiet round', 'aria-label': label, title: label, onclick,
}, icon(ICONS[drawing]));

function keyHelp() {
    const list = element('dl', {}, KEYS.map(([keys, does]) => [
        element('dt', {}, element('kbd', { text: keys })), element('dd', { text: does }),
    ]));
    return element('div', { class: 'plan-help' },
        element('button', { class: 'quiet', popovertarget: 'plan-keys', text: 'Keys' }),
        element('div', { class: 'popover', popover: 'auto', id: 'plan-keys' }, list));
}
