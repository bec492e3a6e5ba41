import { uuid } from '../common/uuid.js';
import { parsed } from '../storage.js';

/** Milliseconds after which own bytes may go although no row has said `stored`: the server forgets them then, too. */
const PINNED = 30 * 86_400_000;
/** The scope, and a random part. */
const NAME = /^(.*)\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Files that are no cache. All keys are in one value of the storage. */
const MOST_OWN = 5000;
/** Files of the cache. Each takes a key in the app's storage. */
const MOST_CACHED = 1000;

/**
 * The files of a database: entries in the app's storage, and bytes in its file store. An entry is
 * `{ id, digest, project, name, preview, size, type, state, sent, reason, detail, upload, voids, added, storedAt, used,
 * file, isOwn, rows, again }`: `FileSender` says what most of them are, and:
 * - `file`: the name of its bytes in the file store
 * - `isOwn`: it was added here
 * - `rows`: some rows that have said that it is stored, by collection and id
 * - `again`: how often it was sent again for a row that had never said so
 *
 * The storage decides what there is. An entry is written after its bytes and removed before them, so bytes without an
 * entry belong to nobody, and go at the next start. A name is never used twice, so nothing has to be renamed.
 */
export class Shelf {
    /** Another one after `forget`. */
    life = 0;
    _entries = null;
    _last = Promise.resolve();

    constructor({ storage, fileStore, scope, now }) {
        Object.assign(this, { storage, fileStore, scope, now, indexKey: `${scope.prefix}files` });
    }

    /** Runs a work while no other runs. The methods below are for such works. */
    alone(work) {
        const run = this._last.then(async () => {
            await this._open();
            return work();
        });
        this._last = run.catch(() => {});
        return run;
    }

    get entries() {
        return [...this._entries.values()];
    }

    /** What the server does not have, in the order in which it was added. */
    get unsent() {
        return this.entries.filter(({ state }) => state !== 'stored').sort((one, other) => one.added - other.added);
    }

    get(id) {
        return this._entries.get(id) ?? null;
    }

    /** The entry of a digest in a project, or in the project that has one; null if there is none. */
    find(digest, project) {
        const isMeant = entry => entry.digest === digest && (project === null || entry.project === project);
        const found = this.entries.filter(isMeant);
        return found.find(({ state }) => state !== 'stored') ?? found[0] ?? null;
    }

    /** A name for new bytes. Others with this scope in their name are of this shelf. */
    newName() {
        return `${this.scope.name}.${uuid()}`;
    }

    /** Stores an entry. The index is written first, so no key can be forgotten. */
    async put(entry) {
        if (!this._entries.has(entry.id)) await this._saveIndex([...this._entries.keys(), entry.id]);
        await this.storage.set(this._key(entry.id), JSON.stringify(entry));
        this._entries.set(entry.id, entry);
        return entry;
    }

    async remove(...entries) {
        if (!entries.length) return;
        for (const { id } of entries) {
            await this.storage.remove(this._key(id));
            this._entries.delete(id);
        }
        await this._saveIndex([...this._entries.keys()]);
        for (const { file } of entries) await this.discard(file);
    }

    /** Removes bytes that no entry names. What can't be removed now goes at the next start. */
    async discard(file) {
        try {
            await this.fileStore?.remove(file);
        } catch {
            // See above.
        }
    }

    /** Whether the bytes of an entry are there. */
    async has({ file, size }) {
        return await this.fileStore.size(file) === size;
    }

    /** Drops what was not used for longest, until the cache has no more than so many bytes. `kept` stays anyway. */
    async trim(most, kept = null) {
        const cached = this.entries.filter(entry => entry.id !== kept?.id && this._isCached(entry));
        let [bytes, count] = [kept?.size <= most ? kept.size : 0, 0];
        const isTooMuch = ({ size }) => {
            if (bytes + size > most || count === MOST_CACHED) return true;
            bytes += size;
            count++;
            return false;
        };
        await this.remove(...cached.sort((one, other) => other.used - one.used).filter(isTooMuch));
    }

    get cachedBytes() {
        return this.entries.filter(entry => this._isCached(entry)).reduce((sum, { size }) => sum + size, 0);
    }

    get isFull() {
        return this.entries.filter(entry => !this._isCached(entry)).length >= MOST_OWN;
    }

    /** Own bytes are no cache before a row has said that they are stored. */
    _isCached({ state, isOwn, rows, storedAt }) {
        return state === 'stored' && (!isOwn || rows.length > 0 || this.now() - storedAt > PINNED);
    }

    /** Removes everything. What is on its way belongs to a former life. */
    forget() {
        this.life++;
        return this.alone(() => this.remove(...this.entries));
    }

    async _open() {
        if (this._entries) return;
        const index = parsed(await this.storage.get(this.indexKey)) ?? [];
        const entries = new Map();
        for (const id of index) {
            const entry = parsed(await this.storage.get(this._key(id)));
            if (entry) entries.set(id, entry);
        }
        this._entries = entries;
        // The app ended between writing the two.
        if (entries.size < index.length) await this._saveIndex([...entries.keys()]);
        if (this.fileStore) await this._sweep();
    }

    /** Removes the bytes that no entry names: the app ended before it wrote the entry, or after it removed it. */
    async _sweep() {
        const named = new Set(this.entries.map(({ file }) => file));
        for (const name of await this._names()) if (!named.has(name)) await this.discard(name);
    }

    /** The names of this shelf's in the file store. What can't be listed now is swept at the next start. */
    async _names() {
        try {
            return (await this.fileStore.list()).filter(name => NAME.exec(name)?.[1] === this.scope.name);
        } catch {
            return [];
        }
    }

    async _saveIndex(ids) {
        if (ids.length) await this.storage.set(this.indexKey, JSON.stringify(ids));
        else await this.storage.remove(this.indexKey);
    }

    _key(id) {
        return `${this.scope.prefix}file:${id}`;
    }
}
