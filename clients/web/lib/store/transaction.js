/** One IndexedDB transaction with promises in place of events. It ends when nothing of it is waited for any more. */
export class Transaction {
    constructor(transaction) {
        this._transaction = transaction;
    }

    get(store, key) {
        return result(this._store(store).get(key));
    }

    /** The values of a store, or of one of its indexes; the first ones, if there is a `limit`. */
    all(store, range, index, limit) {
        return result(this._source(store, index).getAll(range, limit));
    }

    keys(store, range, index, limit) {
        return result(this._source(store, index).getAllKeys(range, limit));
    }

    count(store, range, index) {
        return result(this._source(store, index).count(range));
    }

    /** Stores a value; returns its key. `key` is for stores whose values do not hold it. */
    put(store, value, key) {
        return result(key === undefined ? this._store(store).put(value) : this._store(store).put(value, key));
    }

    delete(store, key) {
        return result(this._store(store).delete(key));
    }

    clear(store) {
        return result(this._store(store).clear());
    }

    _store(name) {
        return this._transaction.objectStore(name);
    }

    _source(store, index) {
        return index ? this._store(store).index(index) : this._store(store);
    }
}

function result(request) {
    const promise = new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    // When a transaction is aborted, all its requests fail. Not all of them are waited for then.
    promise.catch(() => {});
    return promise;
}

/**
 * The keys that begin with these members. An array is above every text in the order of IndexedDB's keys, and `[prefix]`
 * is below `[prefix, anything]`.
 */
export const beginningWith = (...members) => ({ lower: members, upper: [...members, []] });

/** A range of the browser's for one of these. */
export const keyRange = ({ lower, upper }) => globalThis.IDBKeyRange.bound(lower, upper, false, true);
