import { TidemarkError } from '../common/error.js';
import { Ahead } from '../common/files/ahead.js';
import {
    AGAIN, askedProject, askedToAdd, freshEntry, isUnderWay, shownEntry, shownState,
} from '../common/files/asked.js';
import { Readings } from '../common/files/readings.js';
import { FileRequests } from '../common/files/requests.js';
import { uuid } from '../common/uuid.js';
import { AheadList } from './ahead-list.js';
import { Download } from './download.js';
import { PIECE, described, notCopied, readExactly, takeIn } from './intake.js';
import { heard, statesOf } from './row-states.js';
import { Sending } from './sending.js';
import { Shelf } from './shelf.js';

const CACHE_BYTES = 200 * 2 ** 20;
/** Of a name or a preview, in characters: an entry is one value of the app's storage. */
const LONGEST = 100_000;
/** Milliseconds after which it is worth storing that a file was opened. */
const RECENT = 3_600_000;

/** What systems say of a full disk. */
const FULL = /ENOSPC|\bno space\b|out of space|not enough (disk |free )?space|disk( is)? full/i;

/** The files of a database: see `Files` in index.d.ts. */
export class Files {
    _readings = new Readings();
    _listeners = new Set();
    /** Ends the downloads of this life. */
    _life = new AbortController();

    constructor({
        transport, storage, fileStore = null, fileCacheBytes = CACHE_BYTES, keep = null, scope, owner, schemas, signal,
        now,
    }) {
        Object.assign(this, { transport, fileStore, cacheBytes: fileCacheBytes, keep, scope, owner, schemas });
        this.now = now ?? Date.now;
        this.shelf = new Shelf({ storage, fileStore, scope, now: this.now });
        const { shelf, cacheBytes } = this;
        const onChanged = digest => this._changed(digest);
        this.sending = new Sending({ shelf, owner, transport, signal, cacheBytes, onChanged });
        this._kept = new AheadList({ shelf, storage, scope, cacheBytes });
        this.ahead = new Ahead({ list: this._kept, read: file => this._readAhead(file) });
        this._signal = signal;
        signal?.addEventListener('abort', () => this._life.abort());
    }

    // For the app.

    async add(given, options = {}) {
        this._need('add');
        const asked = askedToAdd(options, this.scope.project);
        for (const text of [asked.name, asked.preview]) {
            if (text?.length > LONGEST) throw new TypeError(`files.add takes texts of at most ${LONGEST} characters.`);
        }
        const { shelf } = this;
        const { life } = shelf;
        const file = await shelf.alone(() => shelf.newName());
        try {
            const { digest, size, type } = await this._withRoom(file, () => this._takeIn(given, file));
            await shelf.alone(() => this._added({ ...asked, digest, size, type, file }, life));
            this._changed(digest);
            this.sending.wake(true);
            return { digest, size };
        } catch (error) {
            await shelf.discard(file);
            throw error;
        }
    }

    async open(digest, options = {}) {
        this._need('open');
        const project = this._project('open', options, digest);
        const found = await this.shelf.alone(() => this._stored(digest, project));
        if (found) return this._shown(found);
        return this._shown(await this._read(digest, project));
    }

    async state(digest, options = {}) {
        const project = this._project('state', options, digest);
        const entry = this.fileStore && await this.shelf.alone(() => this.shelf.find(digest, project));
        return entry && shownState(entry);
    }

    async list() {
        return (await this.unsent()).map(shownEntry);
    }

    async retry(digest, options = {}) {
        const project = this._project('retry', options, digest);
        const { shelf } = this;
        await shelf.alone(async () => {
            const entry = shelf.find(digest, project);
            if (entry === null) throw new TidemarkError('unknown_file', `This device knows of no file ${digest}.`);
            if (entry.state === 'failed') await shelf.put({ ...entry, ...AGAIN });
        });
        this._changed(digest);
        this.sending.wake(true);
    }

    async remove(digest, options = {}) {
        const project = this._project('remove', options, digest);
        const { shelf } = this;
        const removed = await shelf.alone(async () => {
            const entry = shelf.find(digest, project);
            if (entry === null || entry.state === 'stored') return null;
            await shelf.remove(entry);
            return entry;
        });
        if (removed === null) return;
        this._changed(digest);
        // The server forgets it by itself, only later.
        if (removed.upload) new FileRequests(this.transport, this._signal).end(removed).catch(() => {});
    }

