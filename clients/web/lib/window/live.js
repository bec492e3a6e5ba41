import { LiveQuery } from './live-query.js';

/** Queries that follow the copy, whichever window changes it. */
export class LiveQueries {
    _queries = new Set();

    /** `onError` is told what a query or its callback throws. */
    constructor(replica, onError) {
        Object.assign(this, { replica, onError });
    }

    /** Calls back with the rows at once, and after each change. Returns a function that ends that. */
    add(collection, options, callback) {
        const query = new LiveQuery(this.replica, { collection, options, callback, onError: this.onError });
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
        for (const query of this._queries) query.isOver = true;
        this._queries.clear();
    }
}
