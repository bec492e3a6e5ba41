import { notLoaded } from '../common/error.js';

const CACHE_BYTES = 50 * 2 ** 20;

/** The files of the copy as the app sees them: see index.d.ts. What they take is loaded with the first one. */
export class Files {
    _module = null;
    _own = null;
    _listeners = new Set();

    /** For `CopyFiles`; `cacheBytes` and `keep` are the app's. `onChanged`: see `Hub.filed`. */
    constructor({ cacheBytes = CACHE_BYTES, load = loadFiles, ...parts }) {
        Object.assign(this, { cacheBytes, load, ...parts });
    }

    /** A file is for whoever has the copy now, also if somebody else signs in meanwhile. */
    async add(...given) {
        const { life } = await this.replica.state();
        return (await this._loaded()).addIn(life, ...given);
    }

    async open(...given) {
        return (await this._loaded()).open(...given);
    }

    async state(...given) {
        return await this._hasAny() ? (await this._loaded()).state(...given) : null;
    }

    async list() {
        return await this._hasAny() ? (await this._loaded()).list() : [];
    }

    async retry(...given) {
        return (await this._loaded()).retry(...given);
    }

    async remove(...given) {
        return (await this._loaded()).remove(...given);
    }

    /** Returns a function that ends it. */
    onChange(callback) {
        this._listeners.add(callback);
        return () => this._listeners.delete(callback);
    }

    /** A file has changed in some window; with null it may be any. */
    heard(digest) {
        for (const callback of this._listeners) callback(digest);
    }

    /** Some rows have changed: a `Change`. */
    changed(change) {
        this._own?.changed(change);
    }

    /** What is done for files in one session: see `Beside`. Null if there are none yet, and none are to be kept. */
    async beside(session) {
        return this.keep || await this._hasAny() ? (await this._loaded()).beside(session) : null;
    }

    _hasAny() {
        return this.replica.database.hasFiles();
    }

    async _loaded() {
        this._module ??= await this.load().catch(cause => {
            throw notLoaded('What a copy needs for files', cause);
        });
        this._own ??= new this._module.CopyFiles(this);
        return this._own;
    }
}

const loadFiles = () => import('../files/index.js');
