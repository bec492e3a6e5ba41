import { sleep } from '../common/abort.js';
import { TidemarkError } from '../common/error.js';
import { checkOptions } from '../common/options.js';
import { withKey } from '../common/repeated.js';
import { Scope } from '../common/scope.js';
import { uuid } from '../common/uuid.js';
import { Change } from '../store/change.js';
import { Database } from '../store/database.js';
import { Replica } from '../store/replica.js';
import { dismissEntry, inboxEntries } from '../sync/inbox.js';
import { Files } from './files.js';
import { Hub } from './hub.js';
import { Line } from './line.js';
import { LiveQueries, LiveRows } from './live.js';
import { Parts } from './parts.js';
import { Sessions } from './sessions.js';
import { Status } from './status.js';

const OPTIONS = [
    'url', 'project', 'user', 'schema', 'listen', 'onConflict', 'deviceName', 'appVersion', 'pageSize', 'batchRows',
    'timeout', 'retry', 'indexes', 'fileCacheBytes', 'keep', 'fetch', 'indexedDB', 'locks', 'channel', 'network', 'wait',
    'random', 'now', 'newID',
];

/** What an app sees of a copy: see index.d.ts for what the options and methods do. Made by `open`. */
export class Client {
    _end = new AbortController();

    constructor(options) {
        checkOptions('open', options, OPTIONS);
        const {
            url, project = null, user = null, fetch, retry = { attempts: 2 }, timeout, wait = sleep,
            random = Math.random, now = Date.now, newID = uuid, indexedDB = globalThis.indexedDB,
            locks = globalThis.navigator?.locks, channel = name => new BroadcastChannel(name), network = globalThis,
        } = options;
        if (!url) throw new TypeError('open needs url.');
        if (options.keep && typeof options.keep !== 'function') throw new TypeError('The option keep of open is no function.');
        if (Object.hasOwn(options, 'user')) checkUser(options.user);
        if (!indexedDB || !locks) {
            throw new TidemarkError('insecure_context', 'An offline copy needs a page from https:// or localhost.');
        }
        this._options = { ...options, project, user, newID, now, indexedDB, locks, channel, network };
        this._sending = { url, fetch, retry, timeout, wait, random, now };
        this._scope = new Scope(project);
    }

    async open() {
        try {
            return await this._open();
        } catch (error) {
            await this.close();
            throw error;
        }
    }

    async _open() {
        const { indexedDB, newID, now, locks, channel, network, indexes } = this._options;
        const { project, user, onConflict, schema, fileCacheBytes, keep } = this._options;
        const options = { project, user, clock: now, newID, onConflict, schema };
        const name = await this._name(options);
        const database = this._database = await Database.open(indexedDB, name, Boolean(indexes));
        const replica = this._replica = new Replica(database, options);
        const { signal } = this._end;
        const status = this._status = new Status(replica, signal);
        status.onOtherUser = () => this.close();
        const live = this._live = new LiveQueries(replica, error => status.report(error));
        const parts = this.parts = new Parts(replica, () => this._hub.edited());
        const files = this.files = new Files({
            replica, project, cacheBytes: fileCacheBytes, keep, signal, report: error => status.report(error),
            transportFor: life => this._sessions.transport(life),
            onChanged: (digest, isNews) => this._hub.filed(digest, isNews),
        });
        this._hub = new Hub({
            name, id: newID(), channel, locks, now, replica, live, status, parts, files, signal,
            lineFor: (state, told) => this._line(state, told),
        });
        const onChanged = () => this._hub.sessionChanged();
        this._sessions = new Sessions({ replica, sending: this._sending, locks, name, now, onChanged });
        await replica.prepare();
        if (indexes) await (await replica.indexing()).name(replica, indexes, error => status.report(error));
        replica.onChange = change => this._hub.changed(change);
        database.onClosed = () => this.close();
        this._onOnline = () => this._hub.resume();
        this._onOffline = () => this._hub.doubt();
        network.addEventListener?.('online', this._onOnline);
        network.addEventListener?.('offline', this._onOffline);
        await status.look();
        this._hub.lead();
        return this;
    }

