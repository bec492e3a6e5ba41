import { named } from './answered.js';
import { LongTexts } from './long-texts.js';
import { parsed } from './storage.js';

/**
 * The bases of unsent edits that a pull has gone over: for each column the version of the row when the column was first
 * edited. WatermelonDB keeps such a column and takes the newer `server_version`, so the row no longer tells it.
 */
export class Bases {
    /** By collection and id, and then by column. */
    _rows = null;
    /**
     * What the resolver found, by collection and id: the `bases` of a row, and the `version` that the row has if its
     * pull is stored.
     */
    _found = new Map();
    /** The versions that are here are of a history that the pull which runs has left. */
    _isLost = false;

    constructor(storage, prefix, withheld) {
        this.texts = new LongTexts(storage);
        this.key = `${prefix}bases`;
        this.withheld = withheld;
    }

    async isEmpty() {
        return Object.keys(await this._load()).length === 0;
    }

    /** Gets everything ready for the next pull. The resolver can't wait. */
    async begin() {
        this._isLost = false;
        await this._load();
    }

    /** The server was restored, and gives versions of the lost history to other states. */
    async lose() {
        await this.forget();
        this._isLost = true;
    }

    /**
     * Notes the versions that a pull with the changes `pulled` is about to replace, and drops what is no longer unsent.
     * `read` returns the unsent edits. It is not called if there is nothing to do.
     */
    async update(read, pulled = {}) {
        const hasRows = Object.values(pulled).some(({ created, updated }) => created.length + updated.length > 0);
        if (hasRows || !await this.isEmpty()) await this.keep(await read(), pulled);
    }

    /** The same. `edits` are all unsent edits, as WatermelonDB hands them over. */
    async keep(edits, pulled = {}) {
        const known = await this._load();
        const kept = {};
        for (const [collection, { created, updated }] of Object.entries(edits)) {
            const rows = [...created, ...updated].filter(row => row._changed);
            const remotes = rows.length ? byID(pulled[collection]) : null;
            for (const row of rows) {
                const key = keyOf(collection, row.id);
                const found = this._found.get(key);
                const own = found && found.version === row.server_version ? found.bases : known[key];
                const bases = this._after(collection, row, remotes.get(row.id), own);
                if (Object.keys(bases).length) kept[key] = bases;
            }
        }
        await this._save(kept);
        this._found.clear();
    }

    /** Drops the rows that WatermelonDB is about to count as synced, and is not to keep as unsent. */
    async dropAnswered({ experimentalRejectedIds: ids }) {
        const unsent = new Set(Object.entries(ids).flatMap(([name, list]) => list.map(id => keyOf(name, id))));
        await this._save(Object.fromEntries(Object.entries(await this._load()).filter(([key]) => unsent.has(key))));
    }

    /**
     * The conflict resolver of `synchronize()`, around that of the withheld rows and the app's own. It finds what was
     * edited after `update` had read the rows, and what the app has decided.
     */
    resolver(next = null) {
        const resolve = this.withheld.resolver(next);
        return (table, local, remote, resolved) => {
            const row = resolve(table, local, remote, resolved);
            if (local._changed) this._find(table, local, row ?? resolved);
            return row;
        };
    }

    /**
     * The edits with their bases, as an upload has them: `base_version` is the oldest of the row, `base_versions` has
     * those of columns with another one. An edit that no pull has gone over stays as it is: its base is the watermark.
     */
    async stamped(edits) {
        const known = await this._load();
        return edits.map(edit => {
            const own = known[keyOf(edit.collection, edit.id)];
            const columns = own && edit.kind !== 'deleted' ? named(edit.row) : [];
            if (!columns.some(column => column in own)) return edit;
            return { ...edit, row: { ...edit.row, ...members(versions(columns, edit.row.server_version, own)) } };
        });
    }

    async forget() {
        this._found.clear();
        await this._save({});
    }

    /** The bases of a row's columns after a pull with `remote`, if it has the row. */
    _after(collection, row, remote, own) {
        const columns = named(row);
        if (!remote) return versions(columns, null, own);
        // A row that was purged and made again counts from 1.
        if (this._isLost || remote.server_version < row.server_version) return {};
        const taken = this.withheld.taken(collection, row, remote);
        return versions(columns.filter(column => !taken.includes(column)), row.server_version, own);
    }

    /** A value that the app's resolver has made was made on the pulled version. So was one that it took. */
    _find(table, local, row) {
        const key = keyOf(table, local.id);
        const isKept = column => named(row).includes(column) && row[column] === local[column];
        const isOther = this._isLost || row.server_version < local.server_version;
        const columns = isOther ? [] : named(local).filter(isKept);
        const bases = versions(columns, local.server_version, this._rows?.[key]);
        this._found.set(key, { version: row.server_version, bases });
    }

    async _load() {
        this._rows ??= parsed(await this.texts.get(this.key)) ?? {};
        return this._rows;
    }

    async _save(rows) {
        const text = JSON.stringify(rows);
        if (text === JSON.stringify(await this._load())) return;
        if (text === '{}') await this.texts.remove(this.key);
        else await this.texts.set(this.key, text);
        this._rows = rows;
    }
}

const keyOf = (collection, id) => `${collection}/${id}`;

const byID = ({ created = [], updated = [] } = {}) => new Map([...created, ...updated].map(row => [row.id, row]));

/** The base of each column: the known one, or else `version`, the row's. None if that is not a version. */
function versions(columns, version, known = {}) {
    return Object.fromEntries(columns.map(column => [column, known[column] ?? version])
        .filter(([, base]) => Number.isInteger(base) && base > 0));
}

/** The members of an upload's row. */
function members(bases) {
    const oldest = Math.min(...Object.values(bases));
    const others = Object.entries(bases).filter(([, base]) => base !== oldest);
    return { base_version: oldest, ...(others.length ? { base_versions: Object.fromEntries(others) } : {}) };
}
