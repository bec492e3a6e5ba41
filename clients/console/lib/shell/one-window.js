// A copy that only this window has, as long as it is open. For pages without a secure context: they have IndexedDB, but
// no Web Locks, and without those two windows can't share a copy.

const PREFIX = 'tidemark-window ';
const BEAT = 30_000;
const SILENCE = 600_000;

export class OneWindow {
    _id = `${Date.now()}-${Math.floor(Math.random() * 1e9)}`;
    _last = new Map();

    /** For `open` of clients/web. */
    get options() {
        return {
            indexedDB: { open: (name, version) => indexedDB.open(this._own(name), version) },
            locks: { request: (name, ...rest) => this._lock(name, rest.at(-1)) },
            channel: name => new BroadcastChannel(this._own(name)),
        };
    }

    /**
     * Removes copies of windows that have not removed theirs: they crashed, and were not heard of for ten minutes. Then
     * this window is heard of, until it is left.
     */
    begin() {
        for (const key of Object.keys(localStorage).filter(each => each.startsWith(PREFIX))) {
            const { name, at } = JSON.parse(localStorage.getItem(key));
            if (at < Date.now() - SILENCE) remove(key, name);
        }
        this._timer = setInterval(() => this._beat(), BEAT);
        // A page that comes back without being loaded has lost its copy.
        addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
    }

    /** The copy goes with the window. */
    async end(tidemark) {
        clearInterval(this._timer);
        await tidemark.close();
        remove(PREFIX + this._id, this._name);
    }

    _own(name) {
        this._name = `${name} ${this._id}`;
        this._beat();
        return this._name;
    }

    _beat() {
        localStorage.setItem(PREFIX + this._id, JSON.stringify({ name: this._name, at: Date.now() }));
    }

    /** One after the other, within this window. */
    _lock(name, work) {
        const done = (this._last.get(name) ?? Promise.resolve()).then(() => work());
        this._last.set(name, done.catch(() => {}));
        return done;
    }
}

function remove(key, name) {
    indexedDB.deleteDatabase(name);
    localStorage.removeItem(key);
}
