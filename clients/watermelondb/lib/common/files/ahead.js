import { isRefusal } from './sender.js';

/** Files that could not be read, although something answers, of which that is remembered. */
const MOST_DEFERRED = 1000;

/**
 * Reads files before anybody opens them, one after another: those of rows that the app wants to keep. They are part of
 * the cache like others, and nothing is read ahead that would drop something from it.
 */
export class Ahead {
    _running = null;
    _isDue = false;
    _passes = 0;
    /** What could not be read although something answers, by key: how often, and the pass that tries it again. */
    _deferred = new Map();

    /**
     * `list` has these, and each may throw:
     * - `next(mayRead)`: resolves to a file that is not here and has room, `{ digest, project }`, and that `mayRead`
     *   lets through; to null if there is none
     * - `done(file)`: the file is here, or the server does not give it
     *
     * `read(file)` reads a file into the cache. `pause(failures, error)` resolves when a read may be tried again, after so
     * many failures in a row; without it that waits for the next call of `wake`.
     */
    constructor({ list, read, pause = null }) {
        Object.assign(this, { list, read, pause });
    }

    /** Begins if nothing runs. */
    wake() {
        this._isDue = true;
        this._running ??= this._run().catch(() => {
            this._isDue = false;
        }).then(() => {
            this._running = null;
            if (this._isDue) this.wake();
        });
    }

    async _run() {
        for (let failures = 0; this._isDue;) {
            this._isDue = false;
            const { error, hasRead } = await this._pass();
            if (error === null) continue;
            if (this.pause === null) throw error;
            if (hasRead) failures = 0;
            await this.pause(failures++, error);
            this._isDue = true;
        }
    }

    /** Reads what there is. `error` is why it ended before that, or null. */
    async _pass() {
        const pass = ++this._passes;
        let hasRead = false;
        const mayRead = file => (this._deferred.get(keyOf(file))?.until ?? 0) <= pass;
        for (let next = await this.list.next(mayRead); next; next = await this.list.next(mayRead)) {
            const error = await this._failure(next);
            if (error && !isDenied(error)) {
                if (!isOfTheWay(error)) this._defer(next);
                return { error, hasRead };
            }
            hasRead ||= error === null;
            this._deferred.delete(keyOf(next));
            await this.list.done(next);
        }
        return { error: null, hasRead };
    }

    async _failure(file) {
        try {
            await this.read(file);
            return null;
        } catch (error) {
            return error;
        }
    }

    /** Others go first, and it is tried less and less often: it may be large, and wrong on the server. */
    _defer(file) {
        const { count = 0 } = this._deferred.get(keyOf(file)) ?? {};
        this._deferred.delete(keyOf(file));
        this._deferred.set(keyOf(file), { count: count + 1, until: this._passes + 2 ** (count + 1) });
        if (this._deferred.size > MOST_DEFERRED) this._deferred.delete(this._deferred.keys().next().value);
    }
}

/** The server itself does not give it. What else answers in its place may go away. */
const isDenied = error => isRefusal(error) && error.problem !== null;

/** It has nothing to do with the file. */
const isOfTheWay = ({ code, status, problem }) =>
    ['network', 'timeout', 'aborted'].includes(code) || status >= 400 && !(status === 500 && problem !== null);

const keyOf = ({ digest, project }) => `${project} ${digest}`;
