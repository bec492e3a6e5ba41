import { notify } from '../notices.js';

const MEMBER = 100;

/**
 * Edits of tasks. An edit is shown at once, stored by the copy, and sent when there is a network. Until the copy's rows
 * have it, they are shown with it.
 */
export class Editing {
    role = null;
    isArchived = false;
    _pending = new Map();

    /** `onShown()` is called when the plan has changed. */
    constructor(tidemark, plan, onShown) {
        Object.assign(this, { tidemark, plan, onShown });
    }

    /** Whether the reader's role allows to edit tasks. The server judges again. */
    get isAllowed() {
        return this.role >= MEMBER && !this.isArchived;
    }

    preview(node, values) {
        this.plan.change(node.task.id, values);
        this.onShown();
    }

    async change(node, values) {
        const { id, name } = node.task;
        const before = Object.fromEntries(Object.keys(values).map(key => [key, node.task[key]]));
        const edit = { values: { ...this._pending.get(id)?.values, ...values }, isStored: false, isSeen: false };
        this._pending.set(id, edit);
        this.preview(node, values);
        try {
            await this.tidemark.update('tasks', id, values);
            edit.isStored = true;
        } catch (error) {
            if (this._pending.get(id) === edit) this._pending.delete(id);
            this.preview(node, before);
            notify(`“${name}” was not changed: ${error.detail ?? error}`, 'bad');
        }
    }

    /** The rows of the copy, with what it does not have yet. */
    applied(tasks) {
        if (this._pending.size === 0) return tasks;
        return tasks.map(task => {
            const edit = this._pending.get(task.id);
            return edit && this._isAhead(task, edit) ? { ...task, ...edit.values } : task;
        });
    }

    /** A query that began before the edit was stored may still answer, once: so the second answer counts. */
    _isAhead(task, edit) {
        const isThere = Object.entries(edit.values).every(([name, value]) => task[name] === value);
        if (isThere || (edit.isStored && edit.isSeen)) this._pending.delete(task.id);
        if (edit.isStored) edit.isSeen = true;
        return !isThere && this._pending.get(task.id) === edit;
    }
}
