/** What every page gets: see lib/pages.js. */
export class Context {
    isSuperuser = false;

    constructor(tidemark) {
        this.tidemark = tidemark;
        tidemark.onState(({ user, isSignedIn, isOnline }) => {
            if (user?.id !== this._asked) this.isSuperuser = false;
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

    async _ask(user) {
        this._asked = user.id;
        try {
            this.isSuperuser = (await this.api('GET', '/auth/me/')).is_superuser;
        } catch {
            this._asked = null;
        }
    }
}
