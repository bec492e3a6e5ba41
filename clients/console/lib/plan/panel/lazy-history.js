import { element } from '../../elements.js';

/** The history of a task, which the server tells once somebody opens it. */
export class LazyHistory {
    _history = null;

    /** `make(id)` resolves to the history of a row: see row/history.js. */
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

    async _begin() {
        if (this._history) return this._history.show(this._task);
        if (this._made) return undefined;
        const made = this._made = this._make(this._task.id);
        const history = await made;
        if (this._made !== made) return history.stop();
        this._history = history;
        this.element.append(history.element);
        return history.show(this._task);
    }

    _drop() {
        this._history?.stop();
        this._history?.element.remove();
        this._history = this._made = null;
    }
}