    /** Returns a function that ends it. */
    onChange(callback) {
        this._listeners.add(callback);
        return () => this._listeners.delete(callback);
    }

    // For the adapter. Without a file store there is nothing to do.

    /** The entries that the server does not have. */
    async unsent() {
        return this.fileStore ? this.shelf.alone(() => this.shelf.unsent) : [];
    }

    /** Sends files beside a work that talks to the server. It waits for none of them. */
    async beside(work, database = null) {
        if (!this.fileStore) return work();
        this.sending.database = database ?? this.sending.database;
        this.sending.wake(false);
        try {
            return await work();
        } finally {
            this.sending.wake(false);
            if (this.keep) this.ahead.wake();
        }
    }

    follow(listener, isRunning) {
        if (!this.fileStore) return;
        this.sending.follow(listener, isRunning);
        if (isRunning && this.keep) this.ahead.wake();
    }

    /** Notes what the rows of a pull say of files from here. A row that needs bytes again may not come again. */
    async hear(changes, began, signal) {
        if (!this.fileStore) return;
        const entries = await this.shelf.alone(() => this.shelf.entries.filter(({ isOwn }) => isOwn));
        if (!entries.length && !this.keep) return;
        const own = new Set(entries.map(({ digest }) => digest));
        const states = [...statesOf(changes, await this.schemas.kept(signal), this.scope.project)];
        const isKept = ({ state, values, collection }) => state === 'stored' && this.keep(values, collection);
        if (this.keep) await this._kept.add(states.filter(isKept));
        const said = states.filter(({ digest }) => own.has(digest));
        if (said.length && await this.shelf.alone(() => this._heard(said, began))) this.sending.wake(true);
    }

    /** Forgets the files of a project that the user has lost. */
    async drop(project) {
        if (!this.fileStore) return;
        const { shelf } = this;
        await shelf.alone(async () => {
            await shelf.remove(...shelf.entries.filter(entry => entry.project === project));
            await this._kept.drop(project);
        });
        this._changed(null);
    }

    /** Takes over what was added in another scope of the same database. */
    async takeOver({ shelf: former }) {
        if (!this.fileStore) return;
        const { shelf } = this;
        const entries = await former.alone(() => former.entries.filter(({ isOwn }) => isOwn));
        for (const entry of entries) if (await former.has(entry)) await shelf.alone(() => this._takeOver(entry));
        this._changed(null);
    }

    /** Ends what is sent and read. */
    async stop() {
        this._life.abort();
        this._life = new AbortController();
        await Promise.all([this.sending.stop(), this._readings.done()]);
    }

    async forget() {
        await this.stop();
        await this.shelf.forget();
        await this.shelf.alone(() => this._kept.drop());
        this._changed(null);
    }

    // Parts of these.

    _need(method) {
        if (this.fileStore) return;
        throw new TypeError(`files.${method} needs the option fileStore of createSync: README, "Files".`);
    }

    _project(method, options, digest) {
        return askedProject(method, options, { own: this.scope.project, digest });
    }

    _changed(digest) {
        // Not as a part of what goes on: an error of the app's must not end it.
        for (const callback of this._listeners) Promise.resolve(digest).then(callback);
    }

    async _takeIn(given, file) {
        await takeIn(this.fileStore, given, file);
        return described(this.fileStore, file);
    }

    /** What is to be kept goes before the cache. */
    async _withRoom(file, work) {
        try {
            return await work();
        } catch (error) {
            if (!FULL.test(`${error.code} ${error.message}`)) throw ofStore(error);
            await this.shelf.discard(file);
            await this.shelf.alone(() => this.shelf.trim(0));
        }
        return stored(work());
    }

    /** The entry of the same bytes is the same; one that has failed is tried again. */
    async _added(file, life) {
        const { shelf } = this;
        if (shelf.life !== life) throw isOver();
        const [known, now] = [shelf.find(file.digest, file.project), this.now()];
        if (known === null) {
            if (shelf.isFull) throw tooMany();
            return shelf.put({ id: uuid(), ...file, ...freshEntry(now), isOwn: true, rows: [], again: 0 });
        }
        const [name, preview] = [file.name ?? known.name, file.preview ?? known.preview];
        // What is sent just now is read from its own bytes.
        const isKept = known.state !== 'failed' && await shelf.has(known);
        const state = isUnderWay(known, now) ? {} : { ...freshEntry(now), rows: [], again: 0 };
        await shelf.put({ ...known, name, preview, isOwn: true, ...state, file: isKept ? known.file : file.file });
        return shelf.discard(isKept ? file.file : known.file);
    }

