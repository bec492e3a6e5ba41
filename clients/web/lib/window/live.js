/** Queries that follow the copy, whichever window changes it. */
export class LiveQueries {
    _queries = new Set();

    /** `onError` is told what a query or its callback throws. */
    constructor(replica, onError) {
        Object.assign(this, { replica, onError });
    }

    /**
     * Calls back with the rows at once, and after each change. Returns a function that ends that. `onEnd` is told when
     * the copy is closed.
     */
    add(collection, options, callback, onEnd = () => {}) {
        const query = new LiveQuery(this.replica, { collection, options, callback, onEnd, onError: this.onError });
        this._queries.add(query);
        query.ask();
        return () => {
            this._queries.delete(query);
            query.isOver = true;
        };
    }

    /** Something was stored, here or in another window: a `Change`. */
    changed(change) {
        for (const query of this._queries) query.hear(change);
    }

    end() {
        for (const query of this._queries) {
            query.isOver = true;
            query.onEnd();
        }
        this._queries.clear();
    }
}

/**
 * The rows of a live query as a store and as an iterator: see index.d.ts. `begin(callback, onEnd)` begins the query, and
 * returns what ends it.
 */
export class LiveRows {
    _rows = Object.freeze([]);
    _listeners = new Set();
    _stop = null;

    constructor(begin) {
        this._begin = begin;
    }

    getSnapshot = () => this._rows;

    subscribe = callback => {
        const listener = () => callback(this._rows);
        this._listeners.add(listener);
        this._stop ??= this._begin(rows => this._take(rows));
        listener();
        return () => {
            if (!this._listeners.delete(listener) || this._listeners.size > 0) return;
            this._stop();
            this._stop = null;
        };
    };

    async *[Symbol.asyncIterator]() {
        let [news, isOver, wake] = [null, false, () => {}];
        const tell = (rows, isEnd = false) => {
            [news, isOver] = [rows, isEnd];
            wake();
        };
        const stop = this._begin(tell, () => tell(null, true));
        try {
            for (;;) {
                if (news === null && !isOver) await new Promise(resolve => { wake = resolve; });
                if (isOver) return;
                const rows = news;
                news = null;
                yield rows;
            }
        } finally {
            stop();
        }
    }

    _take(rows) {
        if (rows.length === this._rows.length && rows.every((row, place) => row === this._rows[place])) return;
        this._rows = Object.freeze(rows);
        for (const listener of [...this._listeners]) listener();
    }
}

/**
 * A query that is asked again whenever a row of it may have changed. After a change of some rows it reads only these. It
 * reads all rows if it has missed a change: a window may die before it tells the others.
 *
 * Without `unsettled` it tells nothing as long as the rows of the copy are of no one commit. But that a copy was wiped,
 * it tells at once: what was shown is not there any more.
 */
export class LiveQuery {
    isOver = false;
    /** What the query answers at `_revision` of the copy's `_life`; null before the first answer, and after an error. */
    _rows = null;
    /** Of a question: what its next answer is made from. */
    _list = null;
    _revision = null;
    _life = null;
    /** The revision that the last read found, and whether the copy was settled then, or blank. */
    _read = 0;
    _isSettled = false;
    _isBlank = false;
    /** Whether there are rows that the callback has not been told of. */
    _isUntold = false;
    /** The life of the copy whose rows were told last; null if none were told. */
    _told = null;
    /** The changes that it has heard of and not looked at. */
    _news = [];
    _isRunning = false;
    _isDue = false;

    constructor(replica, { options: { unsettled = false, project = null, ...options }, ...rest }) {
        Object.assign(this, { replica, unsettled, options: { project, ...options }, ...rest });
    }

    /** Something was stored, here or in another window. */
    hear(change) {
        const { revision, life, rows: { size } } = change;
        const ids = change.ids(this.collection, this.options.project);
        if (ids === undefined && revision === null) return;
        this._news.push({ revision, life, isEmpty: size === 0, ids: ids && this.options.refersTo ? null : ids });
        this.ask();
    }

    /** Changes during a query lead to one more. */
    async ask() {
        this._isDue = true;
        if (this._isRunning) return;
        this._isRunning = true;
        while (this._isDue && !this.isOver) {
            this._isDue = false;
            await this._once().catch(error => this._fail(error));
        }
        this._isRunning = false;
    }

    async _once() {
        const ids = this._take();
        if (ids?.length === 0 && !this._isUntold) return;
        const told = this._isUntold ? null : this._rows;
        this._isUntold = true;
        try {
            if (ids === null || this._list) await this._readAll(ids);
            else await this._readSome(ids);
            if (this._isAhead && this._isDue) return;
            if (this._isAhead) await this._readAll();
        } catch (error) {
            this._rows = null;
            throw error;
        }
        if (this._rows === told) this._isUntold = false;
        else if (!this.isOver) this._tell();
    }

    _tell() {
        const mayTell = this.unsettled || this._isSettled;
        const isGone = this._told !== null && (this._told !== this._life || this._isBlank);
        if (!mayTell && !isGone) return;
        this._isUntold = !mayTell;
        this._told = mayTell ? this._life : null;
        this.callback(mayTell ? [...this._rows] : []);
    }

    /** Reads all rows. Of a question, with `ids`, only what these have changed. */
    async _readAll(ids = null) {
        const known = this._list && { ...this._list, revision: this._revision, life: this._life };
        const { revision, life, rows, list = null, ...copy } =
            await this.replica.query(this.collection, this.options, ids, known);
        Object.assign(this, { _rows: frozen(rows), _list: list, _revision: revision, _life: life, _read: revision });
        this._note(copy);
    }

    async _readSome(ids) {
        const { revision, life, rows, ...copy } = await this.replica.query(this.collection, this.options, ids);
        this._rows = replaced(this._rows, new Set(ids), frozen(rows));
        this._read = life === this._life ? revision : Infinity;
        this._note(copy);
    }

    _note({ isSettled, isBlank }) {
        Object.assign(this, { _isSettled: isSettled, _isBlank: isBlank });
    }

    /** Some rows are of a later state than others: what is stored by now was not heard of yet. */
    get _isAhead() {
        return this._read > this._revision;
    }

    /** The ids to read after what was heard; null for all rows. */
    _take() {
        const news = this._news.splice(0).sort((one, other) => one.revision - other.revision);
        if (this._rows === null) return null;
        const ids = new Set();
        for (const { revision, life, isEmpty, ids: some } of news) {
            if (revision === null || life !== this._life) return null;
            if (revision <= this._revision) continue;
            if (revision !== this._revision + 1 || isEmpty || some === null) return null;
            this._revision = revision;
            for (const id of some ?? []) ids.add(id);
        }
        return [...ids];
    }

    /** An app's own listener may hear of it, and fail as well. */
    _fail(error) {
        if (!this.isOver) Promise.resolve().then(() => this.onError(error));
    }
}

/** An answer has rows of the answer before it, so nobody may change them in place. */
function frozen(rows) {
    rows.forEach(Object.freeze);
    return rows;
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
