import { sleep } from '../common/abort.js';
import { TidemarkError } from '../common/error.js';
import { OneAtATime } from '../common/one-at-a-time.js';
import { withKey } from '../common/repeated.js';
import { Scope } from '../common/scope.js';
import { Transport } from '../common/transport.js';
import { uuid } from '../common/uuid.js';
import { Database } from '../store/database.js';
import { Replica } from '../store/replica.js';
import { Leader } from './leader.js';
import { Line, plainError } from './line.js';
import { LiveQueries } from './live.js';
import { Tokens, tokensOf } from './tokens.js';
import { Asked, Windows } from './windows.js';

/**
 * A copy of a user's projects in this browser: see the README for what the options and methods do. Of all windows that
 * have it open, the one that holds the lock syncs; the others hear of it.
 */
export class Client {
    _status = { isSyncing: false, isOnline: null, error: null };
    _listeners = { state: new Set(), left: new Set() };
    _leader = null;
    _asked = new Asked();
    _looking = new OneAtATime(() => this._lookOnce());
    _end = new AbortController();
    _state = null;

    /** Use `open`. */
    constructor(options) {
        const {
            url, project = null, fetch, retry = { attempts: 2 }, timeout, wait = sleep, random = Math.random,
            now = Date.now, newID = uuid, indexedDB = globalThis.indexedDB, locks = globalThis.navigator?.locks,
            channel = name => new BroadcastChannel(name), network = globalThis, onConflict,
        } = options;
        if (!url) throw new TypeError('open needs url.');
        if (!indexedDB || !locks) {
            throw new TidemarkError('insecure_context', 'An offline copy needs a page from https:// or localhost.');
        }
        this._options = { ...options, now };
        Object.assign(this, { indexedDB, locks, network, newID, now, project, onConflict });
        this._sending = { url, fetch, retry, timeout, wait, random };
        this._anonymous = new Transport({ ...this._sending, token: null });
        this._scope = new Scope(project);
        this._name = `tidemark ${this._anonymous.base} ${project ?? ''}`.trim();
        this._windows = new Windows(channel(this._name), newID(), this._handlers());
    }

    async open() {
        const { project, now: clock, newID, onConflict } = this;
        const database = this._database = await Database.open(this.indexedDB, this._name);
        this._replica = new Replica(database, { project, clock, newID, onConflict });
        this._live = new LiveQueries(this._replica, error => this._report(error));
        await this._replica.prepare();
        this._replica.onChange = keys => this._changed(keys);
        database.onClosed = () => this.close();
        this._onOnline = () => this._leader?.resume();
        this.network.addEventListener?.('online', this._onOnline);
        await this._look();
        this._lead();
        this._windows.post('hello');
        return this;
    }

    /** Ends everything in this window. What is unsent stays in the browser. */
    async close() {
        if (this._end.signal.aborted) return;
        this._end.abort();
        this._leader?.end();
        this._live.end();
        this._asked.end(closed());
        this.network.removeEventListener?.('online', this._onOnline);
        this._windows.close();
        this._database.close();
    }

    // The user.

    /**
     * Signs in with name and password, or with a token. Another user's copy is wiped; throws `unsent_edits`, and
     * changes nothing, if that user has unsent edits and `discard` is not set.
     */
    async signIn({ username, password, token, discard = false }) {
        const pair = token ? { access: token }
            : await this._anonymous.json('POST', '/auth/token/', { body: { username, password } });
        try {
            const { id, username: name, display_name } = await new Transport({ ...this._sending, token: pair.access })
                .json('GET', '/auth/me/');
            const session = { ...tokensOf(pair, this.now()), user: { id, username: name, display_name } };
            await this._replica.begin(session, { discard });
        } catch (error) {
            await this._logOut(pair.refresh);
            throw error;
        }
        this._sessionChanged();
        await this._look();
    }

