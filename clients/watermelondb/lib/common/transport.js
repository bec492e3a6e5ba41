import { aborted, sleep, unlessAborted } from './abort.js';
import { clockFault } from './clock.js';
import { TidemarkError, invalidAnswer, lost, refusal } from './error.js';
import { lostAnswer } from './repeated.js';
import { LATE, foreign, notJSON } from './trouble.js';

const DEFAULT_RETRY = { attempts: 5, baseDelay: 500, maxDelay: 30000, maxRetryAfter: 120 };

/**
 * Sends requests with a token, a timeout and retries. Every method throws unless the response is 2xx and complete.
 *
 * Every request can be repeated safely: reads by nature, uploads because of their batch id, others because of their
 * `Idempotency-Key`, or because the refusal of the second attempt shows that the first one succeeded.
 */
/**
 * Whether a drain counts, so that all it has is of one commit: the head never falls, so nothing was written if its last
 * answer has the head that the first was read at. Where something on the way drops the head, only one answer is.
 */
export const isOfOneCommit = (head, timestamp, isOnlyAnswer) => (head === null ? isOnlyAnswer : head === timestamp);

export class Transport {
    _refreshing = null;
    _plain = new AbortController();

    constructor({ url, token, fetch, device = null, timeout = 30000, retry = {}, ...others }) {
        const { wait = sleep, random = Math.random, now = Date.now } = others;
        this.base = `${url.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`;
        this.token = token;
        // Looked up for each request, so a polyfill may be installed later.
        this.fetch = fetch ?? ((address, options) => globalThis.fetch(address, options));
        this._isOwnFetch = Boolean(fetch);
        this.device = device;
        this.timeout = timeout;
        this.retry = { ...DEFAULT_RETRY, ...retry };
        this.wait = wait;
        this.random = random;
        this.now = now;
    }

    /** Whether answers may be readable as they come. React Native's own `fetch` can't do that, nor can any wrapper. */
    get mayStream() {
        if (this.plain.aborted) return false;
        return this._isOwnFetch || typeof Response === 'undefined' || 'body' in Response.prototype;
    }

    /** Aborted as soon as an answer of the app's own `fetch` shows that it gives answers only as a whole. */
    get plain() {
        return this._plain.signal;
    }

    /** The parsed response body; null if it is empty. */
    json(method, path, options = {}) {
        return this.send(method, path, options, (_, answer) => parsedAnswer(answer));
    }

    /**
     * A page of a pull, as `{ page, head }`. The head is the header `Tidemark-Head`; null if something on the way drops
     * it.
     */
    page(path, options = {}) {
        return this.send('GET', path, options, (_, answer) => ({ page: parsedAnswer(answer), head: answer.head }));
    }

    /** The parsed answer to an upload, as `{ json, isReplayed }`: whether the server has answered the same before. */
    upload(path, options) {
        return this.send('POST', path, options, (_, answer) => (
            { json: parsedAnswer(answer), isReplayed: answer.isReplayed }));
    }

    /**
     * The parsed answer to one GET that is not repeated, does not name the device, and takes as long as it takes. After
     * a 401 it is sent once more with a new token.
     */
    async get(path, { query, signal }) {
        const request = { method: 'GET', address: this.address(path, query), signal, timeout: null };
        return parsedAnswer(await this.authorized(request));
    }

    /** Sends one GET, and returns the response as soon as its head is there, whatever its status. */
    async open(path, { query, headers, token, signal }) {
        const options = { method: 'GET', signal, headers: headersOf(undefined, token, headers) };
        try {
            const answer = Promise.resolve().then(() => this.fetch(this.address(path, query), options));
            return await unlessAborted(answer, signal);
        } catch (cause) {
            throw cause instanceof TidemarkError ? cause : lost(cause, this.base);
        }
    }

    /** The response body as received. It must start and end like a JSON object: a truncated one is an error. */
    text(method, path, options = {}) {
        return this.send(method, path, options, (text, answer) => {
            if (/^\s*\{/.test(text) && /\}\s*$/.test(text.slice(-16))) return text;
            throw invalidAnswer(notJSON(answer));
        });
    }

    /** Sends a request up to `attempts` times. It tells of the device, unless it `isNameless`. */
    async send(method, path, options, read) {
        const { query, body, headers, signal, timeout = this.timeout, attempts, isNameless = false } = options;
        const address = this.address(path, query);
        const text = body === undefined ? undefined : JSON.stringify(body);
        const device = isNameless ? null : this.device;
        const known = { ...await unlessAborted(device?.headers() ?? Promise.resolve({}), signal), ...headers };
        const request = { method, address, body: text, headers: known, signal, timeout };
        let mayBeDone = false;
        for (let attempt = 1; ; attempt++) {
            try {
                const answer = await this.authorized(request);
                const result = read(answer.text, answer);
                device?.told(known);
                return result;
            } catch (error) {
                const answer = mayBeDone ? lostAnswer({ method, path, body }, error) : undefined;
                if (answer !== undefined) return answer;
                // A problem document from the server means that nothing was done.
                if (!error.problem) mayBeDone = true;
                const delay = this.delay(error, attempt, attempts);
                if (delay === null) throw error;
                await this.wait(delay, signal);
            }
        }
    }

    address(path, query) {
        return `${this.base}${path}${queryString(query)}`;
    }

