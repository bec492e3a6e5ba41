import { CUT, foreign, noAnswer } from './trouble.js';

/**
 * The error of a request. `detail` is a sentence for a person, and says what to do. `code` is one of the server's codes
 * (docs/protocol.md, "Errors") or one of these:
 * - `network`, `timeout`, `aborted`
 * - `other_user`, `other_project`: the local database belongs to another user, or holds another project
 * - `invalid_answer`: a 200 with other content than expected
 * - `drain_broken`: the pages of a pull contradict each other
 * - `not_loaded`: a file of the client's own that is needed can't be loaded
 * - `events_held_back`: something between the app and the server holds back events
 * - `http_502` and the like: something else answered in the server's place
 * - `clock_off`: the token's times and the server's clock don't agree, so it helps nobody to log in again at once
 *
 * If the code is not the server's, nothing is known about what the server did.
 */
export class TidemarkError extends Error {
    constructor(code, detail, { status = 0, errors = [], retryAfter = null, problem = null, cause } = {}) {
        super(`${status ? `${status} ` : ''}${code}: ${detail}`);
        this.name = 'TidemarkError';
        this.code = code;
        this.detail = detail;
        this.status = status;
        /** The invalid rows, as the server lists them. */
        this.errors = errors;
        /** Seconds to wait, if the server gave a time; otherwise null. */
        this.retryAfter = retryAfter;
        /**
         * The whole problem document with its other members, such as `limit` or `head`; null if the server sent none.
         */
        this.problem = problem;
        if (cause !== undefined) this.cause = cause;
    }

    /** The user has lost the project for good. Only the code proves this, since any proxy can answer 403. */
    get isAccessLost() {
        return (this.status === 403 && this.code === 'membership_revoked')
            || (this.status === 410 && this.code === 'project_deleted');
    }

    /** The watermark is void: everything must be pulled again and replace the local rows. */
    get isResync() {
        return (this.status === 409 && this.code === 'since_ahead')
            || (this.status === 410 && this.code === 'since_expired');
    }

    /** The push can succeed after a pull. */
    get needsPull() {
        return this.isResync || (this.status === 409 && this.code === 'conflict');
    }

    /** The same request can succeed a little later. */
    get isTemporary() {
        return ['network', 'timeout', 'invalid_answer', 'not_loaded'].includes(this.code)
            || this.status === 408 || this.status === 429 || this.status >= 500;
    }

    /** The local database belongs to another user. */
    get isOtherUser() {
        return this.code === 'other_user';
    }

    get isAborted() {
        return this.code === 'aborted';
    }
}

/** The error for a response that is not 2xx, whether or not it has one of the server's problem documents. */
export function refusal({ status, text, retryAfter, redirectedTo }) {
    let problem = null;
    try {
        problem = JSON.parse(text);
    } catch {
        // Not from the server: a proxy's page, or a truncated response.
    }
    const isProblem = typeof problem?.code === 'string';
    const code = isProblem ? problem.code : `http_${status}`;
    const detail = (isProblem && problem.detail) || foreign({ status, redirectedTo });
    const errors = isProblem && Array.isArray(problem.errors) ? problem.errors : [];
    return new TidemarkError(code, detail, { status, errors, retryAfter, problem: isProblem ? problem : null });
}

export const invalidAnswer = detail => new TidemarkError('invalid_answer', detail, { status: 200 });

const SENTENCES = new Map(Object.entries({
    deleted: 'The row was deleted on the server.',
    not_found: 'The server no longer has the row.',
    parent_deleted: 'A row that it belongs to was deleted on the server.',
    read_only_field: 'Only the server may write the field now.',
    unknown_field: 'The server does not have the field.',
    id_unavailable: 'The id can\'t be used.',
    collection_removed: 'The server does not have the collection any more.',
    restored: 'The server was restored from a backup that does not have this.',
    membership_revoked: 'You are no longer a member of the project.',
    project_deleted: 'The project was deleted.',
}));

/**
 * A sentence for a person about something that was not taken as it was sent: an entry of an answer to an upload, or
 * `{ code }`. The server's own words, if there are any.
 */
export function sentenceOf({ code, detail, fields, to }) {
    if (detail) return detail;
    if (code) return SENTENCES.get(code) ?? `The server did not take the edit (${code}).`;
    if (fields) return 'Somebody else has changed it since this edit began.';
    return to === undefined ? 'The server did not take the edit.' : 'The server changed the value.';
}

/** `what` are files of the module that a page loads later. */
export const notLoaded = (what, cause) => new TidemarkError('not_loaded', `${what} can't be loaded. Check the network. `
    + 'If it is there, load the page again: a browser may not ask for a file twice.', { cause });

/** A 2xx with something else than the server's content. */
export const notTidemark = () => invalidAnswer(foreign({ status: 200 }));

/** The error of a request to `base` that got no answer, or only the beginning of one. */
export const lost = (cause, base, hasBegun = false) =>
    new TidemarkError('network', hasBegun ? CUT : noAnswer(cause, base), { cause });
