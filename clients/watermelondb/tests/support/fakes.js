// A server that is a function, for answers that a real one does not give on request.
import { createSync } from '../../index.js';

export const URL_BASE = 'https://sync.example';
export const PATH = '/api/v1/projects/p-1/sync/';

/** A `fetch` that records its requests and returns what `handler` returns, `{ status, body, headers }`, or throws. */
export function fakeFetch(handler, answersMe = true) {
    const requests = [];
    const fetch = async (address, options = {}) => {
        const { pathname, searchParams } = new URL(address);
        // Requested before each pull and push with a new token. Most tests don't care.
        if (answersMe && pathname.endsWith('/auth/me/')) return answerOf({ body: { id: 1 } });
        const body = options.body === undefined ? undefined : JSON.parse(options.body);
        const request = {
            method: options.method, path: pathname, query: Object.fromEntries(searchParams), body,
            headers: options.headers,
            signal: options.signal,
        };
        requests.push(request);
        return answerOf(await handler(request, requests.length));
    };
    return { fetch, requests };
}

function answerOf({ status = 200, body = '', headers = {} }) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return { status, headers: new Headers(headers), text: async () => text };
}

/**
 * An adapter on such a server. It does not wait between attempts; `waits` has the
 * milliseconds that it would have waited.
 */
export function fakeSync(handler, { answersMe, ...options } = {}) {
    const { fetch, requests } = fakeFetch(handler, answersMe);
    const waits = [];
    const wait = async milliseconds => void waits.push(milliseconds);
    const sync = createSync({ url: URL_BASE, project: 'p-1', token: 't', fetch, wait, random: () => 0.5, ...options });
    return { sync, requests, waits };
}

export const problem = (status, code, rest = {}) =>
    ({ status, body: { status, code, detail: `It is ${code}.`, errors: [], ...rest } });

export const bucket = (updated = [], deleted = [], created = []) => ({ created, updated, deleted });

/** A page. Without a cursor it is the last one. `head` is null if a proxy has taken the header out. */
export const page = (changes, timestamp, cursor = null, head = timestamp) => ({
    headers: head === null ? {} : { 'Tidemark-Head': `${head}` },
    body: { changes, timestamp, has_more: cursor !== null, next_cursor: cursor, progress: { rows: 0, total: null } },
});

/** The answer to an upload that was applied completely. */
export const accepted = ({ body }, rest = {}) => ({
    body: {
        client_batch_id: body.client_batch_id, timestamp: 9, applied: {}, skipped: {}, conflicts: {}, rejected: {},
        rejected_ids: {}, repaired: {}, ...rest,
    },
});

const ref = (collection, type = 'string') => ({ type, 'x-ref': { collection, 'on-delete': 'clear' } });

/** Two collections that accept uploads and one that does not. */
export const SCHEMAS = {
    body: {
        collections: [
            { title: 'risks', properties: { title: { type: 'string' } } },
            { title: 'tasks', 'x-uploadable': true, properties: { name: { type: 'string' }, parent: ref('tasks') } },
            { title: 'links', 'x-uploadable': true, properties: { task: ref('tasks'), others: ref('tasks', 'array') } },
        ],
    },
};

/** A row as WatermelonDB passes it to the adapter. */
export const local = (id, values = {}, status = 'created') => ({ id, _status: status, _changed: '', ...values });

/** An error that the adapter must pass on, for `assert.rejects`. */
export const failing = expected => error => {
    for (const [key, value] of Object.entries(expected)) {
        if (error[key] !== value) throw new Error(`${key} is ${error[key]}, not ${value}: ${error.stack}`);
    }
    return true;
};
