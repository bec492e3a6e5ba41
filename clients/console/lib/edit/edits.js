import { write } from '../data/write.js';

/** Edits of fields, with a way back. */
export class Edits {
    _done = [];

    constructor(tidemark) {
        this.tidemark = tidemark;
    }

    /**
     * Changes a field from the value `before`, which the user saw when they began. If it has another value by now,
     * nothing is changed, and the result is `{ meanwhile }`: the row as it is. Throws if the row is gone.
     */
    async save(collection, id, field, before, value, { isForced = false } = {}) {
        const row = await this.tidemark.row(collection.name, id);
        if (row === null) throw new Gone();
        const present = row[field.name] ?? null;
        if (!isForced && !areSame(present, before)) return { meanwhile: row };
        await write(this.tidemark, collection, row, { [field.name]: value });
        this._done.push({ collection, id, field, before: present, value });
        return {};
    }

    get canUndo() {
        return this._done.length > 0;
    }

    /** Takes the last edit back. Returns it, or null if there is none; `{ meanwhile }` is as for `save`. */
    async undo() {
        const last = this._done.pop();
        if (!last) return null;
        const { collection, id, field, before, value } = last;
        const { meanwhile } = await this.save(collection, id, field, value, before);
        if (!meanwhile) this._done.pop();
        return { ...last, meanwhile };
    }
}

class Gone extends Error {
    code = 'deleted';
    detail = 'The row is not there any more: somebody has deleted it.';
}

/** Whether two values of a field are the same. */
export const areSame = (one, other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
