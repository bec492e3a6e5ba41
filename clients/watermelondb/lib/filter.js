import { parsed } from './storage.js';

/**
 * Knows which collections the watermark covers. The watermark of a filtered pull is valid only for that filter. If the
 * app adds a collection later, its rows may be older than the watermark, so the whole collection has to be requested.
 */
export class CollectionFilter {
    _offered = null;
    /** Collections that the app names and the server does not have. */
    _absent = new Set();

    /** `names` is null for all collections. */
    constructor(names, storage, key) {
        this.names = names ? [...names].sort() : null;
        this.storage = storage;
        this.key = key;
    }

    /** The collections to ask for. The server refuses names that it does not have. */
    get asked() {
        return this.names?.filter(name => !this._absent.has(name)) ?? null;
    }

    /** Leaves out the collections that the server does not have. Returns whether that makes a difference. */
    leaveOut(known) {
        const before = this._absent;
        this._absent = new Set(this.names?.filter(name => !known.has(name)));
        return this._absent.size !== before.size || [...before].some(name => !this._absent.has(name));
    }

    /**
     * The collections that the watermark `since` does not cover. `known` returns the names
     * of all collections of the server.
     */
    async missing(since, known) {
        if (since === 0) return [];
        if (this._offered && this._offered.since !== since && this._offered.timestamp === since) await this.settle();
        const covered = await this._covered();
        if (covered === null) return [];
        const wanted = this.asked ?? await known();
        const both = covered.filter(name => wanted.includes(name));
        // A collection that is no longer pulled is no longer covered once the next watermark is adopted.
        if (both.length < covered.length) await this._store(both);
        return wanted.filter(name => !covered.includes(name));
    }

    /** Notes a pull that was handed to WatermelonDB and is not stored yet. */
    async offer(since, timestamp) {
        this._offered = { since, timestamp };
        // If WatermelonDB fails to store it, the next pull starts at 0 again.
        if (since === 0) await this.settle();
    }

    /** Notes that WatermelonDB has stored the last offered pull. */
    async settle() {
        if (!this._offered) return;
        this._offered = null;
        await this._store(this.asked);
    }

    async forget() {
        this._offered = null;
        await this.storage.remove(this.key);
    }

    /**
     * The covered collections. Null means all of them, or that nothing was recorded: the filter
     * is then assumed to be unchanged.
     */
    async _covered() {
        return parsed(await this.storage.get(this.key));
    }

    async _store(names) {
        const text = JSON.stringify(names);
        if (await this.storage.get(this.key) !== text) await this.storage.set(this.key, text);
    }
}
