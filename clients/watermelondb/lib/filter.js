import { parsed } from './storage.js';

/**
 * Which collections the client's watermark covers. The watermark of a filtered pull is one for that filter alone: when
 * the app asks for a further collection later, its rows are older than the watermark, and have to be asked for whole.
 */
export class CollectionFilter {
    _offered = null;

    /** `names` is null for all collections. */
    constructor(names, storage, key) {
        this.names = names ? [...names].sort() : null;
        this.storage = storage;
        this.key = key;
    }

    /** The collections that the watermark `since` does not cover, out of `known`, all names of the server. */
    async missing(since, known) {
        if (since === 0) return [];
        if (this._offered && this._offered.since !== since && this._offered.timestamp === since) await this.settle();
        const covered = await this._covered();
        if (covered === null) return [];
        const wanted = this.names ?? await known();
        const both = covered.filter(name => wanted.includes(name));
        // What is not pulled any more is not covered any more, as soon as the next watermark is adopted.
        if (both.length < covered.length) await this._store(both);
        return wanted.filter(name => !covered.includes(name));
    }

    /** A pull is handed over to WatermelonDB, which has not stored it yet. */
    async offer(since, timestamp) {
        this._offered = { since, timestamp };
        // Where that fails, the next pull begins at 0 again.
        if (since === 0) await this.settle();
    }

    /** The last pull that was offered has been stored. */
    async settle() {
        if (!this._offered) return;
        this._offered = null;
        await this._store(this.names);
    }

    async forget() {
        this._offered = null;
        await this.storage.remove(this.key);
    }

    /** Null: all, or never recorded, and then the filter is taken for what it always was. */
    async _covered() {
        return parsed(await this.storage.get(this.key));
    }

    async _store(names) {
        const text = JSON.stringify(names);
        if (await this.storage.get(this.key) !== text) await this.storage.set(this.key, text);
    }
}
