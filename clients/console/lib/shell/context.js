import { Edits } from '../edit/edits.js';
import { shownCopy } from '../edit/undo/shown.js';

/** What every page gets: see lib/pages.js. */
export class Context {
    isSuperuser = false;
    _watchers = new Set();

    constructor(tidemark) {
        this.edits = new Edits(tidemark);
        this.tidemark = shownCopy(tidemark, this.edits.waiting);
        tidemark.onState(({ user, isSignedIn, isOnline, filesToSend }) => {
            if (user?.id !== this._asked?.user) this._forget();
            // What one user has done is nothing to the next one.
            if (user?.id !== this._user) this.edits.clear();
            this._user = user?.id;
            if (user && isSignedIn && isOnline) this.superuser();
            // A file that waits goes with its last row, on whichever page that is deleted.
            if (filesToSend > 0) import('../files/keeper.js').then(({ keeperOf }) => keeperOf(this), () => {});
        });
    }

    /** Whether the user is a superuser, by the server; null if it can't be asked. */
    superuser() {
        const user = this.state.user?.id;
        if (user !== this._asked?.user) this._forget();
        this._asked ??= { user, answer: this._ask(user) };
        return this._asked.answer;
    }

    get state() {
        return this.tidemark.state;
    }

    onState(callback) {
        return this.tidemark.onState(callback);
    }

    api(method, path, options) {
        return this.tidemark.request(method, path, options);
    }

    go(path) {
        location.hash = path;
    }

    replace(path) {
        location.replace(`#${path}`);
    }

    /** Calls back when `isSuperuser` has changed. Returns a function that ends it. */
    onSuperuser(callback) {
        this._watchers.add(callback);
        return () => this._watchers.delete(callback);
    }

    _set(isSuperuser) {
        if (this.isSuperuser === isSuperuser) return;
        this.isSuperuser = isSuperuser;
        for (const watcher of this._watchers) watcher();
    }

    _forget() {
        this._asked = null;
        this._set(false);
    }

    async _ask(user) {
        try {
            const { is_superuser: isSuperuser } = await this.api('GET', '/auth/me/');
            if (user === this._asked?.user) this._set(isSuperuser);
            return isSuperuser;
        } catch {
            // Asked again when the page or the state asks for it.
            if (user === this._asked?.user) this._asked = null;
            return null;
        }
    }
}
