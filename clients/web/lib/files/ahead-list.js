import { TidemarkError } from '../common/error.js';
import { blobFields, filesNamed } from '../common/files/named.js';
import { cachedBytes } from './stored.js';

/** Changes that wait until they are looked at. After more of them everything is. */
const MOST_CHANGES = 100;

/**
 * The files that an `Ahead` is to read: those of rows that the app keeps. The rows are in the copy, so nothing has to be
 * stored for that. At first all rows that name files are looked at, then those that change.
 */
export class AheadList {
    _isAll = true;
    _changes = [];
    /** The files of the rows that the app keeps, by collection and id. */
    _kept = new Map();
    _hasEnded = false;

    /** `keep(row, collection)` is the app's. `report` is told of an error of it. `signal` is that of the session. */
    constructor({ replica, keep, cacheBytes, signal, report }) {
        Object.assign(this, { replica, keep, cacheBytes, signal, report });
    }

    /** The app may keep other rows by now. */
    lookAtAll() {
        this._isAll = true;
        this._hasEnded = false;
    }

    /** Some rows have changed: a `Change`. */
    changed(change) {
        if (this._changes.push(change) > MOST_CHANGES) this._isAll = true;
        if (this._isAll) this._changes = [];
    }

    /** Nothing more fits. It ends until everything is looked at. */
    end() {
        this._hasEnded = true;
    }

    async next(mayRead) {
        await this._look();
        if (this._hasEnded || this.signal.aborted) return null;
        const files = [...this._kept.values()].flatMap(rows => [...rows.values()]).flat();
        if (files.length === 0) return null;
        const { here, cached } = await this._here();
        return files.find(file =>
            !here.has(keyOf(file)) && cached + file.size <= this.cacheBytes && mayRead(file)) ?? null;
    }

    async done(file) {
        const isOther = each => keyOf(each) !== keyOf(file);
        for (const rows of this._kept.values()) for (const [id, files] of rows) rows.set(id, files.filter(isOther));
    }

    async _look() {
        const [isAll, changes] = [this._isAll, this._changes];
        if (!isAll && changes.length === 0) return;
        Object.assign(this, { _isAll: false, _changes: [] });
        try {
            for (const { title, properties } of (await this.replica.schema())?.document.collections ?? []) {
                const fields = blobFields(properties);
                const ids = isAll ? null : idsOf(changes, title);
                if (fields.length > 0 && ids?.length !== 0) await this._lookAt(title, fields, ids);
            }
        } catch (error) {
            this._isAll = true;
            throw error;
        }
    }

    /** Asks of all rows of a collection, or of some. */
    async _lookAt(title, fields, ids) {
        const { rows } = await this.replica.query(title, {}, ids);
        const kept = ids === null ? new Map() : this._kept.get(title) ?? new Map();
        for (const id of ids ?? []) kept.delete(id);
        const errors = [];
        for (const row of rows) {
            const files = filesNamed(row, fields).filter(({ state }) => state === 'stored');
            if (files.length > 0 && this._isKept(row, title, errors)) kept.set(row.id, files);
        }
        this._kept.set(title, kept);
        if (errors.length > 0) this.report(failed(title, errors[0]));
    }

    _isKept(row, title, errors) {
        try {
            return this.keep(row, title);
        } catch (error) {
            errors.push(error);
            return false;
        }
    }

    /** What the copy has, and how many bytes of the cache that takes. */
    async _here() {
        const { replica } = this;
        const entries = await replica.database.hasFiles()
            ? await replica.readFiles(({ transaction }) => transaction.all('files')) : [];
        return { here: new Set(entries.map(keyOf)), cached: cachedBytes(entries) };
    }
}

/** The ids of a collection's rows that have changed; null if it may be any. */
function idsOf(changes, title) {
    const found = changes.map(change => change.ids(title, null)).filter(ids => ids !== undefined);
    return found.includes(null) ? null : [...new Set(found.flat())];
}

const keyOf = ({ digest, project }) => `${project} ${digest}`;

const failed = (title, cause) => new TidemarkError('keep_failed',
    `The option keep throws for a row of ${title}: ${cause}. No files of such rows are read ahead.`, { cause });
