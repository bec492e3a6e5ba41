import { TidemarkError } from '../common/error.js';

/** Milliseconds before its end at which a token is renewed. */
const EARLY = 30_000;

/**
 * The tokens of one session, which all windows share. They renew it one at a time, under a lock: two at once would look
 * like a theft, and end the session. A new pair is stored before it is used.
 */
export class Tokens {
    _given = null;

    /**
     * `life` is that of the copy: when it was wiped, this is over, whoever has signed in since. `transport` sends
     * without a token, `onEnded` is called when the session turned out to be over.
     */
    constructor({ replica, life, transport, locks, lockName, now, onEnded }) {
        Object.assign(this, { replica, life, transport, locks, lockName, now, onEnded });
    }

    /** A token, as `Transport` asks for it; with `refresh` another one than the last. Throws with status 401. */
    async token({ refresh }) {
        const session = await this._session();
        const isLate = session.expiresAt !== null && session.expiresAt - this.now() < EARLY;
        const isStale = refresh && session.access === this._given;
        this._given = isStale || (isLate && session.refresh) ? await this._renewed(session.access) : session.access;
        return this._given;
    }

    async _session() {
        const session = await this.replica.session();
        if (!session || session.life !== this.life || session.isOver) throw signedOut();
        return session;
    }

    _renewed(stale) {
        return this.locks.request(this.lockName, async () => {
            const session = await this._session();
            // Another window was faster.
            if (session.access !== stale) return session.access;
            const changes = await this._changes(session);
            const isKept = await this.replica.renew(session, changes);
            // Another session has begun meanwhile.
            if (!isKept) return (await this._session()).access;
            if (changes.isOver) this.onEnded();
            if (changes.isOver) throw signedOut();
            return changes.access;
        });
    }

    async _changes({ refresh }) {
        if (!refresh) return { isOver: true };
        try {
            const pair = await this.transport.json('POST', '/auth/token/refresh/', { body: { refresh } });
            return tokensOf(pair, this.now());
        } catch (error) {
            if (error.code !== 'invalid_refresh_token') throw error;
            return { isOver: true };
        }
    }
}

export const signedOut = () => new TidemarkError('unauthorized', 'Sign in again.', { status: 401 });

/** What is stored of a pair of tokens. The server's clock may be another one, so only a token's lifetime counts. */
export function tokensOf({ access, refresh = null }, now) {
    const lifetime = lifetimeOf(access);
    return { access, refresh, expiresAt: lifetime === null ? null : now + lifetime * 1000, isOver: false };
}

/** Seconds; null for a token that does not tell. */
function lifetimeOf(token) {
    try {
        const { iat, exp } = JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')));
        return exp - iat > 0 ? exp - iat : null;
    } catch {
        return null;
    }
}
