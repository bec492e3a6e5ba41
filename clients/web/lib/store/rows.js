import { Digest } from '../common/digest.js';
import { isCounted, isDirty } from '../rows/record.js';
import { beginningWith, keyRange } from './transaction.js';

/** Reading more rows than this one by one takes longer than reading all rows of a collection. */
const MANY = 200;

/**
 * The rows within one transaction. With each write it keeps the digests up to date, and notes what has changed. A row
 * is written only after it was read in the same transaction, so nobody else's write is lost.
 */
export class Rows {
    /** The ids of rows by `collection project`, as `Change` has them. */
    changed = new Map();
    /** The entries of the copy's indexes, which move with each write; null if it has none. */
    entries = null;
    /** What each row was when it was read. Null if there was none. */
    _read = new Map();
    /** Whether rows can be marked as outside of the part: the copy has the store. */
    hasOutside = false;
    /** What is added to the stored digests. */
    _deltas = new Map();
    _writes = [];

    constructor(transaction, schema) {
        Object.assign(this, { transaction, schema });
    }

    async get(collection, id) {
        const stored = await this.transaction.get('rows', [collection, id]) ?? null;
        this._read.set(`${collection} ${id}`, stored);
        return stored && plain(stored);
    }

    /** The rows of a collection, or of one project in it. */
    async of(collection, project = null) {
        return this._list(project === null
            ? await this.transaction.all('rows', keyRange(beginningWith(collection)))
            : await this.transaction.all('rows', keyRange(beginningWith(project, collection)), 'project'));
    }

    /** The rows of a project, in all collections. */
    async ofProject(project) {
        return this._list(await this.transaction.all('rows', keyRange(beginningWith(project)), 'project'));
    }

    async unsent() {
        return this._list(await this.transaction.all('rows', undefined, 'unsent'));
    }

    /** The rows that are marked as outside of the part. */
    async outside() {
        if (!this.hasOutside) return [];
        const rows = await Promise.all((await this.transaction.keys('outside')).map(key => this.get(...key)));
        return rows.filter(record => record?._outside);
    }

    /** The rows that refer to a row. */
    async referringTo(collection, id) {
        return this._list(await this.transaction.all('rows', [collection, id], 'references'));
    }

    put(record) {
        this._note(record, record);
        this._writes.push(this.transaction.put('rows', indexed(record, this.schema)));
    }

    remove(record) {
        this._note(record, null);
        this._writes.push(this.transaction.delete('rows', [record.collection, record.id]));
    }

    /** Counts all rows of these collections again, in place of what the writes so far made of the digests. */
    async recount(collections) {
        await Promise.all(this._writes);
        await this.transaction.clear('digests');
        this._deltas.clear();
        for (const { name } of collections) {
            for (const record of await this.of(name)) {
                if (isCounted(record)) this._delta(record).addRow(record.id, record.server_version);
            }
        }
    }

    /** Stores the digests. The last call of a transaction that writes. */
    async flush() {
        await Promise.all(this._writes);
        await Promise.all([...this._deltas.values()].map(delta => this._add(delta)));
    }

    /** The digest of a project's rows in a collection. */
    async digest(project, collection) {
        const digest = new Digest();
        const stored = await this.transaction.get('digests', [project, collection]);
        if (stored) digest.add(stored);
        const delta = this._deltas.get(`${collection} ${project}`);
        if (delta) digest.add({ count: delta.digest.count, digest: delta.digest.text });
        return digest;
    }

    _list(stored) {
        return stored.map(each => {
            this._read.set(`${each.collection} ${each.id}`, each);
            return plain(each);
        });
    }

    _note(record, after) {
        const key = `${record.collection} ${record.id}`;
        if (!this._read.has(key)) throw new TypeError(`${key} was not read before it is written.`);
        const before = this._read.get(key);
        if (before && isCounted(before)) this._delta(before).removeRow(before.id, before.server_version);
        if (after && isCounted(after)) this._delta(after).addRow(after.id, after.server_version);
        for (const each of [before, after]) if (each) this._tell(each);
        this.entries?.move(before, after);
        if (this.hasOutside && Boolean(before?._outside) !== Boolean(after?._outside)) this._mark(record, after);
        this._read.set(key, after);
    }

    /** Notes in the store of outside rows whether the row is one. */
    _mark({ collection, id }, after) {
        const key = [collection, id];
        this._writes.push(after?._outside ? this.transaction.put('outside', true, key)
            : this.transaction.delete('outside', key));
    }

    _tell({ collection, project_id, id }) {
        const key = `${collection} ${project_id}`;
        const ids = this.changed.get(key);
        if (ids === undefined) this.changed.set(key, new Set([id]));
        else if (ids?.size >= MANY) this.changed.set(key, null);
        else ids?.add(id);
    }

    _delta({ collection, project_id }) {
        const key = `${collection} ${project_id}`;
        if (!this._deltas.has(key)) this._deltas.set(key, { collection, project_id, digest: new Digest() });
        return this._deltas.get(key).digest;
    }

    async _add({ collection, project_id }) {
        const { count, text } = await this.digest(project_id, collection);
        if (count > 0) return this.transaction.put('digests', { collection, project_id, count, digest: text });
        return this.transaction.delete('digests', [project_id, collection]);
    }
}

/** The record with what the indexes need. */
function indexed(record, schema) {
    const { references = [] } = schema?.collection(record.collection) ?? {};
    const _references = references.filter(({ name }) => name !== 'project_id').flatMap(({ name, reference }) =>
        [record.values[name] ?? []].flat().filter(id => typeof id === 'string').map(id => [reference, id]));
    return { ...record, _references, ...(isDirty(record) ? { _unsent: 1 } : {}) };
}

/** The record without what only the indexes need. */
function plain({ _references, _unsent, ...record }) {
    return record;
}
