/**
 * A query that is asked again whenever a row of it may have changed. After a change of some rows it reads only these. It
 * reads all rows if it has missed a change: a window may die before it tells the others.
 */
export class LiveQuery {
    isOver = false;
    /** What the query answers at `_revision`; null before the first answer. Nobody changes rows in place. */
    _rows = null;
    _revision = null;
    /** The changes that it has heard of and not looked at. */
    _news = [];
    _isRunning = false;
    _isDue = false;

    constructor(replica, { collection, options, callback, onError }) {
        Object.assign(this, { replica, collection, options, callback, onError });
    }

    /** Something was stored, here or in another window. */
    hear(change) {
        const { project = null, refersTo = null } = this.options;
        const { revision, rows: { size } } = change;
        const ids = change.ids(this.collection, project);
        if (ids === undefined && (revision === null || this._isNext(revision, size))) return;
        this._news.push({ revision, isEmpty: size === 0, ids: ids && refersTo ? null : ids });
        if (ids !== undefined || !this._isRunning) this.ask();
    }

    /** Changes during a query lead to one more. */
    async ask() {
        this._isDue = true;
        if (this._isRunning) return;
        this._isRunning = true;
        while (this._isDue && !this.isOver) {
            this._isDue = false;
            await this._once();
        }
        this._isRunning = false;
    }

    /** Whether this one, which has nothing for the query, comes right after what the query knows. Then it knows it. */
    _isNext(revision, size) {
        if (this._isRunning || this._news.length > 0 || this._rows === null) return false;
        if (size > 0 && revision === this._revision + 1) this._revision = revision;
        return revision === this._revision;
    }

    async _once() {
        const ids = this._take();
        if (ids?.length === 0) return;
        try {
            const { revision, rows } = await this.replica.query(this.collection, this.options, ids);
            rows.forEach(Object.freeze);
            this._rows = ids === null ? rows : replaced(this._rows, new Set(ids), rows);
            if (ids === null) this._revision = revision;
            if (!this.isOver) this.callback([...this._rows]);
        } catch (error) {
            this._rows = null;
            if (!this.isOver) this.onError(error);
        }
    }

    /** The ids to read after what was heard; null for all rows. */
    _take() {
        const news = this._news.splice(0).sort((one, other) => one.revision - other.revision);
        if (this._rows === null) return null;
        const ids = new Set();
        for (const { revision, isEmpty, ids: some } of news) {
            if (revision !== null && revision <= this._revision) continue;
            if (revision !== this._revision + 1 || isEmpty || some === null) return null;
            this._revision = revision;
            for (const id of some ?? []) ids.add(id);
        }
        return [...ids];
    }
}

/** The rows with others in place of those with these ids, in the order of their ids. */
function replaced(rows, ids, others) {
    const all = rows.filter(({ id }) => !ids.has(id));
    for (const row of others) all.splice(placeOf(row.id, all), 0, row);
    return all;
}

/** Where a row belongs. IndexedDB orders texts as JavaScript compares them. */
function placeOf(id, rows) {
    let [low, high] = [0, rows.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (rows[middle].id < id) low = middle + 1;
        else high = middle;
    }
    return low;
}
