import { notify } from '../notices.js';

const MEMBER = 100;
const PAUSE = 250;

function timer(callback, milliseconds) {
    const number = setTimeout(callback, milliseconds);
    return () => clearTimeout(number);
}

/**
 * Edits of tasks. An edit is shown at once, stored by the copy, and sent when there is a network. Until the copy's rows
 * have it, they are shown with it.
 */
export class Editing {
    role = null;
    isArchived = false;
    _pending = new Map();
    _nudged = null;

    /** `onShown()` is called when the plan has changed. `wait(callback, milliseconds)` returns what ends the wait. */
    constructor(tidemark, plan, onShown, wait = timer) {
        Object.assign(this, { tidemark, plan, onShown, _wait: wait });
    }

    /** Whether the reader's role allows to edit tasks. The server judges again. */
    get isAllowed() {
        return this.role >= MEMBER && !this.isArchived;
    }

    /** Shows a task with other values, without an edit. */
    preview({ task: { id } }, values) {
        this.plan.change(id, values);
        this.onShown();
    }

    /** Resolves when the edit is stored, or was refused and taken back. */
    change(node, values) {
        this._note(node, values);
        return this._store(node.task.id, values);
    }

    /** An edit by a key. Presses that follow soon are one edit with it, so a row's history tells what was meant. */
    nudge(node, values) {
        const { id } = node.task;
        if (this._nudged?.id !== id) this.flush();
        this._nudged?.stop();
        this._note(node, values);
        const stop = this._wait(() => this.flush(), PAUSE);
        this._nudged = { id, stop, values: { ...this._nudged?.values, ...values } };
    }

    /** Stores what keys have edited, without waiting for more. */
    flush() {
        const nudged = this._nudged;
        nudged?.stop();
        this._nudged = null;
        return nudged ? this._store(nudged.id, nudged.values) : Promise.resolve();
    }

    /** The rows of the copy, with what it does not have yet. */
    applied(tasks) {
        if (this._pending.size === 0) return tasks;
        return tasks.map(task => {
            const edit = this._pending.get(task.id);
            return edit && this._isAhead(task, edit) ? { ...task, ...edit.values } : task;
        });
    }

    _note(node, values) {
        const { id, name } = node.task;
        const known = this._pending.get(id);
        const before = Object.fromEntries(Object.keys(values).map(key => [key, node.task[key]]));
        this._pending.set(id, {
            name, before: { ...before, ...known?.before }, values: { ...known?.values, ...values },
            isStored: false, isSeen: false,
        });
        this.preview(node, values);
    }

    async _store(id, values) {
        const edit = this._pending.get(id);
        try {
            await this.tidemark.update('tasks', id, values);
            if (edit) edit.isStored = true;
        } catch (error) {
            this._takeBack(id, edit);
            notify(`“${edit?.name ?? id}” was not changed: ${error.detail ?? error}`, 'bad');
        }
    }

    _takeBack(id, edit) {
        if (this._pending.get(id) !== edit) return;
        this._pending.delete(id);
        this.plan.change(id, edit.before);
        this.onShown();
    }

    /** A query that began before the edit was stored may still answer, once: so the second answer counts. */
    _isAhead(task, edit) {
        const isThere = Object.entries(edit.values).every(([name, value]) => task[name] === value);
        if (isThere || (edit.isStored && edit.isSeen)) this._pending.delete(task.id);
        if (edit.isStored) edit.isSeen = true;
        return !isThere && this._pending.get(task.id) === edit;
    }
}
