import { keyRange } from '../store/transaction.js';
import { ABOVE } from './keys.js';
import { fieldOf, keyIn } from './question.js';

/**
 * An index of a copy:
 * - `number`, which no other index of the copy has
 * - `collection`, and `fields`: names, with a leading `-` for descending
 * - `mark`: the id up to which rows have their entries, while the index is made; null when all have
 * - `named`: milliseconds since 1970 when a page has last named it
 *
 * The entry of a row is a key in the store `entries`: the index's number, the keys of the row's values, its id.
 */
export class Index {
    constructor(stored) {
        Object.assign(this, stored);
        this.fields = stored.fields.map(fieldOf);
    }

    /** The entry of a record; null if it has none. */
    entryOf(record) {
        if (record === null || record._status === 'deleted') return null;
        return [this.number, ...this.fields.map(field => keyIn(record, field)), record.id];
    }
}

/** The entries within one transaction. They move with each row that is written, also while an index is made. */
export class Entries {
    constructor(transaction, indexes) {
        Object.assign(this, { transaction, indexes: indexes.map(stored => new Index(stored)) });
    }

    /** A row is written: the record before and after, null if there is none. */
    move(before, after) {
        const { collection } = before ?? after ?? {};
        for (const index of this.indexes.filter(each => each.collection === collection)) {
            this._replace(index.entryOf(before), index.entryOf(after));
        }
    }

    /** Makes the entry of a row that was there before the index. */
    add(index, record) {
        this._replace(null, index.entryOf(record));
    }

    clear() {
        return this.transaction.clear('entries');
    }

    drop({ number }) {
        return this.transaction.delete('entries', keyRange({ lower: [number], upper: [number, ABOVE] }));
    }

    _replace(from, to) {
        if (from && to && areEqual(from, to)) return;
        if (from) this.transaction.delete('entries', from);
        if (to) this.transaction.put('entries', 0, to);
    }
}

const areEqual = (one, other) => one.every((each, place) => each === other[place]
    || (Array.isArray(each) && Array.isArray(other[place])));
