import { unlessAborted } from './abort.js';
import { TidemarkError, invalidAnswer, lost } from './error.js';
import { EventParser } from './events.js';
import { readAnswer } from './transport.js';
import { HELD_BACK } from './trouble.js';

/** Milliseconds in which the head of the answer has to come, and then the first event. */
const PATIENCE = 5000;
/** Silence that is this many heartbeats long is a lost connection. */
const SILENCE = 2.5;
/** Silence that is this many heartbeats long is a reason to ask whether the server is there. */
const DOUBT = 1.2;
/** Seconds before the token expires. */
const RENEWAL = 30;
/** Milliseconds between pulls while a stream lives, in case that it loses something. */
const POLL = 15 * 60_000;
/** Milliseconds that a server may spread pulls over. */
const LONGEST_SPREAD = 600_000;

/** The platform gives the body of an answer only as a whole. */
export class CannotStream extends Error {}

/** Streams of events, one after another. Each continues from the last one. */
export class EventStreams {
    /** Milliseconds to wait before a new stream, as the server asked. */
    retry = 1000;
    /** Whether a stream was more than a `hello`. */
    wasAlive = false;
    _lastEventId = '';
    /** The token of the last stream, and whether the next one needs a newer token. */
    _token = null;
    _needsToken = false;

    /**
     * `onNews` is called for each `hello` and `poke`, with the number that a pull has to reach; `Infinity` if it is not
     * known. `isThere` is that of `Listening`.
     */
    constructor({ transport, scope, onNews, isThere }) {
        Object.assign(this, { transport, scope, onNews, isThere });
    }

    /**
     * Runs one stream to its end. Returns after how many milliseconds a new one may begin (`floor`), and whether that
     * is only for a new token (`isRenewal`). Throws if there was no stream, or if it was cut; with the code
     * `events_held_back` if something holds events back, and `CannotStream` if the platform can't read them.
     */
    async run(signal) {
        const stream = new OpenStream(this, signal);
        try {
            return await stream.run();
        } finally {
            stream.close();
        }
    }

    async open(signal, onSend) {
        let token = await this.transport.bearer(false, signal);
        if (this._needsToken && token === this._token) token = await this.transport.bearer(true, signal);
        let response = await this._send(token, signal, onSend);
        if (response.status === 401 && typeof this.transport.token === 'function') {
            response.body?.cancel?.().catch(() => {});
            token = await this.transport.bearer(true, signal);
            response = await this._send(token, signal, onSend);
        }
        [this._token, this._needsToken] = [token, false];
        if (response.status !== 200) {
            throw this.transport.refusal(await unlessAborted(readAnswer(response), signal), token);
        }
        return response;
    }

    _send(token, signal, onSend) {
        onSend();
        // In the query, since browsers would have to ask the server before they send the header.
        const query = { projects: this.scope.project, last_event_id: this._lastEventId || null };
        return this.transport.open('/events/', { query, headers: { Accept: 'text/event-stream' }, token, signal });
    }

    parser() {
        return new EventParser(this._lastEventId);
    }

    read(parser) {
        this._lastEventId = parser.lastEventId;
        if (parser.retry !== null) this.retry = parser.retry;
    }

    renew() {
        this._needsToken = true;
    }
}

/** One request, from its beginning to the end of its answer. */
class OpenStream {
    _cut = new AbortController();
    _limit = null;
    /** Ends the wait for a heartbeat. */
    _doubt = null;
    /** Why the stream was cut. */
    _error = null;
    _isRenewal = false;
    _greeted = false;

    constructor(streams, signal) {
        Object.assign(this, { streams, transport: streams.transport, signal });
        this._onAbort = () => this._cut.abort();
        if (signal.aborted) this._cut.abort();
        signal.addEventListener('abort', this._onAbort);
        this._onPlain = () => {
            this._error = new CannotStream();
            this._cut.abort();
        };
        this.transport.plain.addEventListener('abort', this._onPlain);
    }

    close() {
        this.signal.removeEventListener('abort', this._onAbort);
        this.transport.plain.removeEventListener('abort', this._onPlain);
        this._limit?.abort();
        this._doubt?.abort();
        this._cut.abort();
        this._reader?.cancel().catch(() => {});
    }

