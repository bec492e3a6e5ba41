import { notTidemark } from '../common/error.js';
import { Transport } from '../common/transport.js';
import { Tokens, signedOut, tokensOf } from './tokens.js';

/** Begins and ends sessions, and sends with their tokens. */
export class Sessions {
    /** `sending` are the options of every transport. `onChanged` is called when another session, or none, is there. */
    constructor({ replica, sending, locks, name, now, onChanged }) {
        Object.assign(this, { replica, locks, name, now, onChanged, _sending: sending });
        this._anonymous = new Transport({ ...sending, token: null });
    }

    /** A transport for whoever begins in this life of the copy. */
    transport(life, device = null) {
        const tokens = new Tokens({
            replica: this.replica, life, transport: this._anonymous, locks: this.locks,
            lockName: `${this.name} token`, now: this.now, onEnded: this.onChanged,
        });
        return new Transport({ ...this._sending, device, token: options => tokens.token(options) });
    }

    /** See `Replica.begin` for the rest. If it throws, the session that has begun on the server ends again. */
    async begin({ username, password, token, ...rest }) {
        const pair = token ? { access: token }
            : await this._anonymous.json('POST', '/auth/token/', { body: { username, password } }) ?? {};
        let former;
        try {
            const user = await this._user(pair.access);
            former = await this.replica.begin({ ...tokensOf(pair, this.now()), user }, rest);
        } catch (error) {
            await this._logOut(pair.refresh);
            throw error;
        }
        this.onChanged();
        // Not before all windows can have the new tokens.
        await this._logOut(former?.refresh);
    }

    /** Begins another session of the user whose copy it is. */
    async again(password) {
        const session = await this.replica.session();
        if (session === null) throw signedOut();
        const { id, username } = session.user;
        await this.begin({ username, password, owner: id });
    }

    /** Returns what was not sent: `{ unsent, setAside }`. */
    async end({ discard = false, leavingUnsent = false }) {
        const { session, left } = await (leavingUnsent ? this.replica.leave() : this.replica.wipe({ discard }));
        this.onChanged();
        await this._logOut(session?.refresh);
        return left;
    }

    async _user(token) {
        const known = new Transport({ ...this._sending, token });
        const { id, username, display_name } = await known.json('GET', '/auth/me/') ?? {};
        if (!Number.isInteger(id)) throw notTidemark();
        return { id, username, display_name };
    }

    /** The session on the server ends by itself, too. So no network is no reason to keep the copy. */
    async _logOut(refresh) {
        if (refresh) await this._anonymous.json('POST', '/auth/logout/', { body: { refresh } }).catch(() => {});
    }
}
