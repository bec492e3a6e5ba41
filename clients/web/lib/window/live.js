/** Queries that are asked again whenever a row of theirs may have changed. */
export class LiveQueries {
    _queries = new Set();

    /** `onError` is told what a query or its callback throws. */
    constructor(replica, onError) {
        Object.assign(this, { replica, onError });
    }

    /** Calls back with the rows at once, and after each change. Returns a function that ends that. */
    add(collection, options, callback) {
        const query = new LiveQuery(() => this.replica.rows(collection, options), callback, this.onError);
        Object.assign(query, { collection, project: options.project ?? null });
        this._queries.add(query);
        query.ask();
        return () => {
            this._queries.delete(query);
            query.isOver = true;
        };
    }

    /** `keys` are `collection project`, or `*` for everything. */
    changed(keys) {
        for (const query of this._queries) if (isOf(query, keys)) query.ask();
    }

    end() {
        for (const query of this._queries) query.isOver = true;
        this._queries.clear();
    }
}

function isOf({ collection, project }, keys) {
    if (keys.has('*')) return true;
    if (project !== null) return keys.has(`${collection} ${project}`);
    return [...keys].some(key => key.startsWith(`${collection} `));
}

class LiveQuery {
    isOver = false;
    _isRunning = false;
    _isDue = false;

    constructor(ask, callback, onError) {
        Object.assign(this, { _ask: ask, callback, onError });
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

    async _once() {
        try {
            const rows = await this._ask();
            if (!this.isOver) this.callback(rows);
        } catch (error) {
            if (!this.isOver) this.onError(error);
        }
    }
}