    /** Wipes the copy and ends the session. Throws `unsent_edits` unless `discard` is set or there are none. */
    async signOut({ discard = false } = {}) {
        const session = await this._replica.session();
        await this._replica.wipe({ discard });
        this._sessionChanged();
        await this._look();
        await this._logOut(session?.refresh);
    }

    /** The session on the server ends by itself, too. So no network is no reason to keep the copy. */
    async _logOut(refresh) {
        if (refresh) await this._anonymous.json('POST', '/auth/logout/', { body: { refresh } }).catch(() => {});
    }

    // Rows.

    row(collection, id) {
        return this._replica.row(collection, id);
    }

    rows(collection, options = {}) {
        return this._replica.rows(collection, options);
    }

    live(collection, options, callback) {
        return this._live.add(collection, options, callback);
    }

    /** Adds a row; returns its id. */
    async insert(collection, { id = this.newID(), ...row }) {
        await this._replica.insert(collection, { id, ...row });
        this._edited();
        return id;
    }

    async update(collection, id, values) {
        await this._replica.update(collection, id, values);
        this._edited();
    }

    async delete(collection, id) {
        await this._replica.delete(collection, id);
        this._edited();
    }

    // What was not accepted.

    async refused() {
        return (await this._replica.status()).refused;
    }

    async giveUp(collection, id) {
        await this._replica.giveUp(collection, id);
        this._edited();
    }

    setAside() {
        return this._replica.setAside();
    }

    async dismiss(number) {
        await this._replica.dismiss(number);
        this._changed(new Set());
    }

    /** The user's lost edits as the server keeps them, from all devices, the oldest first. Needs a network. */
    async inbox() {
        const entries = [];
        for (let after = null; ;) {
            const { results, next } = await this.request('GET', this._inboxPath(), { query: { after, limit: 500 } });
            entries.push(...results);
            if (next === null) return entries;
            after = next;
        }
    }

    async dismissFromInbox(entry) {
        await this.request('DELETE', `${this._inboxPath()}${encodeURIComponent(entry)}/`);
    }

    _inboxPath() {
        return this.project === null ? '/rejected/' : `/projects/${encodeURIComponent(this.project)}/rejected/`;
    }

    // Syncing.

    /** Syncs now, in whichever window does that. Throws `TidemarkError`. */
    async sync() {
        if (this._end.signal.aborted) throw closed();
        if (this._leader) await this._syncHere();
        else await this._asked.ask(number => this._windows.post('sync', { number }));
    }

    /** One request to the REST API. A change comes to the copy with the sync that follows. */
    async request(method, path, { headers, ...rest } = {}) {
        const { life } = await this._replica.state();
        const transport = new Transport({ ...this._sending, token: options => this._tokens(life).token(options) });
        const answer = await transport.json(method, path, { headers: withKey(method, headers), ...rest });
        if (method !== 'GET') this._edited();
        return answer;
    }

    get state() {
        return this._state;
    }

    /** Calls back with the state at once, and whenever it changes. Returns a function that ends that. */
    onState(callback) {
        callback(this._state);
        return this._listen('state', callback);
    }

    /** Calls back for each project that the user has lost: `{ id, name, code, setAside }`. */
    onLeft(callback) {
        return this._listen('left', callback);
    }

    _listen(kind, callback) {
        this._listeners[kind].add(callback);
        return () => this._listeners[kind].delete(callback);
    }

    // Between windows.

    _handlers() {
        return {
            rows: ({ keys }) => this._heard(new Set(keys)),
            edited: () => this._leader?.ask(),
            session: () => this._sessionHeard(),
            status: ({ status }) => this._setStatus(status),
            left: ({ lost }) => this._tell('left', lost),
            hello: () => this._leader && this._windows.post('status', { status: this._status }),
            leader: () => this._asked.repeat(),
            sync: ({ from, number }) => this._leader && this._answer(from, number),
            synced: ({ number, outcome, error }) =>
                this._asked.answer(number, outcome, error && new TidemarkError(error.code, error.detail, error)),
        };
    }

