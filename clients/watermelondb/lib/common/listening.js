import { Caller } from './caller.js';
import { TidemarkError } from './error.js';
import { followForeground } from './foreground.js';
import { HeldPulls } from './held.js';
import { fullJitter } from './jitter.js';
import { CannotStream, EventStreams } from './stream.js';

/** Milliseconds of held pulls before events are tried again. */
const RETREAT = 3600_000;
/** Streams that failed in a row, before pulls are held instead. */
const MOST_FAILURES = 6;
/** Milliseconds that a `Retry-After` may make a listener wait. */
const LONGEST_FLOOR = 3600_000;
/** Milliseconds before a pull is tried again that was refused for good. */
const UNLIKELY = 60_000;

/** Tells the app when there may be something to pull: see `listen` of the adapter (index.d.ts). */
export class Listening {
    /** Ends what runs now. Null while nothing does. */
    _session = null;
    _isPaused = false;
    _isInForeground = true;
    _isStopped = false;
    /** Pulls are held, instead of streams of events, until then. */
    _retreatEnd = 0;
    /** The error without an answer that ended the last stream, until something proves that the server is there. */
    _guess = null;
    _saidHeldBack = false;
    /** The errors that this session has reported. */
    _said = new Set();
    /** A number that the app reached before this stream. The server may have been restored since. */
    _former = null;

    /**
     * `isThere()` of `parts` resolves to whether the server answers. It is asked when a stream has failed, and when one
     * is silent for longer than a heartbeat takes. Without it nobody is told before a pull fails. `onRun` is told when
     * the listener begins and when it rests.
     */
    constructor(parts, { onChange, onError, appState = page(), events = true, signal }) {
        const { transport, scope, filter, pulls, now, isThere = async () => true, onRun = () => {} } = parts;
        if (typeof onChange !== 'function') throw new TypeError('listen needs onChange.');
        Object.assign(this, { transport, pulls, now, isThere, onError, onRun });
        const reached = () => (pulls.reached === this._former ? 0 : pulls.reached.timestamp);
        const { wait, random } = transport;
        this._caller = new Caller({ onChange, pulls, reached, report: error => this._report(error), wait, random });
        const onNews = number => this._caller.ask(number);
        this._streams = new EventStreams({ transport, scope, onNews, isThere });
        this._held = new HeldPulls({ transport, scope, filter, now, reached, onNews });
        if (!events || !transport.mayStream) this._retreatEnd = Infinity;
        this._unfollow = followForeground(appState, isInForeground => {
            this._isInForeground = isInForeground;
            this._follow();
        });
        this._signal = signal;
        this._onAbort = () => this.stop();
        signal?.addEventListener('abort', this._onAbort);
        if (signal?.aborted) this.stop();
    }

    stop() {
        this._isStopped = true;
        this._unfollow();
        this._signal?.removeEventListener('abort', this._onAbort);
        this._follow();
    }

    pause() {
        this._isPaused = true;
        this._follow();
    }

    resume() {
        this._isPaused = false;
        // Another network may let events through.
        if (this._retreatEnd < Infinity) this._retreatEnd = 0;
        this._end();
        this._follow();
    }

    /** Asks for a call of `onChange`, as a change of somebody else does. */
    ask() {
        this._caller.ask();
    }

    /** Begins or ends, as everything around says. */
    _follow() {
        const runs = !this._isStopped && !this._isPaused && this._isInForeground;
        if (!runs) return this._end();
        if (this._session) return;
        const session = this._session = new AbortController();
        this._caller.signal = session.signal;
        this.onRun(true);
        this._run(session.signal).catch(error => this._rest(session, error));
    }

    _end() {
        if (!this._session) return;
        this._session.abort();
        this._session = null;
        this.onRun(false);
    }

    /** Ends by itself: only a person can help, or the app with another token. */
    _rest(session, error) {
        if (session.signal.aborted) return;
        this._end();
        this._sayOnce(error);
    }

