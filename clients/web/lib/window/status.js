import { OneAtATime } from '../common/one-at-a-time.js';
import { plainError } from './line.js';

/** What this window shows of the copy and of the line, and who is told of it. */
export class Status {
    /** The state as the app sees it: see index.d.ts. */
    state = null;
    /** Of the window that syncs, whichever that is. */
    line = { isSyncing: false, isOnline: null, offlineSince: null, error: null };
    /** Told when the copy has become somebody else's than its user's. */
    onOtherUser = () => {};
    _listeners = { state: new Set(), left: new Set() };
    _copy = {};

    /** `signal` is aborted when the window has closed its copy. */
    constructor(replica, signal) {
        Object.assign(this, { replica, signal });
        this._looking = new OneAtATime(() => this._look());
    }

    /** Looks how the copy is now. */
    look() {
        return this._looking.run();
    }

    setLine(line) {
        this.line = line;
        const state = { ...this._copy, ...line };
        if (JSON.stringify(state) === JSON.stringify(this.state)) return;
        this.state = state;
        this.tell('state', state);
    }

    /** An error that no call can throw. */
    report(error) {
        if (this.signal.aborted) return;
        this.setLine({ ...this.line, error: plainError(error) });
        if (error.code === 'other_user') this.onOtherUser();
    }

    /** Returns a function that ends it. */
    listen(kind, callback) {
        this._listeners[kind].add(callback);
        return () => this._listeners[kind].delete(callback);
    }

    tell(kind, value) {
        for (const callback of this._listeners[kind]) callback(value);
    }

    async _look() {
        const [copy, session] = [await this.replica.status(), await this.replica.session()];
        if (this.signal.aborted) return;
        this._copy = {
            user: copy.owner, isSignedIn: session !== null && !session.isOver,
            signedInWith: session && (session.refresh ? 'password' : 'token'), isComplete: copy.isComplete,
            settled: copy.settled, progress: copy.drain && { rows: copy.drain.rows, total: copy.drain.total },
            unsent: copy.unsent, refused: copy.refused, setAside: copy.aside, filesToSend: copy.files,
            lastSync: copy.lastSync,
        };
        this.setLine(this.line);
    }
}