    async _answer(to, number) {
        const answer = await this._syncHere().then(() => ({ outcome: null }), error => ({ error: plainError(error) }));
        this._windows.post('synced', { to, number, ...answer });
    }

    async _syncHere() {
        const outcome = await this._leader.sync().catch(error => {
            throw error.isAborted && !this._end.signal.aborted ? sessionEnded() : error;
        });
        if (outcome === null) throw new TidemarkError('unauthorized', 'Sign in first.', { status: 401 });
        return outcome;
    }

    /** Waits for the lock, and syncs as long as this window has it. */
    async _lead() {
        const { signal } = this._end;
        await this.locks.request(this._name, { signal }, async () => {
            if (signal.aborted) return;
            this._leader = new Leader({ replica: this._replica, lineFor: state => this._line(state) });
            await this._leader.follow();
            this._windows.post('leader');
            for (const number of this._asked.numbers) this._answerHere(number);
            await new Promise(resolve => signal.addEventListener('abort', resolve));
        }).catch(error => signal.aborted || this._report(error));
    }

    /** Answers what this window asked of one that is gone. */
    async _answerHere(number) {
        await this._syncHere().then(
            () => this._asked.answer(number, null), error => this._asked.answer(number, null, error));
    }

    _line(state) {
        const tokens = this._tokens(state.life);
        return new Line({
            replica: this._replica, scope: this._scope, state, options: this._options,
            transportWith: device =>
                new Transport({ ...this._sending, device, token: options => tokens.token(options) }),
            onStatus: changes => {
                this._setStatus({ ...this._status, ...changes });
                this._windows.post('status', { status: this._status });
            },
            onLeft: lost => {
                this._tell('left', lost);
                this._windows.post('left', { lost });
            },
        });
    }

    _tokens(life) {
        return new Tokens({
            replica: this._replica, life, transport: this._anonymous, locks: this.locks,
            lockName: `${this._name} token`, now: this.now, onEnded: () => this._sessionChanged(),
        });
    }

    _sessionChanged() {
        this._windows.post('session');
        this._sessionHeard();
    }

    _sessionHeard() {
        this._leader?.follow().catch(error => this._report(error));
        this._heard(new Set(['*']));
    }

    _edited() {
        if (this._leader) this._leader.ask();
        else this._windows.post('edited');
    }

    _changed(keys) {
        this._windows.post('rows', { keys: [...keys] });
        this._heard(keys);
    }

    _heard(keys) {
        this._live?.changed(keys);
        this._look().catch(error => this._report(error));
    }

    // State.

    /** Looks how the copy is now. */
    _look() {
        return this._looking.run();
    }

    async _lookOnce() {
        const [copy, session] = [await this._replica.status(), await this._replica.session()];
        if (this._end.signal.aborted) return;
        this._copy = {
            user: copy.owner, isSignedIn: session !== null && !session.isOver, isComplete: copy.isComplete,
            progress: copy.drain && { rows: copy.drain.rows, total: copy.drain.total },
            unsent: copy.unsent, refused: copy.refused, setAside: copy.aside, lastSync: copy.lastSync,
        };
        this._setStatus(this._status);
    }

    _setStatus(status) {
        this._status = status;
        const state = { ...this._copy, ...status };
        if (JSON.stringify(state) === JSON.stringify(this._state)) return;
        this._state = state;
        this._tell('state', state);
    }

    _tell(kind, value) {
        for (const callback of this._listeners[kind]) callback(value);
    }

    _report(error) {
        if (!this._end.signal.aborted) this._setStatus({ ...this._status, error: plainError(error) });
    }
}

const sessionEnded = () =>
    new TidemarkError('session_ended', 'The session has ended meanwhile, or another one has begun.');

const closed = () => new TidemarkError('closed', 'This window has closed its copy.');
