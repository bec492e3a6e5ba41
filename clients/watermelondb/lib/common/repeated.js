import { uuid } from './uuid.js';

/**
 * The answer that a lost first attempt would have had, as far as the refusal of the repeated request shows it.
 * Undefined if the refusal counts.
 */
export function lostAnswer({ method, path, body }, { status, code, problem }) {
    if (method === 'DELETE' && status === 404 && code === 'not_found') return null;
    if (method === 'DELETE' && code === 'project_deleted' && /^\/projects\/[^/]+\/?$/.test(path)) return null;
    const row = problem?.current;
    if (method === 'PATCH' && code === 'stale_version' && row && says(row, body)) return row;
    return undefined;
}

/**
 * Adds an `Idempotency-Key` to a POST: the server performs it once, however often it
 * arrives. A key from the caller stays.
 */
export function withKey(method, headers = {}) {
    const isKeyed = Object.keys(headers).some(name => name.toLowerCase() === 'idempotency-key');
    return method === 'POST' && !isKeyed ? { ...headers, 'Idempotency-Key': uuid() } : headers;
}

/** Whether a row has the values of a patch. */
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

/** Milliseconds for an instant in any format. NaN, which equals nothing, for other texts. */
function instant(text) {
    return /^\d{4}-\d\d-\d\dT/i.test(text) ? Date.parse(text) : NaN;
}
