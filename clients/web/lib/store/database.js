import { TidemarkError } from '../common/error.js';
import { Transaction } from './transaction.js';

/**
 * Versions of the stores' layout. A window that does not know a copy's version has to be loaded again. Only a copy
 * whose page names indexes has version 2, with the store `entries`, and only one with parts version 3, with the store
 * `outside`. The first file gives it version 4, with the stores `files` and `bytes`; a copy that gets parts after that
 * has version 5. All others keep version 1.
 */
const [INDEXED, PARTED, FILED, PARTED_LATER] = [2, 3, 4, 5];
const NEWEST = PARTED_LATER;

/** Index keys of `rows`. A row without the field is not in the index. */
const ROW_INDEXES = {
    project: ['project_id', 'collection'],
    unsent: '_unsent',
};

/**
 * One IndexedDB database, which belongs to one user of one server at a time. One store holds the rows of all
 * collections, so a server with another schema needs no other layout: for that, every window would have to close its
 * connection.
 */
export class Database {
    /** Told when the browser or a newer version of the app has closed the connection. */
    onClosed = () => {};

    /**
     * Opens it, or makes it. With `isIndexed` it has the store `entries`. Throws `newer_version` if a newer version of
     * this module made it.
     */
    static async open(indexedDB, name, isIndexed = false) {
        const database = new Database();
        Object.assign(database, { indexedDB, name });
        await database._connect(isIndexed ? INDEXED : undefined).catch(error => {
            if (!isIndexed || error.code !== 'newer_version') throw error;
            return database._connect();
        });
        return database;
    }

    /** Opens it if it is there. Otherwise null, and nothing is made. */
    static async find(indexedDB, name) {
        const database = new Database();
        Object.assign(database, { indexedDB, name });
        return await database._connect(undefined, false) ? database : null;
    }

    /** Whether rows can be outside of a part. */
    get isParted() {
        return storesOf(this._db).includes('outside');
    }

    /** Whether the copy can have files. */
    get isFiled() {
        return this._db.version >= FILED;
    }

    /** The same as `isParted`. A copy that is just getting what it needs for parts is waited for. */
    async hasParts() {
        await this._opening;
        return this.isParted;
    }

    /** The same as `isFiled`. */
    async hasFiles() {
        await this._opening;
        return this.isFiled;
    }

    /** Gives the copy what it needs for parts, if it does not have that. */
    part() {
        return this._gain(() => this.isParted, () => (this.isFiled ? PARTED_LATER : PARTED));
    }

    /** Gives the copy what it needs for files, if it does not have that. */
    file() {
        return this._gain(() => this.isFiled, () => FILED);
    }

    /** Another window may be giving it the same, or something else, at this moment. */
    async _gain(hasIt, version) {
        for (await this._opening; !this._isClosed && !hasIt(); await this._opening) {
            this._db.close();
            this._opening = this._connect(version()).catch(error => {
                if (error.code !== 'newer_version') throw error;
                return this._connect();
            });
        }
        if (this._isClosed) this._db.close();
    }

    close() {
        this._isClosed = true;
        this._db.close();
    }

    read(work) {
        return this._run('readonly', 'relaxed', work);
    }

    /**
     * Runs one transaction. If `work` throws, nothing of it is done. `work` must wait for nothing but the transaction.
     * It is on the disk when this returns, unless `durability` is `relaxed`: then a power cut may lose it, and whatever
     * came after it.
     */
    write(work, durability = 'strict') {
        return this._run('readwrite', durability, work);
    }

    async _run(mode, durability, work) {
        // It may be opened again while this waits.
        for (let opened; opened !== this._opening;) {
            opened = this._opening;
            await opened;
        }
        const transaction = this._begin(mode, durability);
        const ended = new Promise((resolve, reject) => {
            transaction.oncomplete = resolve;
            transaction.onabort = () => reject(failure(transaction.error));
        });
        ended.catch(() => {});
        try {
            const value = await work(new Transaction(transaction));
            await ended;
            return value;
        } catch (error) {
            abort(transaction);
            throw error instanceof TidemarkError || error instanceof TypeError ? error : failure(error);
        }
    }

    _begin(mode, durability) {
        try {
            return this._db.transaction(storesOf(this._db), mode, { durability });
        } catch (error) {
            throw failure(error);
        }
    }

    async _connect(version, mayMake = true) {
        const db = this._db = await connected(this.indexedDB, this.name, version, mayMake);
        if (!db) return false;
        db.onversionchange = ({ newVersion }) => {
            db.close();
            if (newVersion !== null && newVersion <= NEWEST) this._opening = this._reopen();
            else this._end();
        };
        db.onclose = () => this._end();
        return true;
    }

    /** Another window has given the copy one more store. This one goes on. */
    async _reopen() {
        await this._connect().catch(() => this._end());
        if (this._isClosed) this._db.close();
    }

    _end() {
        this.close();
        this.onClosed();
    }
}

/** A connection. Without a version it is the copy's, and 1 for a new one. Null if there is none and it may not be made. */
function connected(indexedDB, name, version, mayMake) {
    return new Promise((resolve, reject) => {
        const request = indexedDB.open(name, version);
        let isMissing = false;
        request.onupgradeneeded = ({ oldVersion }) => {
            isMissing = oldVersion === 0 && !mayMake;
            if (isMissing) request.transaction.abort();
            else create(request.result, oldVersion);
        };
        request.onsuccess = () => {
            if (request.result.version <= NEWEST) return resolve(request.result);
            request.result.close();
            return reject(failure({ name: 'VersionError' }));
        };
        request.onerror = () => (isMissing ? resolve(null) : reject(failure(request.error)));
    });
}

function create(db, oldVersion) {
    if (db.version >= INDEXED && oldVersion < INDEXED) db.createObjectStore('entries');
    if ([PARTED, PARTED_LATER].includes(db.version)) db.createObjectStore('outside');
    if (db.version >= FILED && oldVersion < FILED) {
        db.createObjectStore('files', { keyPath: ['digest', 'project'] }).createIndex('unsent', 'unsent');
        db.createObjectStore('bytes');
    }
    if (oldVersion > 0) return;
    db.createObjectStore('meta');
    const rows = db.createObjectStore('rows', { keyPath: ['collection', 'id'] });
    for (const [name, path] of Object.entries(ROW_INDEXES)) rows.createIndex(name, path);
    rows.createIndex('references', '_references', { multiEntry: true });
    db.createObjectStore('digests', { keyPath: ['project_id', 'collection'] });
    db.createObjectStore('batches', { keyPath: 'number', autoIncrement: true });
    db.createObjectStore('refused', { keyPath: ['collection', 'id'] });
    db.createObjectStore('aside', { keyPath: 'number', autoIncrement: true });
}

const storesOf = db => [...db.objectStoreNames];

function abort(transaction) {
    try {
        transaction.abort();
    } catch {
        // It has ended by itself.
    }
}

/** The error of a database that can't be used. */
function failure(cause) {
    if (cause instanceof TidemarkError) return cause;
    const [code, detail] = KNOWN[cause?.name] ?? ['storage_failed', `The browser's storage failed: ${cause}.`];
    return new TidemarkError(code, detail, { cause });
}

const KNOWN = {
    VersionError: ['newer_version', 'A newer version of the app has been here. Reload the page.'],
    InvalidStateError: ['closed', 'The local database is closed. Reload the page.'],
    QuotaExceededError: ['storage_full', 'The browser has no space left for this page.'],
};
