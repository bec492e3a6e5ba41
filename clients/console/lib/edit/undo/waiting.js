import { cascadeOf } from '../../data/cascade.js';

const SECONDS = 10;

/** Calls back after so many milliseconds, and returns what ends the wait. */
export function timer(callback, milliseconds) {
    const number = setTimeout(callback, milliseconds);
    return () => clearTimeout(number);
}

/**
 * Deletions that wait for ten seconds before they become edits: a deleted id never comes back, and a deletion takes
 * along rows that the user can't see. Until then the rows, and those that would go with them, are hidden in this window
 * only. A window that is closed meanwhile has deleted nothing.
 */
export class Waiting {
    /** Those that wait, the oldest first. */
    all = [];

    /** `onChange()` is called when other rows are hidden. `onDue(deletion)` deletes, and resolves when that is stored. */
    constructor(tidemark, { wait = timer, onChange, onDue }) {
        Object.assign(this, { tidemark, _wait: wait, _onChange: onChange, _onDue: onDue });
    }

    /** Begins to wait. `rows` are `{ collection, id, row }`. Returns the deletion. */
    begin(name, rows) {
        const deletion = { name, rows, isOver: false, goes: new Map(), cleared: new Map(), hidden: keysOf(rows) };
        this.all.push(deletion);
        this.resume(deletion);
        this._onChange();
        return deletion;
    }

    /** Stops the clock, as long as the user is about to decide. */
    hold(deletion) {
        deletion.stop?.();
    }

    /** The ten seconds begin anew. */
    resume(deletion) {
        deletion.stop?.();
        if (this.all.includes(deletion) && !deletion.isOver) deletion.stop = this._wait(() => this._due(deletion), SECONDS * 1000);
    }

    /** Whether it was still in time: the rows are there again. */
    cancel(deletion) {
        deletion.stop?.();
        return !deletion.isOver && this._remove(deletion);
    }

    /** Ends all without deleting anything. */
    drop() {
        [...this.all].forEach(each => this.cancel(each));
    }

    isHidden(collection, id) {
        return this.all.some(({ hidden }) => hidden.has(keyOf(collection, id)));
    }

    /** Looks at what goes along, and hides it as well. */
    async look(deletion, catalog) {
        const [{ row: { project_id: project } }] = deletion.rows;
        const rows = new Map();
        for (const { name } of catalog.collections) {
            const found = await this.tidemark.rows(name, { project });
            rows.set(name, new Map(found.map(row => [row.id, row])));
        }
        const cascade = cascadeOf(catalog, name => rows.get(name), deletion.rows);
        Object.assign(deletion, cascade, { hidden: new Set([...deletion.hidden, ...cascade.gone]) });
        this._onChange();
    }

    /** The rows stay hidden until they are deleted. */
    async _due(deletion) {
        deletion.isOver = true;
        await this._onDue(deletion);
        this._remove(deletion);
    }

    _remove(deletion) {
        const isThere = this.all.includes(deletion);
        this.all = this.all.filter(each => each !== deletion);
        if (isThere) this._onChange();
        return isThere;
    }
}

const keyOf = (collection, id) => `${collection} ${id}`;
const keysOf = rows => new Set(rows.map(({ collection, id }) => keyOf(collection, id)));
