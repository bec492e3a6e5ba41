import { uuid } from './uuid.js';

/**
 * What a refusal of a repeated request says about the first one, whose answer was lost: the answer that the first one
 * would have had, or undefined where the refusal stands.
 */
export function lostAnswer({ method, path, body }, { status, code, problem }) {
    if (method === 'DELETE' && status === 404 && code === 'not_found') return null;
    if (method === 'DELETE' && code === 'project_deleted' && /^\/projects\/[^/]+\/?$/.test(path)) return null;
    const row = problem?.current;
    if (method === 'PATCH' && code === 'stale_version' && row && says(row, body)) return row;
    return undefined;
}

/** With a key under which the server does a POST once, however often it comes. The caller's own key stays. */
export function withKey(method, headers = {}) {
    const isKeyed = Object.keys(headers).some(name => name.toLowerCase() === 'idempotency-key');
    return method === 'POST' && !isKeyed ? { ...headers, 'Idempotency-Key': uuid() } : headers;
}

/** Whether a row is as a patch of it says. */
function says(row, patch) {
    return Object.entries(patch ?? {}).every(([field, value]) => areEqual(row[field], value));
}

function areEqual(one, other) {
    if (one === other) return true;
    if (typeof one === 'string' && typeof other === 'string') return instant(one) === instant(other);
    if (!one || !other || typeof one !== 'object' || typeof other !== 'object') return false;
    const keys = Object.keys(one);
    return Array.isArray(one) === Array.isArray(other) && keys.length === Object.keys(other).length
        && keys.every(key => areEqual(one[key], other[key]));
}

/** Milliseconds, for an instant in any form; NaN, which equals nothing, for other texts. */
function instant(text) {
    return /^\d{4}-\d\d-\d\dT/i.test(text) ? Date.parse(text) : NaN;
}