    /** The entry of bytes that are here. Notes that they were used. */
    async _stored(digest, project) {
        const { shelf } = this;
        const entry = shelf.find(digest, project);
        if (entry === null) return null;
        if (!await shelf.has(entry)) {
            if (entry.state === 'stored') await shelf.remove(entry);
            return null;
        }
        const now = this.now();
        if (Math.abs(now - entry.used) > RECENT) return shelf.put({ ...entry, used: now });
        // The order among those of the last hour is in memory.
        entry.used = now;
        return entry;
    }

    _read(digest, project) {
        return this._readings.read(digest, project, () => this._download(digest, project));
    }

    /** Reads a file that nobody has asked for. Where the device is full, nothing goes for it, and no other is read. */
    async _readAhead({ digest, project }) {
        try {
            await this._readings.read(digest, project, () => this._download(digest, project, true));
            this._changed(digest);
        } catch (error) {
            if (error.code === 'not_copied') this._kept.end();
            throw error;
        }
    }

    async _download(digest, project, isAhead = false) {
        const { shelf, transport, fileStore: store } = this;
        const { life } = shelf;
        if (await this.owner.user() === null) throw needsSync();
        const signal = this._life.signal;
        await this.owner.check(signal);
        const file = shelf.newName();
        try {
            const requests = new FileRequests(transport, signal);
            const read = () => new Download({ requests, transport, store, signal }, { digest, project }, file).run();
            const { size, type } = await (isAhead ? stored(read()) : this._withRoom(file, read));
            return await shelf.alone(() => this._cached({ digest, project, size, type, file }, life));
        } catch (error) {
            await shelf.discard(file);
            throw error;
        }
    }

    /** What is to be sent stays so, if its bytes are here: somebody has added it. */
    async _cached(file, life) {
        const { shelf } = this;
        if (shelf.life !== life) throw isOver();
        const known = shelf.find(file.digest, file.project);
        if (known && await shelf.has(known)) {
            await shelf.discard(file.file);
            return known;
        }
        const now = this.now();
        const fresh = known ?? {
            id: uuid(), name: null, preview: null, ...freshEntry(now), isOwn: false, rows: [], again: 0,
        };
        const entry = await shelf.put({
            ...fresh, ...file, state: 'stored', sent: file.size, upload: null, reason: null, detail: null, used: now,
        });
        await shelf.trim(this.cacheBytes, entry);
        return entry;
    }

    /** Returns whether there is something to send. */
    async _heard(said, began) {
        let hasNews = false;
        for (const each of said) {
            const entry = this.shelf.find(each.digest, each.project);
            const changes = entry && heard(entry, each, began);
            if (!changes) continue;
            await this.shelf.put({ ...entry, ...changes });
            this._changed(entry.digest);
            hasNews ||= changes.state === 'waiting';
        }
        return hasNews;
    }

    async _takeOver(entry) {
        const { shelf, fileStore } = this;
        if (shelf.find(entry.digest, entry.project)) return;
        const file = shelf.newName();
        await fileStore.copyIn(fileStore.uri(entry.file), file);
        await shelf.put({ ...entry, id: uuid(), file });
    }

    _shown({ file, size, type }) {
        const store = this.fileStore;
        const arrayBuffer = async () => {
            const whole = new Uint8Array(size);
            for (let place = 0; place < size; place += PIECE) {
                whole.set(await readExactly(store, file, place, Math.min(PIECE, size - place)), place);
            }
            return whole.buffer;
        };
        return { uri: store.uri(file), type, size, arrayBuffer };
    }
}

const stored = work => work.catch(error => {
    throw ofStore(error);
});

/** An error that is none of the adapter's is the file store's. */
const ofStore = error => (error instanceof TidemarkError || isMisuse(error) ? error : notCopied(error));
const isMisuse = error => error instanceof TypeError && /^files\./.test(error.message);

const needsSync = () => new TidemarkError('needs_sync', 'Sync once before a file is opened.');
const tooMany = () => new TidemarkError('too_many_files',
    'Too many files wait on this device. Sync, and look at those that have failed.');
const isOver = () => new TidemarkError('session_ended', 'The files of this database were removed meanwhile.');