    /** Milliseconds until the next attempt; null if there is none. */
    delay(error, attempt, attempts = this.retry.attempts) {
        const { baseDelay, maxDelay, maxRetryAfter } = this.retry;
        if (!(error instanceof TidemarkError && error.isTemporary) || attempt >= attempts) return null;
        if (error.retryAfter > maxRetryAfter) return null;
        // Half of it is random, so phones that failed together do not return together.
        const backoff = Math.min(maxDelay, baseDelay * 2 ** (attempt - 1)) * (0.5 + this.random() / 2);
        return error.retryAfter === null ? backoff : error.retryAfter * 1000 + this.random() * baseDelay;
    }

    /** A 2xx response. If `token` is a function, it is called again after a 401 for a new token. */
    async authorized(request) {
        const { signal } = request;
        let token = await this.bearer(false, signal);
        let answer = await this.exchange(request, token);
        if (answer.status === 401 && typeof this.token === 'function') {
            const first = clockFault(token, answer, this.now());
            token = await this.bearer(true, signal).catch(error => {
                throw (error.status === 401 && first) || error;
            });
            answer = await this.exchange(request, token);
        }
        if (answer.status < 200 || answer.status > 299) throw this.refusal(answer, token);
        return answer;
    }

    /** The error for an answer to a request with this token. */
    refusal(answer, token) {
        return clockFault(token, answer, this.now()) ?? refusal(answer);
    }

    bearer(refresh, signal) {
        return unlessAborted(this._bearer(refresh), signal);
    }

    /** Requests share one refresh: two at the same time would end the session (docs/protocol.md). */
    async _bearer(refresh) {
        if (typeof this.token !== 'function') return this.token;
        if (!refresh) return this.token({ refresh: false });
        if (!this._refreshing) {
            this._refreshing = Promise.resolve(this.token({ refresh: true })).finally(() => {
                this._refreshing = null;
            });
        }
        return this._refreshing;
    }

    /**
     * One request. Ends at once when it is aborted or out of time, even if `fetch` ignores its signal. `read` reads the
     * response, and may call what it is given to have the whole time again.
     */
    exchange({ method, address, body, headers, signal, timeout, read = response => this.read(response) }, token) {
        return new Promise((resolve, reject) => {
            if (signal?.aborted) return reject(aborted());
            const controller = new AbortController();
            const settle = (how, value) => {
                clearTimeout(timer);
                signal?.removeEventListener('abort', onAbort);
                how(value);
            };
            const stop = error => {
                settle(reject, error);
                controller.abort();
            };
            const onAbort = () => stop(aborted());
            let timer = null;
            const restart = () => {
                clearTimeout(timer);
                if (timeout !== null) timer = setTimeout(() => stop(new TidemarkError('timeout', LATE)), timeout);
            };
            restart();
            signal?.addEventListener('abort', onAbort);
            const options = { method, body, signal: controller.signal, headers: headersOf(body, token, headers) };
            let hasBegun = false;
            const begun = response => {
                hasBegun = true;
                return read(response, restart);
            };
            Promise.resolve().then(() => this.fetch(address, options)).then(begun).then(
                answer => settle(resolve, answer),
                cause => settle(reject, lost(cause, this.base, hasBegun)));
        });
    }

    read(response) {
        if (this._isOwnFetch && response.body === undefined) this._plain.abort();
        return readAnswer(response);
    }
}

function headersOf(body, token, others) {
    const headers = { Accept: 'application/json', ...others };
    if (token) headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers['Content-Type'] ??= 'application/json';
    return headers;
}

export async function readAnswer(response) {
    const header = name => response.headers?.get?.(name) ?? null;
    const date = Date.parse(header('Date') ?? '');
    return {
        status: response.status, text: await response.text(), head: number(header('Tidemark-Head')),
        retryAfter: seconds(header('Retry-After'), date), date,
        isReplayed: header('Idempotent-Replayed') === 'true',
        type: (header('Content-Type') ?? '').split(';')[0].trim(),
        redirectedTo: response.redirected ? response.url : null,
    };
}

/**
 * The error for the answer to an app's own request, such as a log-in: what the server says, or that this is no Tidemark.
 * `body` is the parsed one; null if it is not JSON.
 */
export function answerError({ ok, status, headers, redirected, url }, body) {
    const redirectedTo = redirected ? url : null;
    if (ok) return invalidAnswer(foreign({ status, redirectedTo }));
    const retryAfter = seconds(headers?.get?.('Retry-After') ?? null, Date.parse(headers?.get?.('Date') ?? ''));
    return refusal({ status, text: JSON.stringify(body), retryAfter, redirectedTo });
}

const number = header => (/^\d+$/.test(header?.trim() ?? '') ? Number(header) : null);

/** `Retry-After` is a number of seconds or a date, of the server's clock if the answer has one. */
function seconds(header, date) {
    if (!header) return null;
    const now = Number.isFinite(date) ? date : Date.now();
    const value = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - now) / 1000;
    return Number.isFinite(value) ? Math.max(0, value) : null;
}

function queryString(query = {}) {
    const pairs = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
    const text = pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&');
    return text && `?${text}`;
}

function parsedAnswer(answer) {
    if (answer.text === '') return null;
    try {
        return JSON.parse(answer.text);
    } catch (cause) {
        throw Object.assign(invalidAnswer(notJSON(answer)), { cause });
    }
}
