import { compare, isKey, keyAt, KeyRange, matches } from './keys.js';

/** The content of one object store. */
export class StoredData {
    records = new Map();
    /** The entries of the store and of its indexes, in the order of keys; missing after each write. */
    _sorted = new Map();
    indexes = new Map();
    nextKey = 1;

    constructor({ keyPath = null, autoIncrement = false }) {
        Object.assign(this, { keyPath, autoIncrement });
    }

    /** What a transaction goes back to if it is aborted: from here on, it notes what each record was. */
    image() {
        this._noted = new Map();
        return { noted: this._noted, nextKey: this.nextKey };
    }

    restore({ noted, nextKey }) {
        for (const [text, record] of noted) this._set(text, record);
        this.nextKey = nextKey;
    }

    clear() {
        for (const text of [...this.records.keys()]) this._set(text, undefined);
    }

    get(key) {
        if (!isKey(key)) throw new DOMException('It is no key.', 'DataError');
        return structuredClone(this.records.get(JSON.stringify(key))?.value);
    }

    /** The first records that a query names, in the order of keys: `{ key, value }`. `index` is one's name. */
    list(query, index, limit = Infinity) {
        if (!this._sorted.has(index)) {
            const entries = index ? this._indexed(this.indexes.get(index)) : this._own();
            this._sorted.set(index, entries.sort((a, b) => compare(a.at, b.at) || compare(a.key, b.key)));
        }
        const entries = this._sorted.get(index);
        const first = query instanceof KeyRange ? firstFrom(entries, query.lower) : 0;
        const found = [];
        for (let place = first; place < entries.length && found.length < limit; place++) {
            const { at } = entries[place];
            if (matches(query, at)) found.push(entries[place]);
            else if (query instanceof KeyRange && compare(at, query.upper) > 0) break;
        }
        return found;
    }

    delete(query) {
        const keys = query instanceof KeyRange ? this.list(query).map(({ key }) => key) : [query];
        for (const key of keys) this._set(JSON.stringify(key), undefined);
    }

    put(value, given) {
        const key = this._keyFor(value, given);
        this._set(JSON.stringify(key), { key, value });
        return key;
    }

    _set(text, record) {
        const { records } = this;
        if (this._noted?.has(text) === false) this._noted.set(text, records.get(text));
        this._sorted.clear();
        if (record) records.set(text, record);
        else records.delete(text);
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

/** The place of the first entry that is not below a key. */
function firstFrom(entries, key) {
    let [low, high] = [0, entries.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (compare(entries[middle].at, key) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

function checked(key) {
    if (!isKey(key)) throw new DOMException('The value has no key.', 'DataError');
    return key;
}

const distinct = keys => [...new Map((keys ?? []).filter(isKey).map(key => [JSON.stringify(key), key])).values()];
