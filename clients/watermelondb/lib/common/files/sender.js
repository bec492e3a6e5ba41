import { invalidAnswer, notTidemark } from '../error.js';
import { fullJitter } from '../jitter.js';
import { CUT } from '../trouble.js';
import { FileRequests } from './requests.js';

/** Bytes of a request: the first one has so many, and the size follows how fast they go and how often they break. */
const PIECES = { smallest: 2 ** 16, first: 2 ** 20, largest: 2 ** 24 };
/**
 * After a break, requests grow again only when so many of them have come through. What is under way when a connection
 * breaks may be lost, so on a line that keeps breaking that is a small part of what it carries.
 */
const SMOOTH = 32;
/** Milliseconds within which a request is a quick one. */
const QUICK = 4000;
/** How often the server may find that the bytes have another digest. They had the right one when they were added. */
const MOST_VOIDS = 1;
/** How often an upload is begun in one try. The server may have lost the first one. */
const MOST_BEGINS = 2;
/** Seconds that a `Retry-After` may make a file wait. */
export const LONGEST_FLOOR = 3600;

/**
 * Sends the files of a queue, one after another, in one session. Each step is stored before the next one, so the next
 * session goes on where this one ended. `fetch` tells nobody how far a request is, so a file goes in several: how far it
 * is can be seen, and a connection that has stopped is noticed.
 *
 * An entry of the queue is `{ digest, project, size, state, sent, upload, voids }` and what the queue adds:
 * - `state`: `waiting`, `sending`, `stored` or `failed`
 * - `upload`: the id of an upload that goes on, of which the server has `sent` bytes; null if there is none
 * - `voids`: how often the server found another digest
 */
export class FileSender {
    /** Resolves when nothing runs; null while that is so. */
    _running = null;
    /** Ends the wait between two tries; null while there is none. */
    _hurry = null;
    /** Something is to be sent that a pass under way may not have seen. */
    _isDue = false;
    /** The last pass has ended because nothing answered. */
    _isUnreachable = false;
    /** Bytes that have come through since the last break. */
    _smooth = Infinity;

    /**
     * `queue` has these, and each may throw:
     * - `unsent()`: the entries that the server does not have, in their order
     * - `reader(entry)`: a function of two offsets, which resolves to the bytes between them
     * - `note(entry, changes)`: stores changes, and resolves to the entry; to null if it is not to be sent any more
     * - `isComing(entry)`: whether the server may know its project later
     *
     * `authorize` throws as long as nothing may be sent. Without `isPersistent` it tries as often as other requests,
     * until it is woken again.
     */
    constructor({ queue, transport, signal, isPersistent, authorize = async () => {}, pieces = PIECES }) {
        Object.assign(this, { queue, transport, signal, isPersistent, authorize, pieces, _pieceSize: pieces.first });
        this._requests = new FileRequests(transport, signal);
    }

    /** Begins if nothing runs. With `isNews` there is another file, or another network, and a wait ends. */
    wake(isNews) {
        if (isNews) this._isDue = true;
        if (isNews || this._isUnreachable) this._hurry?.abort();
        if (this._running || this.signal.aborted) return;
        this._running = this._run().catch(() => {}).then(() => {
            this._running = null;
            if (this._isDue) this.wake(false);
        });
    }

    /** Resolves when nothing runs. */
    async done() {
        while (this._running) await this._running;
    }

    async _run() {
        for (let failures = 0; !this.signal.aborted;) {
            this._isDue = false;
            const { left, hasMoved, retryAfter, isOver } = await this._pass();
            if (isOver || (left === 0 && !this._isDue)) return;
            if (left === 0) continue;
            failures = hasMoved ? 0 : failures + 1;
            if (!this.isPersistent && failures >= this.transport.retry.attempts) return;
            await this._pause(failures, retryAfter);
        }
    }

    /** The time that the server asks for is kept, whatever comes. */
    async _pause(failures, retryAfter) {
        const { wait, random } = this.transport;
        if (retryAfter > 0) await wait(Math.min(retryAfter, LONGEST_FLOOR) * 1000, this.signal);
        if (this._isDue || this.signal.aborted) return;
        const hurry = this._hurry = new AbortController();
        const stop = () => hurry.abort();
        this.signal.addEventListener('abort', stop);
        await wait(fullJitter(failures, random), hurry.signal).catch(() => {});
        this.signal.removeEventListener('abort', stop);
        this._hurry = null;
    }

    /**
     * Tries each file once. `left` are those to try again, `hasMoved`: the server has more of one than before. Where
     * nothing answers, the others wait as well. `isOver`: all wait until somebody else is logged in.
     */
    async _pass() {
        const pass = { left: 0, hasMoved: false, retryAfter: 0, isOver: false };
        const entries = await this.queue.unsent();
        this._isUnreachable = false;
        for (const entry of entries.filter(({ state }) => state !== 'failed')) {
            const { error, hasMoved } = await this._attempt(entry);
            if (this.signal.aborted) return pass;
            pass.hasMoved ||= hasMoved;
            if (!error) continue;
            pass.left++;
            pass.retryAfter = Math.max(pass.retryAfter, error.retryAfter ?? 0);
            pass.isOver = error.status === 401 || Boolean(error.isOtherUser);
            this._isUnreachable = error.status === 0;
            if (this._isUnreachable || pass.isOver) break;
        }
        return pass;
    }

