// IndexedDB in memory, as strict as a browser's about what it has: https://www.w3.org/TR/IndexedDB/. Transactions wait
// for each other, commit by themselves when nothing is asked of them any more, and take no request at any other time
// than while they are served. It has no cursors, no `add` and no unique indexes, since the client uses none.
//
// A tab can die before any step of any of its transactions: see `Tab` in browser.js.
import { StoredData } from './stores.js';

/** What one browser has stored, and the transactions on it. */
export class Disk {
    databases = new Map();
    /** By store: how many records, or keys of records, were read. */
    reads = {};

    /** What a tab sees as `indexedDB`. */
    factory(tab) {
        return { open: (name, version) => this._open(tab, name, version) };
    }

    /** Aborts everything that a dead tab has begun, without telling it. */
    forget(tab) {
        for (const data of this.databases.values()) data.forget(tab);
    }

    /** All that is stored, as a value that `structuredClone` takes. */
    image() {
        return [...this.databases].map(([name, data]) => [name, data.whole]);
    }

    /** What an image has is here. */
    restore(image) {
        for (const [name, whole] of image) this.databases.set(name, Object.assign(new DatabaseData(this), { whole }));
    }

    _open(tab, name, version) {
        const request = new Request();
        setImmediate(async () => {
            if (!await tab.step(`open ${name}`)) return;
            if (!this.databases.has(name)) this.databases.set(name, new DatabaseData(this));
            const data = this.databases.get(name);
            data.open(tab, version, request);
        });
        return request;
    }
}

class Request {
    result = undefined;
    error = null;
}

const fire = (target, name, more = {}) => target[name]?.({ target, ...more });

class DatabaseData {
    version = 0;
    stores = new Map();
    connections = new Set();
    /** Transactions that have not ended, in the order in which they began. */
    queue = [];
    /** The upgrade under way, and what is to be opened after it. */
    upgrading = null;
    waiting = [];

    constructor(disk) {
        this.disk = disk;
    }

    get whole() {
        const stores = [...this.stores].map(([name, store]) => [name, { ...store }]);
        return { version: this.version, stores };
    }

    set whole({ version, stores }) {
        this.version = version;
        this.stores = new Map(stores.map(([name, store]) => [name, Object.assign(new StoredData({}), store)]));
    }

    open(tab, given, request) {
        if (this.upgrading) return void this.waiting.push(() => this.open(tab, given, request));
        const version = given ?? (this.version || 1);
        if (version < this.version) {
            return this.refuse(request, new DOMException('The version is less.', 'VersionError'));
        }
        request.result = new Connection(this, tab);
        if (version === this.version) return this.connect(request);
        this.upgrading = () => this.upgrade(version, request);
        for (const other of this.connections) fire(other, 'onversionchange', { newVersion: version });
        setImmediate(() => {
            if (this.connections.size > 0) fire(request, 'onblocked');
            else this.goOn();
        });
        return undefined;
    }

    /** An upgrade begins when nobody has it open any more, and all that was begun has ended. */
    goOn() {
        if (this.connections.size === 0 && this.queue.length === 0) this.upgrading?.();
    }

    upgrade(version, request) {
        this.upgrading = null;
        for (const open of this.waiting.splice(0)) setImmediate(open);
        if (request.result.tab.isDead) return undefined;
        const oldVersion = this.version;
        this.version = version;
        const stores = new Map(this.stores);
        let isAborted = false;
        request.transaction = { abort: () => { isAborted = true; } };
        request.result.isUpgrading = true;
        fire(request, 'onupgradeneeded', { oldVersion });
        request.result.isUpgrading = false;
        if (!isAborted) return this.connect(request);
        Object.assign(this, { version: oldVersion, stores });
        return this.refuse(request, new DOMException('It was aborted.', 'AbortError'));
    }

    refuse(request, error) {
        Object.assign(request, { result: undefined, error });
        fire(request, 'onerror');
    }

    connect(request) {
        this.connections.add(request.result);
        fire(request, 'onsuccess');
    }

    disconnect(connection) {
        this.connections.delete(connection);
        if (this.upgrading) setImmediate(() => this.goOn());
    }

    forget(tab) {
        for (const each of this.queue.filter(transaction => transaction.tab === tab)) each.undo();
        this.queue = this.queue.filter(transaction => transaction.tab !== tab);
        for (const connection of [...this.connections]) if (connection.tab === tab) this.disconnect(connection);
        this.startNext();
    }

    /** Transactions that write run alone. */
    startNext() {
        for (const [index, transaction] of this.queue.entries()) {
            if (index > 0 && transaction.mode === 'readwrite') return;
            transaction.start();
            if (transaction.mode === 'readwrite') return;
        }
    }

    end(transaction) {
        this.queue = this.queue.filter(each => each !== transaction);
        this.startNext();
        if (this.upgrading) setImmediate(() => this.goOn());
    }
}

class Connection {
    isClosed = false;

    constructor(data, tab) {
        Object.assign(this, { data, tab });
    }

    get version() {
        return this.data.version;
    }

