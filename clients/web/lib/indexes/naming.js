import { beginningWith, keyRange } from '../store/transaction.js';
import { Entries, Index } from './entries.js';
import { fieldOf } from './question.js';

const DAY = 86_400_000;
/** An index that no page has named for so long is dropped. */
const UNNAMED = 30 * DAY;

/** The indexes that this window's page names. */
export class Naming {
    /** How many rows get their entries in one transaction. */
    static step = 2000;

    /** Resolves when all rows have their entries. */
    isMade = Promise.resolve();
    _isMaking = false;
    /** What was said of queries without an index. */
    warned = new Set();

    /** `named` is what `open` got: by collection, lists of fields. `onError` is told why they can't be made. */
    constructor(replica, named, onError) {
        this.named = Object.entries(named).flatMap(([collection, lists]) => lists.map(list => {
            const fields = [list].flat();
            if (fields.length === 0) throw new TypeError(`An index of ${collection} has no field.`);
            fields.forEach(fieldOf);
            return { collection, fields };
        }));
        Object.assign(this, { replica, onError });
    }

    /** Whether the copy has all of them. */
    isIn(indexes) {
        return this.named.every(named => indexes.some(index => isSame(index, named)));
    }

    /** Makes those that the copy does not have, and says at once which there are. Then rows get their entries. */
    async ensure() {
        await this.replica.tend(unit => this._note(unit));
        if (!this._isMaking) this.isMade = this._make().catch(this.onError);
    }

    /** After the transaction that has found them missing: another window has dropped them. */
    ensureSoon() {
        Promise.resolve().then(() => this.ensure()).catch(this.onError);
    }

    async _note(unit) {
        const { indexes = [] } = unit.state;
        const now = unit.clock();
        const isNamed = index => this.named.some(named => isSame(index, named));
        const isOld = index => index.named < now - DAY;
        const dropped = indexes.filter(index => !isNamed(index) && index.named < now - UNNAMED);
        if (this.isIn(indexes) && dropped.length === 0 && !indexes.some(each => isNamed(each) && isOld(each))) return;
        const entries = new Entries(unit.transaction, []);
        await Promise.all(dropped.map(index => entries.drop(index)));
        const kept = indexes.filter(index => !dropped.includes(index))
            .map(index => (isNamed(index) ? { ...index, named: now } : index));
        unit.state = { ...unit.state, indexes: this._withNamed(kept, indexes, now) };
    }

    _withNamed(kept, before, now) {
        let number = Math.max(0, ...before.map(index => index.number));
        const made = this.named.filter(named => !kept.some(index => isSame(index, named)));
        return [...kept, ...made.map(named => ({ ...named, number: ++number, mark: '', named: now }))];
    }

    /** A transaction for so many rows, since no window can write meanwhile. */
    async _make() {
        this._isMaking = true;
        try {
            while (await this.replica.tend(unit => makeSome(unit)));
        } finally {
            this._isMaking = false;
        }
    }
}

/** Makes entries of some rows. Returns whether there may be more. */
async function makeSome(unit) {
    const { indexes = [] } = unit.state;
    const stored = indexes.find(({ mark }) => mark !== null);
    if (!stored) return false;
    const range = keyRange({ ...beginningWith(stored.collection), lower: [stored.collection, stored.mark] });
    const records = await unit.transaction.all('rows', range, undefined, Naming.step);
    const index = new Index(stored);
    for (const record of records) unit.rows.entries.add(index, record);
    const mark = records.length < Naming.step ? null : records.at(-1).id;
    unit.state = { ...unit.state, indexes: indexes.map(each => (each === stored ? { ...each, mark } : each)) };
    return true;
}

const isSame = (index, named) => index.collection === named.collection && `${index.fields}` === `${named.fields}`;