    /** Of the copy's database, lock and channel. */
    async _name(options) {
        const place = ['tidemark', this._sending.url.replace(/\/+$/, ''), options.project ?? ''].join(' ');
        if (options.user === null) return place.trim();
        // Pages that name nobody never load it.
        const { copyName } = await import('./copy-name.js');
        return copyName(this._options.indexedDB, place, options);
    }

    async close() {
        if (this._end.signal.aborted) return;
        this._end.abort();
        this._hub?.end();
        this._live?.end();
        this.parts?.end();
        this._options.network.removeEventListener?.('online', this._onOnline);
        this._options.network.removeEventListener?.('offline', this._onOffline);
        this._database?.close();
    }

    // The user.

    async signIn(credentials) {
        await this._sessions.begin(credentials);
        await this._status.look();
    }

    async reauthenticate(password) {
        await this._sessions.again(password);
        await this._status.look();
    }

    async signOut(options = {}) {
        const left = await this._sessions.end(options);
        await this._status.look();
        return left;
    }

    // Rows.

    row(collection, id) {
        return this._replica.row(collection, id);
    }

    rows(collection, options = {}) {
        return this._replica.rows(collection, options);
    }

    live(collection, options = {}, callback = null) {
        const begin = (...told) => this._live.add(collection, options, ...told);
        return callback ? begin(callback) : new LiveRows(begin);
    }

    async insert(collection, { id = this._options.newID(), ...row }) {
        await this._replica.insert(collection, { id, ...row });
        await this._edited();
        return id;
    }

    async update(collection, id, values) {
        await this._replica.update(collection, id, values);
        await this._edited();
    }

    async delete(collection, id) {
        await this._replica.delete(collection, id);
        await this._edited();
    }

    async _edited() {
        this._hub.edited();
        await this._counted();
    }

    /** From now on the state has the counts after the call that ends. What it can't look at, the hub has told. */
    async _counted() {
        await this._status.look().catch(() => {});
    }

    /** An id for a new row. */
    newID() {
        return this._options.newID();
    }

    async edit(edits) {
        const done = await this._replica.edit(edits.map(({ id, ...edit }) =>
            ({ ...edit, id: id ?? edit.insert?.id ?? this.newID() })));
        await this._edited();
        return done;
    }

    /** The document of `GET /schemas/` that the rows follow; before the first pull that of the app, or null. */
    async schema() {
        return (await this._replica.schema() ?? this._replica.brought)?.document ?? null;
    }

    // What the server does not have.

    unsent() {
        return this._replica.unsent();
    }

    async refused() {
        return (await this._replica.status()).refused;
    }

    async giveUp(collection, id) {
        await this._replica.giveUp(collection, id);
        await this._edited();
    }

    setAside() {
        return this._replica.setAside();
    }

    async dismiss(number) {
        await this._replica.dismiss(number);
        this._hub.changed(new Change());
        await this._counted();
    }

    inbox() {
        return inboxEntries((...request) => this.request(...request), this._options.project);
    }

    async dismissFromInbox(entry) {
        await dismissEntry((...request) => this.request(...request), this._options.project, entry);
    }

    // Syncing.

    async sync() {
        await this._hub.sync();
        await this._counted();
    }

    /** A change comes to the copy with the sync that follows. */
    async request(method, path, { headers, ...rest } = {}) {
        const { life } = await this._replica.state();
        const transport = this._sessions.transport(life);
        const answer = await transport.json(method, path, { headers: withKey(method, headers), ...rest });
        if (method !== 'GET') this._hub.edited();
        return answer;
    }

    _line(state, { onStatus, onLeft }) {
        return new Line({
            replica: this._replica, scope: this._scope, state, options: this._options, onStatus, onLeft,
            partFilters: () => this.parts.values(), besideFor: session => this.files.beside(session),
            transportWith: device => this._sessions.transport(state.life, device),
        });
    }

    // State.

    get state() {
        return this._status.state;
    }

    onState(callback) {
        callback(this.state);
        return this._status.listen('state', callback);
    }

    onLeft(callback) {
        return this._status.listen('left', callback);
    }
}

/** An app may not know yet who it is: without a name it would open another copy, and may wipe that. */
function checkUser(user) {
    if (user === null || (typeof user === 'string' && /^\S+$/.test(user))) return;
    throw new TypeError(`The option user of open is no user name: ${user}.`);
}
