import { compare, isKey, keyAt, matches } from './keys.js';

/** The content of one object store. */
export class StoredData {
    records = new Map();
    indexes = new Map();
    nextKey = 1;

    constructor({ keyPath = null, autoIncrement = false }) {
        Object.assign(this, { keyPath, autoIncrement });
    }

    /** What a transaction goes back to if it is aborted. */
    image() {
        return { records: new Map(this.records), nextKey: this.nextKey };
    }

    restore({ records, nextKey }) {
        Object.assign(this, { records, nextKey });
    }

    get(key) {
        if (!isKey(key)) throw new DOMException('It is no key.', 'DataError');
        return structuredClone(this.records.get(JSON.stringify(key))?.value);
    }

    /** The records that a query names, in the order of keys: `{ key, value }`. `index` is one's name. */
    list(query, index) {
        const entries = index ? this._indexed(this.indexes.get(index)) : this._own();
        return entries.filter(({ at }) => matches(query, at))
            .sort((a, b) => compare(a.at, b.at) || compare(a.key, b.key));
    }

    put(value, given) {
        const key = this._keyFor(value, given);
        this.records.set(JSON.stringify(key), { key, value });
        return key;
    }

    _keyFor(value, given) {
        if (this.keyPath === null) return checked(given);
        if (given !== undefined) throw new DOMException('The store has keys of its own.', 'DataError');
        if (this.autoIncrement && value[this.keyPath] === undefined) value[this.keyPath] = this.nextKey++;
        return checked(keyAt(value, this.keyPath));
    }

    _own() {
        return [...this.records.values()].map(({ key, value }) => ({ at: key, key, value }));
    }

    _indexed({ keyPath, multiEntry }) {
        return this._own().flatMap(({ key, value }) => {
            const found = multiEntry ? distinct(value[keyPath]) : [keyAt(value, keyPath)];
            return found.filter(each => each !== undefined).map(at => ({ at, key, value }));
        });
    }
}

function checked(key) {
    if (!isKey(key)) throw new DOMException('The value has no key.', 'DataError');
    return key;
}

const distinct = keys => [...new Map((keys ?? []).filter(isKey).map(key => [JSON.stringify(key), key])).values()];