    async _run(signal) {
        this._said.clear();
        this._former = this.pulls.reached;
        // Not before `listen()` has returned.
        await null;
        this._caller.ask();
        for (let failures = 0; !signal.aborted;) {
            if (!this.transport.mayStream) this._retreatEnd = Infinity;
            const isHeld = this.now() < this._retreatEnd;
            const way = isHeld ? this._held : this._streams;
            way.wasAlive = false;
            const floor = await (isHeld ? this._hold(signal) : this._stream(signal)).catch(error => {
                if (signal.aborted) return null;
                return isHeld ? this._afterHold(error) : this._afterStream(error, failures);
            });
            if (way.wasAlive) failures = 0;
            if (floor === null) continue;
            const jitter = fullJitter(failures++, this.transport.random, this._streams.retry);
            await this.transport.wait(Math.max(Math.min(floor, LONGEST_FLOOR), jitter), signal).catch(() => {});
        }
    }

    // Each of these returns how many milliseconds have to pass before the next attempt, and null for none.

    async _stream(signal) {
        this._former = this.pulls.reached;
        const { floor, isRenewal } = await this._streams.run(signal);
        return isRenewal ? null : floor;
    }

    async _hold(signal) {
        await this._caller.done();
        if (signal.aborted) return null;
        await this._held.run(signal);
        this._settleGuess();
        return null;
    }

    _afterStream(error, failures) {
        if (error instanceof CannotStream) {
            this._retreatEnd = Infinity;
            return null;
        }
        if (isUnauthorized(error)) throw error;
        this.isThere();
        const isHeldBack = error.code === 'events_held_back';
        // An older server, or something on the way that does not let events through.
        const isRefused = error.status > 0 && (!error.isTemporary || error.code === 'invalid_answer');
        const isHopeless = failures >= MOST_FAILURES || error.code === 'too_many_streams';
        if (isHeldBack || isRefused || isHopeless) this._retreatEnd = this.now() + RETREAT;
        this._guess = error.status === 0 ? error : null;
        // The app has pulled meanwhile, so the server is there.
        if (this.pulls.reached !== this._former) this._settleGuess();
        if (isHeldBack || isRefused) return null;
        if (!(error instanceof TidemarkError)) this._sayOnce(error);
        return floorOf(error);
    }

    async _afterHold(error) {
        this._former = this.pulls.reached;
        if (isUnauthorized(error)) throw error;
        // Nobody answers this either, so nothing is known about events.
        if (this._guess && error.status === 0) this._retreatEnd = 0;
        this._guess = null;
        if (error.isAccessLost) {
            this._caller.ask();
            await this._caller.done();
            throw error;
        }
        // The app's own pull finds out which collection the server has no more.
        if (error.code === 'unknown_collection') this._caller.ask();
        if (!error.isTemporary && !error.isResync) this._sayOnce(error);
        return error.isTemporary || error.isResync ? floorOf(error) : UNLIKELY;
    }

    /** The server is there, so it is only events that do not arrive; unless the app's `fetch` can't read them. */
    _settleGuess() {
        const isHeldBack = this._guess?.code === 'events_held_back' && this.transport.mayStream;
        if (isHeldBack && !this._saidHeldBack) {
            this._saidHeldBack = true;
            this._report(this._guess);
        }
        this._guess = null;
    }

    _sayOnce(error) {
        if (!this._said.has(keyOf(error))) this._report(error);
    }

    _report(error) {
        this._said.add(keyOf(error));
        this.onError?.(error);
    }
}

/** The browser's page, where there is one. Some packages for React Native define a `document` that is none. */
const page = () => (globalThis.document?.visibilityState ? globalThis.document : null);

const keyOf = error => error?.code ?? `${error}`;

const floorOf = error => (error.retryAfter ?? 0) * 1000;

/** The server, or the app's own token function, says so. A proxy's page does not count. */
const isUnauthorized = error => error.status === 401 && error.code !== 'http_401';
