// A server of events and held pulls that does what a test says, and an adapter that listens to it.
import { createSync } from '../../index.js';
import { Clock, settled } from './clock.js';
import { URL_BASE, page } from './fakes.js';

const HEAD = 2 ** 52 + 100;

/** One stream of events that a test writes. */
class Stream {
    isCut = false;

    constructor(request, headers) {
        this.request = request;
        const body = new ReadableStream({ start: controller => { this.controller = controller; } });
        request.signal?.addEventListener('abort', () => {
            this.isCut = true;
            this.#end('error', new Error('aborted'));
        });
        this.response = new Response(body, { headers: { 'Content-Type': 'text/event-stream', ...headers } });
    }

    async send(...chunks) {
        for (const chunk of chunks) {
            const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
            if (!this.isCut) this.controller.enqueue(bytes);
            await settled();
        }
    }

    hello(values = {}) {
        const data = { heartbeat_s: 25, expires_in: null, head: HEAD, ...values };
        return this.send(`retry: 2000\nevent: hello\ndata: ${JSON.stringify(data)}\n\n`);
    }

    poke(number, data = { 'p-1': 57 }) {
        return this.send(`id: ${HEAD + number}\nevent: poke\ndata: ${JSON.stringify(data)}\n\n`);
    }

    ping() {
        return this.send('event: ping\ndata: {}\n\n');
    }

    bye(reason, retry) {
        return this.send(`event: bye\ndata: ${JSON.stringify({ reason, retry_ms: retry })}\n\n`);
    }

    async close() {
        this.#end('close');
        await settled();
    }

    async fail() {
        this.#end('error', new TypeError('terminated'));
        await settled();
    }

    #end(how, ...args) {
        try {
            this.controller[how](...args);
        } catch {
            // It is closed already.
        }
    }
}

/**
 * `answers` has a function for each path: `events(request)`, `sync(request)`. It returns a Response, or one like
 * `{ status, body, headers }`, or throws. Without an answer, `events` opens a stream.
 */
export function listener({ answers = {}, options = {}, ...args } = {}) {
    const clock = new Clock();
    const made = { clock, streams: [], requests: [], calls: 0, errors: [], HEAD };
    const fetch = async (address, init) => {
        const { pathname, searchParams } = new URL(address);
        const path = pathname.replace('/api/v1', '');
        const request = { path, query: Object.fromEntries(searchParams), headers: init.headers, signal: init.signal };
        made.requests.push(request);
        if (path === '/auth/me/') return responseOf({ body: { id: 1 } });
        if (path === '/events/') {
            const stream = new Stream(request);
            const answer = await answers.events?.(request);
            if (answer) return responseOf(answer);
            made.streams.push(stream);
            return stream.response;
        }
        return responseOf(await (answers.sync ?? (() => page({}, HEAD)))(request));
    };
    made.sync = createSync({
        url: URL_BASE, token: 't', fetch, wait: clock.wait, now: clock.now, random: () => 0.5, ...options,
    });
    const onChange = async () => {
        made.calls++;
        await args.onChange?.(made);
    };
    made.handle = made.sync.listen({ onError: error => made.errors.push(error), ...args, onChange });
    /** The stream that is open now. */
    made.stream = () => made.streams.at(-1);
    /** The requests to a path. */
    made.at = path => made.requests.filter(request => request.path === path);
    return made;
}

const responseOf = answer => {
    if (answer instanceof Response || answer.body === null) return answer;
    const { status = 200, body = '', headers = {} } = answer;
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
};

/** A `Response` never comes, until the request is aborted. */
export const never = ({ signal }) => new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error('aborted'))));

/** A promise that a test settles, for each call of `onChange`. */
export function slowly() {
    const open = [];
    return { onChange: () => new Promise((resolve, reject) => open.push({ resolve, reject })), open };
}
