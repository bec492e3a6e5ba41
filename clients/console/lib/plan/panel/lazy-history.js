import { element } from '../../elements.js';

/** The history of a task, which the server tells once somebody opens it. */
export class LazyHistory {
    _history = null;

    /** `make(id)` makes the history of a row: see row/history.js. */
    constructor(make) {
        this._make = make;
        this.element = element('details', { class: 'plan-history', ontoggle: () => this._toggle() },
            element('summary', { text: 'History' }));
    }

    /** Shows the history of this task, if it is open. */
    show(task) {
        if (this._task?.id !== task.id) this._drop();
        this._task = task;
        if (this.element.open) this._begin();
    }

    close() {
        this._drop();
        this.element.open = false;
    }

    _toggle() {
        if (this.element.open && this._task) this._begin();
    }

    _begin() {
        if (!this._history) {
            this._history = this._make(this._task.id);
            this.element.append(this._history.element);
        }
        this._history.show(this._task);
    }

    _drop() {
        this._history?.stop();
        this._history?.element.remove();
        this._history = null;
    }
}
