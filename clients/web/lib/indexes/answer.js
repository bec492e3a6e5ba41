import { shown } from '../rows/record.js';
import { areSame } from '../rows/values.js';
import { keyRange } from '../store/transaction.js';
import { Index } from './entries.js';
import { compareKeys } from './keys.js';
import { indexFor, planFor } from './plan.js';
import { Question } from './question.js';

/** How many entries are read at once if some of their rows may not be in the answer. */
const SOME = 100;

/**
 * Answers a question in a transaction: `{ rows, list }`. With `known`, the list of the answer before with the copy's
 * revision and life that it holds at, rows that are the same are the same objects, and so is `rows` if all are. If
 * nothing was missed since, only the rows with these `ids` are read, and what takes the place of those that have left.
 *
 * `read` reads records, all or those with some ids; `isAsked` is whether a record is of the project, and not deleted.
 */
export async function answer({ naming }, { transaction, state, collection, options, read, isAsked, ids, known }) {
    const question = new Question(options);
    const stored = (state.indexes ?? []).filter(each => each.collection === collection);
    const made = stored.filter(({ mark }) => mark === null).map(each => new Index(each));
    const plan = options.refersTo ? null : planFor(question, made);
    if (naming?.isIn(state.indexes ?? []) === false) naming.ensureSoon();
    const isNext = known?.revision === state.revision && known?.life === state.life;
    const isFit = record => isAsked(record) && question.isMetBy(record);
    const answering = new Answering({ transaction, collection, question, plan, read, isFit });
    if (plan === null && !options.refersTo) answering.warn(naming, stored.map(each => new Index(each)));
    const list = isNext && ids !== null && answering.goesOnFrom(known, ids)
        ? await answering.after(known, ids) : await answering.whole();
    return told(list, question, known?.life === state.life ? known : null);
}

/** Says once, without `open({ indexes })` too, that all rows are read. */
const unnamed = new Set();

/** One answer to a question. */
export class Answering {
    constructor(parts) {
        Object.assign(this, parts);
        const { plan, question: { limit } } = parts;
        /** The list has only the first rows: its index has the others. */
        this.isBounded = plan !== null && plan.isOrdered && limit !== null;
    }

    /** Unless one of these is going to help. */
    warn(naming, indexes) {
        const fields = indexFor(this.question);
        if (fields === null || planFor(this.question, indexes)) return;
        const index = `${this.collection}: [${JSON.stringify(fields).replaceAll('"', '\'')}]`;
        const warned = naming?.warned ?? unnamed;
        if (warned.has(index)) return;
        warned.add(index);
        console.warn(`Tidemark reads all rows of ${this.collection}. Name an index: open({ indexes: { ${index} } }).`);
    }

    /** Whether a list is of use, and few rows have changed. */
    goesOnFrom({ number, isFull }, ids) {
        const { limit } = this.question;
        if (!this.isBounded) return number === null;
        return number === this.plan.index.number && (ids.length <= Math.max(limit, SOME) || !isFull);
    }

    async whole() {
        const { isBounded, question: { limit }, plan } = this;
        if (isBounded) return this._list(await this._first(plan.lower, limit));
        const records = plan ? await this._within(plan) : await this.read(null);
        const items = records.filter(this.isFit).map(record => this._item(record));
        return this._list(items.sort((one, other) => compareKeys(one.key, other.key)));
    }

    /** Rows up to the last one of a full list are known; what comes after it is read where rows are missing. */
    async after({ items: before, isFull }, ids) {
        const changed = new Set(ids);
        const last = isFull ? before.at(-1).key : null;
        const items = before.filter(({ row: { id } }) => !changed.has(id));
        for (const record of (await this.read(ids)).filter(this.isFit)) {
            const item = this._item(record);
            if (last === null || compareKeys(item.key, last) <= 0) items.splice(placeOf(item.key, items), 0, item);
        }
        if (!this.isBounded) return this._list(items);
        const { limit } = this.question;
        const missing = limit - items.length;
        if (last !== null && missing > 0) items.push(...await this._first([...last, 0], missing));
        return this._list(items.slice(0, limit));
    }

    _list(items) {
        const { isBounded, plan, question: { limit } } = this;
        return { items, number: isBounded ? plan.index.number : null, isFull: isBounded && items.length >= limit };
    }

    _item(record) {
        const key = this.isBounded ? this.plan.index.entryOf(record) : this.question.keyOf(record);
        return { key, row: shown(record) };
    }

    /** The first rows of the answer from this entry on. */
    async _first(lower, count) {
        const items = [];
        const { upper, isExact } = this.plan;
        for (let from = lower; items.length < count && compareKeys(from, upper) < 0;) {
            const most = isExact ? count - items.length : Math.max(count - items.length, SOME);
            const keys = await this.transaction.keys('entries', keyRange({ lower: from, upper }), undefined, most);
            const records = await this.read(keys.map(key => key.at(-1)));
            items.push(...records.filter(this.isFit).map(record => this._item(record)));
            if (keys.length < most) break;
            from = [...keys.at(-1), 0];
        }
        return items.slice(0, count);
    }

    async _within({ lower, upper }) {
        if (compareKeys(lower, upper) >= 0) return [];
        const keys = await this.transaction.keys('entries', keyRange({ lower, upper }));
        return this.read(keys.map(key => key.at(-1)));
    }
}

/** What is told of a list. Rows that were told before are the same objects. */
function told(list, { limit }, known) {
    const before = new Map((known?.rows ?? []).map(row => [row.id, row]));
    const items = list.items.map(item => {
        const row = before.get(item.row.id);
        return row && row !== item.row && areSame(row, item.row) ? { ...item, row } : item;
    });
    const rows = items.slice(0, limit ?? items.length).map(({ row }) => row);
    const isSame = known?.rows.length === rows.length && rows.every((row, place) => row === known.rows[place]);
    const shownRows = isSame ? known.rows : rows;
    return { rows: shownRows, list: { ...list, items, rows: shownRows } };
}

/** Where an item belongs. */
function placeOf(key, items) {
    let [low, high] = [0, items.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (compareKeys(items[middle].key, key) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}
