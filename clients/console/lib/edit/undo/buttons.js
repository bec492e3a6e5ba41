import { element, icon } from '../../elements.js';
import { notifyError } from '../../notices.js';

const ICONS = {
    undo: 'M5.500 3l-3 3l3 3M2.500 6h6.500a3.500 3.500 0 0 1 0 7h-3',
    redo: 'M10.500 3l3 3l-3 3M13.500 6h-6.500a3.500 3.500 0 0 0 0 7h3',
};
const KINDS = {
    undo: { text: 'Undo', keys: 'Ctrl+Z', shortcut: 'Control+Z', nameOf: edits => edits.undoName },
    redo: { text: 'Redo', keys: 'Ctrl+Shift+Z', shortcut: 'Control+Shift+Z', nameOf: edits => edits.redoName },
};

/** Two buttons, which say what they would take back or do again. `stop()` ends them. */
export class UndoButtons {
    constructor(edits) {
        this.edits = edits;
        this._buttons = Object.entries(KINDS).map(([kind, { text, shortcut }]) => element('button', {
            type: 'button', class: `quiet ${kind}`, 'aria-keyshortcuts': shortcut,
            onclick: () => edits[kind]().catch(notifyError),
        }, icon(ICONS[kind]), element('span', { text })));
        this.element = element('span', { class: 'undo-buttons', role: 'group', 'aria-label': 'Undo and redo' }, this._buttons);
        this._stop = edits.onChange(() => this._show());
        this._show();
    }

    stop() {
        this._stop();
    }

    /** A button that has the focus stays, so the focus does. */
    _show() {
        Object.values(KINDS).forEach(({ text, keys, nameOf }, place) => {
            const button = this._buttons[place];
            const name = nameOf(this.edits);
            const label = name === null ? text : `${text}: ${name}`;
            button.setAttribute('aria-label', label);
            button.title = name === null ? `Nothing to ${text.toLowerCase()}` : `${label} (${keys})`;
            button.setAttribute('aria-disabled', String(name === null));
        });
    }
}
