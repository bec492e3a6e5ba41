/**
 * What a request ended with instead of an answer. `code` is the server's (docs/protocol.md, "Errors"), or one of ours:
 * `network`, `timeout`, `aborted`, `other_user`, `other_project`, `invalid_answer` (a 200 that is not what was asked
 * for), `drain_broken`, and
 * `http_502` and the like where somebody else answered in the server's place. Without a code of the server nothing is
 * known about what it did.
 */
export class TidemarkError extends Error {
    constructor(code, detail, { status = 0, errors = [], retryAfter = null, problem = null, cause } = {}) {
        super(`${status ? `${status} ` : ''}${code}: ${detail}`);
        this.name = 'TidemarkError';
        this.code = code;
        this.detail = detail;
        this.status = status;
        /** The rows at fault, as the server lists them. */
        this.errors = errors;
        /** Seconds, where the server said so. */
        this.retryAfter = retryAfter;
        /** The whole problem document: `limit`, `head` and so on. */
        this.problem = problem;
        if (cause !== undefined) this.cause = cause;
    }

    /** This user has lost the project for good. Only the code proves it: any proxy can answer 403. */
    get isAccessLost() {
        return (this.status === 403 && this.code === 'membership_revoked')
            || (this.status === 410 && this.code === 'project_deleted');
    }

    /** The watermark is of no use: what is needed is everything, in place of what there is. */
    get isResync() {
        return (this.status === 409 && this.code === 'since_ahead')
            || (this.status === 410 && this.code === 'since_expired');
    }

    /** A push that goes through once the client has pulled. */
    get needsPull() {
        return this.isResync || (this.status === 409 && this.code === 'conflict');
    }

    /** The same request can succeed a little later. */
    get isTemporary() {
        return ['network', 'timeout', 'invalid_answer'].includes(this.code)
            || this.status === 408 || this.status === 429 || this.status >= 500;
    }

    /** The local database is that of somebody else. */
    get isOtherUser() {
        return this.code === 'other_user';
    }

    get isAborted() {
        return this.code === 'aborted';
    }
}

/** The error of an answer that is not 2xx, whether or not it is one of the server's problem documents. */
export function refusal({ status, text, retryAfter }) {
    let problem = null;
    try {
        problem = JSON.parse(text);
    } catch {
        // Not the server's: a proxy's page, or cut off.
    }
    const isProblem = typeof problem?.code === 'string';
    const code = isProblem ? problem.code : `http_${status}`;
    const detail = isProblem ? problem.detail : `The answer was ${status}, without a reason.`;
    const errors = isProblem && Array.isArray(problem.errors) ? problem.errors : [];
    return new TidemarkError(code, detail, { status, errors, retryAfter, problem: isProblem ? problem : null });
}

export const invalidAnswer = detail => new TidemarkError('invalid_answer', detail, { status: 200 });
