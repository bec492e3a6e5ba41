import { FileSender } from '../common/files/sender.js';
import { bytesLost, readExactly } from './intake.js';

/** A `fetch` of React Native passes a body on as text, and has it in memory several times. */
const PIECES = { smallest: 2 ** 17, first: 2 ** 18, largest: 2 ** 20 };

/**
 * When the files of a shelf are sent: as long as a listener runs, and otherwise after each sync for some tries. A
 * listener that rests, in the background for example, ends that.
 */
export class Sending {
    _session = null;
    _sender = null;
    _listeners = new Set();
    /** The last one that was synced. */
    database = null;

    /** `onChanged` is told of a digest. */
    constructor({ shelf, owner, transport, signal, cacheBytes, onChanged }) {
        Object.assign(this, { shelf, owner, transport, cacheBytes, onChanged });
        this._signal = signal;
        signal?.addEventListener('abort', () => this._end());
    }

    /** Begins if nothing runs. With `isNews` a wait between two tries ends. */
    wake(isNews) {
        if (this._signal?.aborted) return;
        this._sender ??= this._begin();
        this._sender.wake(isNews);
    }

    /** A listener has begun or ended. */
    follow(listener, isRunning) {
        if (isRunning) this._listeners.add(listener);
        else if (!this._listeners.delete(listener)) return;
        this._end();
        if (this._listeners.size) this.wake(true);
    }

    /** Resolves when nothing is sent any more. */
    async stop() {
        const sender = this._sender;
        this._end();
        await sender?.done();
    }

    _begin() {
        const { transport, owner } = this;
        const { signal } = this._session = new AbortController();
        const queue = new Queue(this);
        return new FileSender({
            queue, transport, signal, isPersistent: this._listeners.size > 0, pieces: PIECES,
            authorize: () => owner.check(signal),
        });
    }

    _end() {
        this._session?.abort();
        this._session = this._sender = null;
    }
}

/** The files of a shelf as a `FileSender` needs them, in one life of the shelf. */
class Queue {
    constructor(sending) {
        Object.assign(this, { sending, shelf: sending.shelf, life: sending.shelf.life });
    }

    /** Nothing before the first sync has made somebody the owner of the database. */
    async unsent() {
        if (await this.sending.owner.user() === null) return [];
        return this.shelf.alone(() => this.shelf.unsent);
    }

    async reader(entry) {
        const { fileStore } = this.shelf;
        if (!await this.shelf.has(entry)) throw bytesLost();
        return (offset, end) => readExactly(fileStore, entry.file, offset, end - offset);
    }

    async note({ id, digest }, changes) {
        const { shelf, sending } = this;
        const after = await shelf.alone(async () => {
            const known = shelf.get(id);
            if (shelf.life !== this.life || known === null || known.state === 'stored') return null;
            const noted = await shelf.put({ ...known, ...changes });
            if (noted.state === 'stored') await shelf.trim(sending.cacheBytes);
            return noted;
        });
        if (after) sending.onChanged(digest);
        return after;
    }

    /** The project was made here, and has not been sent. Before the first sync that is not known. */
    async isComing({ project }) {
        const { database } = this.sending;
        if (database === null) return true;
        const rows = await database.collections.map.projects?.query().unsafeFetchRaw() ?? [];
        return rows.some(({ id, _status: status }) => id === project && status === 'created');
    }
}
