/** What every page gets: see lib/pages.js. */
export class Context {
    isSuperuser = false;
    _watchers = new Set();

    constructor(tidemark) {
        this.tidemark = tidemark;
        tidemark.onState(({ user, isSignedIn, isOnline }) => {
            if (user?.id !== this._asked) this._set(false);
            if (user && isSignedIn && isOnline && user.id !== this._asked) this._ask(user);
        });
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

    async _ask(user) {
        this._asked = user.id;
        try {
            this._set((await this.api('GET', '/auth/me/')).is_superuser);
        } catch {
            this._asked = null;
        }
    }
}