    get objectStoreNames() {
        return [...this.data.stores.keys()];
    }

    createObjectStore(name, options = {}) {
        if (!this.isUpgrading) throw new DOMException('Not now.', 'InvalidStateError');
        const store = new StoredData(options);
        this.data.stores.set(name, store);
        return {
            createIndex: (index, keyPath, { multiEntry = false } = {}) =>
                void store.indexes.set(index, { keyPath, multiEntry }),
        };
    }

    transaction(names, mode = 'readonly') {
        if (this.isClosed) throw new DOMException('The connection is closed.', 'InvalidStateError');
        for (const name of names) {
            if (!this.data.stores.has(name)) throw new DOMException(`No store ${name}.`, 'NotFoundError');
        }
        return new FakeTransaction(this.data, this.tab, new Set(names), mode);
    }

    close() {
        this.isClosed = true;
        this.data.disconnect(this);
    }
}

class FakeTransaction {
    error = null;
    /** Whether requests are taken right now. */
    isActive = true;
    isOver = false;
    _requests = [];
    _isStarted = false;
    _images = new Map();

    constructor(data, tab, names, mode) {
        Object.assign(this, { data, tab, names, mode });
        // A dead tab may be at the end of what it did when it died.
        if (tab.isDead) return;
        data.queue.push(this);
        setImmediate(() => {
            this.isActive = false;
            data.startNext();
        });
    }

    objectStore(name) {
        if (this.isOver) throw new DOMException('It has ended.', 'InvalidStateError');
        if (!this.names.has(name)) throw new DOMException(`No store ${name}.`, 'NotFoundError');
        const data = this.data.stores.get(name);
        const ask = (what, isWrite, work) => this._ask(`${what} ${name}`, isWrite ? name : null, () => work(data));
        const count = records => {
            const { reads } = this.data.disk;
            reads[name] = (reads[name] ?? 0) + records.length;
            return records;
        };
        const all = (query, limit, index, member) => data =>
            structuredClone(count(data.list(query, index, limit)).map(each => each[member]));
        const source = index => ({
            getAll: (query, limit) => ask('getAll', false, all(query, limit, index, 'value')),
            getAllKeys: (query, limit) => ask('getAllKeys', false, all(query, limit, index, 'key')),
            count: query => ask('count', false, data => data.list(query, index).length),
        });
        return {
            ...source(), get: key => ask('get', false, data => {
                count([key]);
                return data.get(key);
            }),
            put: (value, key) => {
                const copy = structuredClone(value);
                return ask('put', true, data => data.put(copy, key));
            },
            delete: query => ask('delete', true, data => void data.delete(query)),
            clear: () => ask('clear', true, data => data.clear()),
            index: name => {
                if (!data.indexes.has(name)) throw new DOMException(`No index ${name}.`, 'NotFoundError');
                return source(name);
            },
        };
    }

    abort() {
        if (this.isOver) throw new DOMException('It has ended.', 'InvalidStateError');
        this._fail(null);
    }

    start() {
        if (this._isStarted || this.isActive) return;
        this._isStarted = true;
        setImmediate(() => this._step());
    }

    /** Takes everything back, without a word. */
    undo() {
        for (const [name, image] of this._images) this.data.stores.get(name).restore(image);
        this.isOver = true;
    }

    _ask(what, written, work) {
        if (this.isOver || !this.isActive) throw new DOMException('It takes nothing now.', 'TransactionInactiveError');
        if (written !== null && this.mode !== 'readwrite') throw new DOMException('It only reads.', 'ReadOnlyError');
        const request = new Request();
        this._requests.push({ request, what, written, work });
        return request;
    }

    async _step() {
        if (this.isOver) return undefined;
        const next = this._requests.shift();
        if (!await this.tab.step(next ? next.what : `commit ${this.mode}`)) return undefined;
        if (this.isOver) return undefined;
        return next ? this._serve(next) : this._commit();
    }

    _serve({ request, written, work }) {
        try {
            if (written !== null && !this._images.has(written)) {
                this._images.set(written, this.data.stores.get(written).image());
            }
            request.result = work();
        } catch (error) {
            request.error = error;
        }
        this.isActive = true;
        fire(request, request.error ? 'onerror' : 'onsuccess');
        // Promises that wait for the request run now, before the next turn.
        setImmediate(() => {
            this.isActive = false;
            if (request.error && !this.isOver) return this._fail(request.error);
            return this._step();
        });
    }

    _commit() {
        const failure = this.mode === 'readwrite' ? this.tab.failureAtCommit() : null;
        if (failure) return this._fail(failure);
        this.isOver = true;
        this.data.end(this);
        fire(this, 'oncomplete');
        this.tab.committed(this.mode);
        return undefined;
    }

    _fail(error) {
        this.undo();
        this.error = error;
        for (const { request } of this._requests.splice(0)) {
            request.error = new DOMException('The transaction was aborted.', 'AbortError');
            fire(request, 'onerror');
        }
        fire(this, 'onabort');
        this.data.end(this);
    }
}
