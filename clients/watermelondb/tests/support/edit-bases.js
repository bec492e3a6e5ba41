/**
 * What the bases of a phone's unsent edits are, by what its database shows: for each column of a row the version that
 * the row had when the column became unsent. Knows nothing of the adapter.
 */
export class EditBases {
    /** By id and column; null if nobody knows it. */
    _bases = new Map();
    /**
     * The bases of settled edits, by id and column. An adapter that ended at once may still have them, until it reads
     * that the column is not unsent. If the column is edited before that, an older base does no harm: no pull was
     * stored in between.
     */
    _settled = new Map();

    constructor(database) {
        this.database = database;
    }

    /**
     * The user edits a row. If it `isWithheld`, the server may have answered all earlier edits of a column that is
     * unsent here: then this is the oldest one that is not.
     */
    edit(id, values, isWithheld) {
        const before = this._row(id);
        const { server_version: version } = before;
        this.database.update('tasks', id, values);
        for (const column of Object.keys(values).filter(column => columnsOf(this._row(id)).includes(column))) {
            const key = `${id} ${column}`;
            if (!columnsOf(before).includes(column)) this._bases.set(key, version);
            else if (isWithheld) this._settled.set(key, [...this._older(key), version]);
        }
    }

    /** WatermelonDB counts rows as synced. */
    settled() {
        for (const [key, base] of this._clean(this._bases)) this._settled.set(key, [...this._older(key), base]);
    }

    /** WatermelonDB has stored a pull, or the adapter has ended a sync. */
    cleaned() {
        this._clean(this._bases);
        this._clean(this._settled);
    }

    /** The server was restored: the pull that is stored has the only versions that count. */
    restored() {
        this._settled.clear();
        for (const key of this._bases.keys()) this._bases.set(key, this._row(key.split(' ')[0]).server_version);
    }

    /** A column whose base an app that ended too early may have lost. */
    doubt(id, column) {
        this._bases.set(`${id} ${column}`, null);
    }

    /** The versions that may be sent as the base of an unsent column; null if nobody knows. */
    of(id, column) {
        const key = `${id} ${column}`;
        if (!this._bases.has(key)) throw new Error(`${key} was sent, and is not unsent.`);
        const bases = [this._bases.get(key), ...this._older(key)];
        return bases.includes(null) ? null : bases;
    }

    _older(key) {
        return this._settled.get(key) ?? [];
    }

    /** Takes out the columns that are not unsent, and returns them. */
    _clean(bases) {
        const isUnsent = ([id, column]) => columnsOf(this._row(id)).includes(column);
        const clean = [...bases].filter(([key]) => !isUnsent(key.split(' ')));
        for (const [key] of clean) bases.delete(key);
        return clean;
    }

    _row(id) {
        return this.database.table('tasks').get(id);
    }
}

const columnsOf = row => (row?._changed ?? '').split(',').filter(Boolean);