    async run() {
        try {
            const response = await this.streams.open(this._cut.signal, () => this._allow(PATIENCE, heldBack));
            const type = response.headers.get('Content-Type') ?? '';
            if (!/^text\/event-stream\b/i.test(type)) throw invalidAnswer(`The answer to GET /events/ is ${type}.`);
            if (!response.body?.getReader || typeof TextDecoder === 'undefined') throw new CannotStream();
            this._allow(PATIENCE, heldBack);
            return { floor: await this._read(response.body.getReader()), isRenewal: false };
        } catch (error) {
            if (this._isRenewal) return { floor: 0, isRenewal: true };
            throw this._error ?? error;
        }
    }

    /** Reads to the end. Returns after how many milliseconds a new stream may begin. */
    async _read(reader) {
        this._reader = reader;
        const parser = this.streams.parser();
        for (;;) {
            const { value, done } = await unlessAborted(reader.read(), this._cut.signal).catch(cause => {
                throw cause instanceof TidemarkError ? cause : lost(cause, this.transport.base, true);
            });
            if (done) return 0;
            if (this._greeted) this._awaitHeartbeat();
            const events = parser.push(value);
            this.streams.read(parser);
            for (const event of events) {
                if (event.type === 'bye') return milliseconds(parsed(event).retry_ms);
                this._take(event);
            }
        }
    }

    _take(event) {
        if (event.type === 'hello') return this._hello(parsed(event));
        if (!this._greeted) return;
        if (event.type === 'poke') this._poke(event, parsed(event));
        if (event.type === 'poke' || event.type === 'ping') this.streams.wasAlive = true;
    }

    _hello({ heartbeat_s: heartbeat, expires_in: expiresIn, head }) {
        this._greeted = true;
        this.transport.plain.removeEventListener('abort', this._onPlain);
        this._heartbeat = 1000 * (heartbeat > 0 ? heartbeat : 25);
        this._awaitHeartbeat();
        this._poll();
        if (expiresIn > 0 && typeof this.transport.token === 'function') this._renewAfter(expiresIn);
        this.streams.onNews(this.streams.scope.isUserWide && Number.isSafeInteger(head) ? head : Infinity);
    }

    _poll() {
        this._after(POLL, () => {
            this.streams.onNews(Infinity);
            this._poll();
        });
    }

    _renewAfter(expiresIn) {
        // A token that lives shorter than that is not asked for in a hot loop.
        const seconds = Math.max(expiresIn - RENEWAL, expiresIn / 2, 5);
        this._after(seconds * 1000, () => {
            this.streams.renew();
            this._isRenewal = true;
            this._cut.abort();
        });
    }

    _poke({ lastEventId }, { _spread_ms: spread, ...heads }) {
        const { isUserWide, project } = this.streams.scope;
        const number = isUserWide ? Number(lastEventId || NaN) : heads[project];
        const tell = () => this.streams.onNews(Number.isSafeInteger(number) ? number : Infinity);
        if (!(spread > 0)) return tell();
        this._after(this.transport.random() * Math.min(spread, LONGEST_SPREAD), tell);
    }

    /** A stream that stays silent is cut: soon if the server does not answer either, else after a while. */
    _awaitHeartbeat() {
        this._allow(SILENCE * this._heartbeat, silent);
        this._doubt?.abort();
        const doubt = this._doubt = new AbortController();
        this._after(DOUBT * this._heartbeat, async () => {
            if (await this.streams.isThere() || doubt.signal.aborted) return;
            this._error = silent(DOUBT * this._heartbeat);
            this._cut.abort();
        }, doubt.signal);
    }

    /** Cuts the stream if nothing else is allowed in these milliseconds. */
    _allow(time, reason) {
        this._limit?.abort();
        this._limit = new AbortController();
        this._after(time, () => {
            this._error = reason(time);
            this._cut.abort();
        }, this._limit.signal);
    }

    _after(time, work, signal = this._cut.signal) {
        this.transport.wait(time, signal).then(() => !signal.aborted && work(), () => {});
    }
}

/** The data of an event of the server's. */
function parsed({ type, data }) {
    try {
        const value = JSON.parse(data);
        if (value !== null && typeof value === 'object') return value;
    } catch {
        // Said below.
    }
    throw invalidAnswer(`The data of the event ${type} is not a JSON object.`);
}

const milliseconds = value => (value > 0 ? Number(value) : 0);

const heldBack = () => new TidemarkError('events_held_back', HELD_BACK);
const silent = time => new TidemarkError('timeout', `No event within ${time} ms.`);
