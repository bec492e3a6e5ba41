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
 * only. They wait on while other pages of the console are shown; a window that is closed meanwhile, or loaded again, has
 * deleted nothing.
 */
export class Waiting {
    /** Those that wait, the oldest first. */
    all = [];
    /** Those that became edits, until the server's answer is here: what goes along leaves the copy only then. */
    _sunk = [];
    _listeners = new Set();

    /** `onDue(deletion)` deletes, and resolves to whether that is stored. */
    constructor(tidemark, { wait, onDue }) {
        Object.assign(this, { tidemark, _wait: wait, _onDue: onDue });
        tidemark.onState(({ lastSync }) => this._sunk.length > 0 && this._rise(lastSync).catch(() => {}));
    }

    /** Calls back when other rows are hidden. Returns a function that ends it. */
    onChange(callback) {
        this._listeners.add(callback);
        return () => this._listeners.delete(callback);
    }

    /** Begins to wait. `rows` are `{ collection, id, row }`. Returns the deletion. */
    begin(name, rows) {
        const deletion = new Deletion(name, rows);
        this.all = [...this.all, deletion];
        this.resume(deletion);
        this._tell();
        return deletion;
    }

    /** Stops the clock, as long as the user is about to decide. */
    hold(deletion) {
        deletion.stop();
    }

    /** The ten seconds begin anew. */
    resume(deletion) {
        deletion.stop();
        if (this.all.includes(deletion) && !deletion.isOver) {
            deletion.stop = this._wait(() => this._due(deletion), SECONDS * 1000);
        }
    }

    /** Whether it was still in time: the rows are there again. */
    cancel(deletion) {
        deletion.stop();
        if (deletion.isOver || !this.all.includes(deletion)) return false;
        this._remove(deletion);
        deletion.end(false);
        this._tell();
        return true;
    }

    /** Ends all without deleting anything. */
    drop() {
        this.all.forEach(each => this.cancel(each));
    }

    isHidden(collection, id) {
        return this._hiding.some(({ hidden }) => hidden.has(`${collection} ${id}`));
    }

    get _hiding() {
        return this._sunk.length > 0 ? [...this.all, ...this._sunk] : this.all;
    }

    /** The rows as they are shown meanwhile; the same list if that makes no difference. */
    shown(collection, rows) {
        const hiding = this._hiding;
        if (hiding.length === 0) return rows;
        let isSame = true;
        const found = rows.flatMap(row => {
            const shown = this.isHidden(collection, row.id) ? null : hiding.reduce((each, deletion) =>
                deletion.cleared(collection, each), row);
            isSame &&= shown === row;
            return shown ?? [];
        });
        return isSame ? rows : found;
    }

    /** Looks at what goes along, and hides it as well. */
    async look(deletion, catalog) {
        const [{ row: { project_id: project } }] = deletion.rows;
        const rows = new Map();
        for (const { name } of catalog.collections) {
            const found = await this.tidemark.rows(name, { project });
            rows.set(name, new Map(found.map(row => [row.id, row])));
        }
        deletion.takes(cascadeOf(catalog, name => rows.get(name), deletion.rows), catalog);
        this._tell();
    }

    async _due(deletion) {
        deletion.isOver = true;
        const isDone = await this._onDue(deletion);
        this._remove(deletion);
        if (isDone) this._sunk.push(deletion);
        deletion.end(isDone);
        this._tell();
    }

    /** Hides no longer what a drain since the answer has had, or what the server did not delete. */
    async _rise(lastSync) {
        const unsent = new Set((await this.tidemark.unsent()).map(({ collection, id }) => `${collection} ${id}`));
        const rest = [];
        for (const deletion of this._sunk) {
            const isUnsent = deletion.rows.some(({ collection, id }) => unsent.has(`${collection} ${id}`));
            if (!isUnsent) deletion.answered ??= lastSync;
            if (isUnsent || deletion.answered === lastSync) rest.push(deletion);
        }
        const isOther = rest.length < this._sunk.length;
        this._sunk = rest;
        if (isOther) this._tell();
    }

    _remove(deletion) {
        this.all = this.all.filter(each => each !== deletion);
    }

    _tell() {
        for (const callback of this._listeners) callback();
    }
}

/** A deletion that waits. */
class Deletion {
    /** Whether its time has come. */
    isOver = false;
    /** What goes along, loses a reference or forbids it: see data/cascade.js. Null until that was looked at. */
    cascade = null;
    /** Told how it ends: whether the rows were deleted. */
    over = new Promise(resolve => { this.end = resolve; });
    stop = () => {};
    /** The last drain before the answer was known; null as long as there is none. */
    answered = null;

    constructor(name, rows) {
        Object.assign(this, { name, rows });
        this.hidden = new Set(rows.map(({ collection, id }) => `${collection} ${id}`));
    }

    takes(cascade, catalog) {
        Object.assign(this, { cascade, _catalog: catalog, hidden: new Set([...this.hidden, ...cascade.gone]) });
    }

    /** The row without references that the deletion clears. */
    cleared(collection, row) {
        for (const { name, reference, onDelete } of this._catalog?.collection(collection)?.fields ?? []) {
            if (reference === null || onDelete !== 'clear' || !row[name]) continue;
            const isGone = id => this.hidden.has(`${reference} ${id}`);
            const value = row[name];
            if (!Array.isArray(value) && isGone(value)) row = { ...row, [name]: null };
            else if (Array.isArray(value) && value.some(isGone)) {
                row = { ...row, [name]: value.filter(id => !isGone(id)) };
            }
        }
        return row;
    }
}
