import { Line } from './line.js';

/**
 * The window that syncs, for as long as it holds the lock. It has one line as long as somebody is signed in; another
 * session, or a wiped copy, gets another line.
 */
export class Leader {
    _line = null;
    _life = null;
    _isOver = false;
    _following = Promise.resolve();

    /** `lineFor(state)` makes a line. */
    constructor({ replica, lineFor }) {
        Object.assign(this, { replica, lineFor });
    }

    /** Looks who is signed in, and begins or ends a line. Calls are carried out in order. */
    follow() {
        this._following = this._following.then(() => this._follow());
        return this._following;
    }

    ask() {
        this._line?.ask();
    }

    /** There is a file to send. */
    send() {
        this._line?.send();
    }

    resume() {
        this._line?.resume();
    }

    /** Asks whether the server is there: the browser says that there is no network. */
    doubt() {
        this._line?.isThere();
    }

    /** Syncs now. Resolves to null if nobody is signed in. */
    async sync() {
        await this._following;
        return this._line?.sync() ?? null;
    }

    end() {
        this._isOver = true;
        this._hangUp();
    }

    async _follow() {
        const [session, state] = [await this.replica.session(), await this.replica.state()];
        const isSignedIn = session !== null && !session.isOver;
        if (this._line && isSignedIn && state.life === this._life) return;
        this._hangUp();
        if (!isSignedIn || this._isOver) return;
        this._life = state.life;
        this._line = this.lineFor(state);
    }

    _hangUp() {
        this._line?.end();
        this._line = null;
    }
}