    /** Sends a file as far as it goes. `error` is why it has to be tried again; null if that is not so. */
    async _attempt(entry) {
        let [at, hasMoved, begins] = [{ entry, isSure: false }, false, 0];
        try {
            const read = await this.queue.reader(entry);
            while (at.entry && at.entry.state !== 'stored') {
                const { sent, upload } = at.entry;
                if ((upload === null || at.isGone) && ++begins > MOST_BEGINS) throw notTidemark();
                // Somebody else may have logged in since the last request.
                await this.authorize();
                at = await this._step(at, read);
                hasMoved ||= at.entry !== null && at.entry.sent > sent;
            }
            return { error: null, hasMoved };
        } catch (error) {
            if (this.signal.aborted) return { error: null, hasMoved };
            return { error: await this._failed(at.entry, error), hasMoved };
        }
    }

    /**
     * One request, and what it has changed. `isSure`: the server said just now how much it has; `isGone`: that it does
     * not know the upload.
     */
    _step({ entry, isSure, isGone }, read) {
        if (entry.upload === null || isGone) return this._begin(entry);
        return isSure ? this._append(entry, read) : this._look(entry);
    }

    async _begin(entry) {
        const { isStored, upload, offset } = await this._requests.begin(entry);
        if (isStored) return this._stored(entry);
        return { entry: await this._note(entry, sending({ upload, sent: offset ?? 0 })), isSure: offset !== null };
    }

    /**
     * What the server does not know any more begins anew. Its answer to that says why, as that to a HEAD can't: where a
     * proxy has answered, the upload goes on later.
     */
    async _look(entry) {
        try {
            return await this._moved(entry, await this._requests.state(entry));
        } catch (error) {
            if (!isRefusal(error)) throw error;
            return { entry, isSure: false, isGone: true };
        }
    }

    async _append(entry, read) {
        const { sent: offset, size } = entry;
        const end = Math.min(size, offset + this._pieceSize);
        const piece = { bytes: await read(offset, end), offset, isLast: end === size };
        const begun = this.transport.now();
        try {
            const { isStored, offset: reached } = await this._requests.append(entry, piece);
            this._grow(end - offset, this.transport.now() - begun);
            return this._moved(entry, { isStored, offset: reached });
        } catch (error) {
            if (error.status === 404 && error.problem !== null) return this._forget(entry);
            if (error.isAborted || (error.status > 0 && error.status !== 409)) throw error;
            if (error.status === 0) this._shrink();
            return this._afterBreak(entry, error);
        }
    }

    /** So many bytes have come through, in so many milliseconds. */
    _grow(size, time) {
        this._smooth += size;
        const isSafe = this._smooth >= SMOOTH * this._pieceSize;
        if (isSafe && time < QUICK) this._pieceSize = Math.min(this.pieces.largest, 2 * this._pieceSize);
    }

    _shrink() {
        this._smooth = 0;
        this._pieceSize = Math.max(this.pieces.smallest, this._pieceSize / 4);
    }

    async _forget(entry) {
        return { entry: await this._note(entry, NO_UPLOAD), isSure: false };
    }

    /** Goes on at once if the server has more than before: then a network is there, only not for long. */
    async _afterBreak(entry, error) {
        const next = await this._look(entry).catch(() => { throw error; });
        const isStuck = next.entry !== null && next.entry.state !== 'stored' && next.entry.sent <= entry.sent;
        if (isStuck) throw error;
        return next;
    }

    async _moved(entry, { isStored, offset }) {
        if (isStored) return this._stored(entry);
        if (offset > entry.size) throw invalidAnswer(CUT);
        return { entry: await this._note(entry, sending({ sent: offset })), isSure: true };
    }

    /** The server has it. */
    async _stored(entry) {
        const done = {
            state: 'stored', sent: entry.size, upload: null, reason: null, detail: null,
            storedAt: this.transport.now(), used: this.transport.now(),
        };
        return { entry: await this._note(entry, done), isSure: true };
    }

    /** Notes why a file waits, or why it can't succeed. Returns the error if it is to be tried again. */
    async _failed(entry, error) {
        const isOver = ['digest_mismatch', 'upload_length_mismatch'].includes(error.code);
        const isVoid = isOver && entry.voids < MOST_VOIDS;
        const isLost = !isVoid && isFinal(error) && !(error.status === 404 && await this.queue.isComing(entry));
        const changes = {
            state: isLost ? 'failed' : 'waiting', reason: error.code ?? 'failed', detail: error.detail ?? `${error}`,
            ...(isOver ? { ...NO_UPLOAD, voids: entry.voids + 1 } : {}),
        };
        await this._note(entry, changes);
        return isLost ? null : error;
    }

    _note(entry, changes) {
        return this.queue.note(entry, changes);
    }
}

const sending = changes => ({ state: 'sending', reason: null, detail: null, ...changes });

const NO_UPLOAD = { upload: null, sent: 0 };

/** The server, or something on the way, refuses the request for good. */
export const isRefusal = ({ status, isTemporary }) => status >= 400 && status < 500 && status !== 401 && !isTemporary;

/** The same request can't succeed later: Tidemark says so. What else answers in its place may go away. */
const isFinal = error =>
    error.code === 'bytes_lost'
    || (isRefusal(error) && error.status !== 409 && (error.problem !== null || error.status === 413));
