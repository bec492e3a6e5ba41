import { parsed } from '../storage.js';

/** Files that wait to be read. All are in one value of the storage. */
const MOST = 1000;

/** The files that an `Ahead` is to read, over a restart of the app: those that rows have named since they were kept. */
export class AheadList {
    _hasEnded = false;

    constructor({ shelf, storage, scope, cacheBytes }) {
        Object.assign(this, { shelf, storage, cacheBytes, key: `${scope.prefix}ahead` });
    }

    /** Notes files, `{ digest, project, size }`. */
    add(files) {
        return this.shelf.alone(async () => {
            const known = await this._list();
            const isNew = file => !known.some(each => isSame(each, file));
            const added = files.filter(isNew).map(({ digest, project, size }) => ({ digest, project, size }));
            if (added.length) await this._save([...known, ...added].slice(-MOST));
        });
    }

    /** For works of the shelf: forgets the files of a project, or all of them. */
    async drop(project = null) {
        await this._save((await this._list()).filter(each => project !== null && each.project !== project));
    }

    /** Nothing more fits. It ends until the app starts again. */
    end() {
        this._hasEnded = true;
    }

    next(mayRead) {
        return this.shelf.alone(async () => {
            const list = await this._list();
            const left = list.filter(({ digest, project }) => this.shelf.find(digest, project) === null);
            if (left.length < list.length) await this._save(left);
            if (this._hasEnded) return null;
            const hasRoom = ({ size }) => this.shelf.cachedBytes + size <= this.cacheBytes;
            return left.find(file => hasRoom(file) && mayRead(file)) ?? null;
        });
    }

    done(file) {
        return this.shelf.alone(async () => this._save((await this._list()).filter(each => !isSame(each, file))));
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
