import { parsed } from '../storage.js';

/** Files that wait to be read. All are in one value of the storage. */
const MOST = 1000;

/**
 * Reads files before anybody opens them, one after another: those of rows that the app wants to keep. They are part of
 * the cache like others, and nothing is read ahead that would drop something from it.
 */
export class Ahead {
    _running = null;
    _isDue = false;

    /** `read` reads a file of a digest and a project into the shelf. */
    constructor({ shelf, storage, scope, cacheBytes, read }) {
        Object.assign(this, { shelf, storage, cacheBytes, read, key: `${scope.prefix}ahead` });
    }

    /** Notes files, `{ digest, project, size }`, over a restart of the app. */
    add(files) {
        return this.shelf.alone(async () => {
            const known = await this._list();
            const isNew = file => !known.some(each => isSame(each, file));
            const added = files.filter(isNew).map(({ digest, project, size }) => ({ digest, project, size }));
            if (added.length) await this._save([...known, ...added].slice(-MOST));
        });
    }

    /** Begins if nothing runs. What can't be read now waits for the next call. */
    wake() {
        this._isDue = true;
        this._running ??= this._run().catch(() => {}).then(() => {
            this._running = null;
        });
    }

    /** For works of the shelf: forgets the files of a project, or all of them. */
    async drop(project = null) {
        await this._save((await this._list()).filter(each => project !== null && each.project !== project));
    }

    async _run() {
        while (this._isDue) {
            this._isDue = false;
            for (let next = await this._next(); next; next = await this._next()) {
                if (!await this._tried(next)) return;
                await this.shelf.alone(async () => this._save((await this._list()).filter(each => !isSame(each, next))));
            }
        }
    }

    /** The next file that is not here; null if there is none, or no room. */
    _next() {
        return this.shelf.alone(async () => {
            const list = await this._list();
            const left = list.filter(({ digest, project }) => this.shelf.find(digest, project) === null);
            if (left.length < list.length) await this._save(left);
            return left.find(({ size }) => this.shelf.cachedBytes + size <= this.cacheBytes) ?? null;
        });
    }

    /** Whether the next file may be tried. What the server does not give is not asked for again. */
    async _tried({ digest, project }) {
        try {
            await this.read(digest, project);
            return true;
        } catch (error) {
            return error.status === 403 || error.status === 404;
        }
    }

    async _list() {
        return parsed(await this.storage.get(this.key)) ?? [];
    }

    async _save(list) {
        if (list.length) await this.storage.set(this.key, JSON.stringify(list));
        else await this.storage.remove(this.key);
    }
}

const isSame = (one, other) => one.digest === other.digest && one.project === other.project;
