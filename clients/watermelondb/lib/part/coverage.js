import { EVERYTHING, isSameFilter } from '../common/filter-text.js';
import { LongTexts } from '../long-texts.js';
import { parsed } from '../storage.js';
import { Asked } from './asked.js';
import { Sweep, leaversAfter } from './leavers.js';

/**
 * Knows which part the watermark of the local database is good for. WatermelonDB stores the watermark by itself, after
 * the rows, and the app may be killed before. So what a pull makes of it is stored before the pull is handed over, with
 * the watermarks before and after it: the one that WatermelonDB has later tells whether the pull is stored.
 */
export class Coverage {
    /**
     * Undefined until it is read. Null if nothing was ever noted: parts were never used, or the storage did not last.
     * - `good`: the `filter` that the watermark `number` is good for; null if there is none yet
     * - `next`: a pull that was handed over and may be stored, from the watermark `before` to `number`, and from the
     *   filter `was`, which is null if it began at 0, to `filter`. `number` is null if the watermark stayed behind
     * - `left`: the ids of rows that left and may still be here, by table
     */
    _record = undefined;

    constructor(storage, prefix) {
        this.texts = new LongTexts(storage);
        this.key = `${prefix}part`;
    }

    /** What to ask for to get to the filter `wanted`. */
    async asked(lastPulledAt, wanted) {
        const since = lastPulledAt || 0;
        // The database was reset, and nothing has to be known of everything.
        if (since === 0 && wanted === EVERYTHING) await this.forget();
        const record = await this._at(since);
        if (!record && (since === 0 || wanted === EVERYTHING)) return new Asked({ since, filter: wanted });
        const { good, next } = record ?? {};
        const isKnown = since > 0 && good?.number === since;
        if (!isKnown || (next && next.was === null)) return new Asked({ since: 0, filter: wanted });
        // The rows of a pull that may be stored are of neither filter alone, until it is done.
        return new Asked({ since, was: good.filter, filter: next?.filter ?? wanted, wanted });
    }

    /**
     * Notes an answer that is about to be handed over, and returns it in WatermelonDB's terms: without `left`, and, if
     * it is of a part, without a strategy that would destroy unsent edits of rows outside of it. `isHeld`: the
     * watermark is to stay where it is.
     */
    async handOver(answer, { asked, lastPulledAt, database = null, isHeld }) {
        const { experimentalStrategy: strategy, ...rest } = answer;
        const changes = withoutLeft(answer.changes);
        const handed = asked.isPart ? { ...rest, changes } : { ...answer, changes };
        const record = await this._load();
        if (!record && !asked.isPart && asked.wanted === EVERYTHING) return handed;
        const replaced = replacedTables(strategy, answer.changes);
        const before = { ...record?.left };
        if (!asked.isPart) for (const name of replaced) delete before[name];
        const left = await leaversAfter(before, answer.changes, { database, replaced: asked.isPart ? replaced : [] });
        const next = {
            before: lastPulledAt || 0, number: isHeld ? null : answer.timestamp,
            was: asked.since === 0 ? null : asked.was, filter: asked.filter,
        };
        const good = record?.good ?? null;
        const isSame = good && good.number === next.number && isSameFilter(good.filter, next.filter)
            && !record.next && next.was !== null && isEqual(left, record.left);
        if (!isSame) await this._save({ good, next, left });
        return handed;
    }

    /** Notes that WatermelonDB has stored the pull that was handed over last. */
    async settle() {
        const record = await this._load();
        if (!record?.next || record.next.number === null) return;
        await this._save(adopted(record));
    }

    /** Removes the rows that left, but for those with unsent edits. Once the pull that named them is stored. */
    async sweep(database) {
        const record = await this._load();
        if (!record || Object.keys(record.left).length === 0) return;
        const left = await new Sweep(database).run(record.left);
        if (!isEqual(left, record.left)) await this._save({ ...record, left });
    }

    /** The filter of what is here for certain; null if nothing is noted. */
    async filter() {
        return (await this._load())?.good?.filter ?? null;
    }

    /** The parameters of a held pull, which waits for a row of what is here. None until a sync has read what that is. */
    held() {
        const { good, next } = this._record ?? {};
        if (!good || next || good.filter === EVERYTHING) return {};
        return { filter: good.filter, filter_was: 'same', left: 'deleted' };
    }

    /** The ids of rows that left and may still be here, by table. */
    async left() {
        return (await this._load())?.left ?? {};
    }

    /** The filter of a database with this watermark; null if it is not known. */
    async at(lastPulledAt) {
        const record = await this._at(lastPulledAt || 0);
        if (!record) return EVERYTHING;
        return record.good?.number === lastPulledAt && !record.next ? record.good.filter : null;
    }

    /** Whether a database with this watermark holds no more and no less than everything. */
    async isPlain(lastPulledAt) {
        return !lastPulledAt || (await this.at(lastPulledAt) === EVERYTHING && isEqual(await this.left(), {}));
    }

    async forget() {
        if (await this._load() === null) return;
        this._record = null;
        await this.texts.remove(this.key);
    }

    /** The record, after a look at which pulls this watermark says are stored. */
    async _at(number) {
        const record = await this._load();
        const { next } = record ?? {};
        if (next && number > 0 && next.number === number && next.before !== number) this._record = adopted(record);
        return this._record;
    }

    async _load() {
        if (this._record === undefined) this._record = parsed(await this.texts.get(this.key));
        return this._record;
    }

    async _save(record) {
        await this.texts.set(this.key, JSON.stringify(record));
        this._record = record;
    }
}

const adopted = ({ next: { number, filter }, left }) => ({ good: { number, filter }, next: null, left });

const isEqual = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** The tables that an answer with this strategy replaces. */
function replacedTables(strategy, changes) {
    return strategy === 'replacement' ? Object.keys(changes) : Object.keys(strategy?.override ?? {});
}

function withoutLeft(changes) {
    return Object.fromEntries(Object.entries(changes).map(([name, { left, ...bucket }]) => [name, bucket]));
}
