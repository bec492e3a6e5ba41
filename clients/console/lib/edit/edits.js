import { write } from '../data/write.js';

/** Edits of fields, with a way back. They happen one after the other, in the order in which they are asked for. */
export class Edits {
    _done = [];
    _last = Promise.resolve();

    constructor(tidemark) {
        this.tidemark = tidemark;
    }

    /**
     * Changes a field from the value `before`, which the user saw when they began. If it has another value by now,
     * nothing is changed, and the result is `{ meanwhile }`: the row as it is. Throws if the row is gone.
     */
    save(collection, id, field, before, value, { isForced = false } = {}) {
        return this._afterOthers(() => this._save({ collection, id, field, before, value }, isForced));
    }

    get canUndo() {
        return this._done.length > 0;
    }

    /** Takes the last edit back. Returns it, or null if there is none; `{ meanwhile }` is as for `save`. */
    undo() {
        return this._afterOthers(async () => {
            const last = this._done.pop();
            if (!last) return null;
            const { meanwhile } = await this._save({ ...last, before: last.value, value: last.before }, false);
            if (!meanwhile) this._done.pop();
            return { ...last, meanwhile };
        });
    }

    _afterOthers(work) {
        const result = this._last.then(work);
        this._last = result.catch(() => {});
        return result;
    }

    async _save({ collection, id, field, before, value }, isForced) {
        const row = await this.tidemark.row(collection.name, id);
        if (row === null) throw new Gone();
        const present = row[field.name] ?? null;
        if (!isForced && !areSame(present, before)) return { meanwhile: row };
        await write(this.tidemark, collection, row, { [field.name]: value });
        this._done.push({ collection, id, field, before: present, value });
        return {};
    }
}

class Gone extends Error {
    code = 'deleted';
    detail = 'The row is not there any more: somebody has deleted it.';
}

/** Whether two values of a field are the same. */
export const areSame = (one, other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
