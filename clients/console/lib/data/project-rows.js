/**
 * The rows of collections of a project, as they are in this browser: by id, in a Map for each collection. They follow
 * every change, also while the first sync runs: a table fills, and an edit made meanwhile is there. `project` is null
 * for all projects.
 */
export class ProjectRows {
    _maps = new Map();
    _stops = new Map();
    _waiting = [];
    /** By collection: single rows that were looked at since it was last read as a whole. */
    _looked = new Map();
    /** Values of rows that are being stored: `{ name, id, values }`. */
    _held = new Set();

    /** `onChange` is told the collection whose rows are there, or have changed. */
    constructor(tidemark, project, onChange) {
        Object.assign(this, { tidemark, project, onChange });
    }

    /** Follows these collections as well. */
    follow(collections) {
        for (const name of collections) {
            if (this._stops.has(name)) continue;
            this._stops.set(name, () => {});
            const options = { project: this.project, unsettled: true };
            this._stops.set(name, this.tidemark.live(name, options, rows => this._read(name, rows)));
        }
    }

    /** The rows of a collection by id; undefined as long as they are not there, or for one that is not followed. */
    rowsOf = name => this._maps.get(name);

    /** Looks at one row at once. Reading a large collection takes a while, and people want to see what they wrote. */
    async look(name, id) {
        this._put(name, id, await this.tidemark.row(name, id));
    }

    /**
     * Shows a row with values that are about to be stored, whatever is read meanwhile. Returns what ends that: then the
     * row is looked at.
     */
    hold(name, id, values) {
        const held = { name, id, values };
        this._held.add(held);
        const row = this._maps.get(name)?.get(id);
        if (row) this._put(name, id, row);
        return () => {
            this._held.delete(held);
            return this.look(name, id);
        };
    }

    _put(name, id, row) {
        const rows = this._maps.get(name);
        if (!rows || !this._stops.has(name)) return;
        if (!this._looked.has(name)) this._looked.set(name, new Map());
        this._looked.get(name).set(id, row);
        this._set(name, withRow(new Map(rows), id, row));
    }

    _set(name, rows) {
        for (const { id, values } of [...this._held].filter(each => each.name === name)) {
            if (rows.has(id)) rows.set(id, edited(rows.get(id), values));
        }
        this._maps.set(name, rows);
        this.onChange(name);
    }

    /** Resolves when the rows of all collections that are followed are there. */
    async ready() {
        while ([...this._stops.keys()].some(name => !this._maps.has(name))) {
            await new Promise(resolve => { this._waiting.push(resolve); });
        }
    }

    stop() {
        for (const stop of this._stops.values()) stop();
        this._stops.clear();
    }

    /** The collection may have been read before a row was looked at; then it is read once more. */
    _read(name, rows) {
        const map = new Map(rows.map(row => [row.id, row]));
        for (const [id, row] of this._looked.get(name) ?? []) withRow(map, id, row);
        for (const id of this._looked.get(name)?.keys() ?? []) this._lookAgain(name, id);
        this._looked.delete(name);
        this._set(name, map);
        this._waiting.splice(0).forEach(look => look());
    }

    async _lookAgain(name, id) {
        const row = await this.tidemark.row(name, id).catch(() => undefined);
        if (row === undefined || !this._stops.has(name) || this._looked.get(name)?.has(id)) return;
        this._set(name, withRow(new Map(this._maps.get(name)), id, row));
    }
}

const edited = (row, values) => ({
    ...row, ...values, _changed: [...new Set([...row._changed, ...Object.keys(values)])],
    _status: row._status === 'synced' ? 'updated' : row._status,
});

function withRow(rows, id, row) {
    if (row) rows.set(id, row);
    else rows.delete(id);
    return rows;
}
