import { TidemarkError, notTidemark } from './common/error.js';
import { Scope } from './common/scope.js';
import { parsed } from './storage.js';

/** The scopes of the databases that `sync()` has seen, by name; needed for databases without a name. */
const scopes = new WeakMap();

/** The projects that this storage has seen. What was left unsent in them is found again through this list. */
const INDEX = 'tidemark:projects';

const MOST_DELETED = 1000;

/**
 * The owner of the local database: one user, with one project or with all. A second user would see the first one's
 * private rows, and send the first one's edits as their own.
 */
export class Owner {
    /** The last token that was found to be the owner's. */
    _token = null;
    _record = null;

    constructor(transport, storage, scope) {
        Object.assign(this, { transport, storage, scope });
        this.key = `${scope.prefix}owner`;
    }

    /**
     * Throws `other_user` unless the token belongs to the user who synced before. Asks the server once for each new
     * token. `former` is the owner of the same database in its former scope, if it had one.
     */
    async check(signal, former = null) {
        const token = await this.transport.bearer(false, signal);
        if (token === this._token) return;
        const { id } = await this.transport.json('GET', '/auth/me/', { signal }) ?? {};
        if (!Number.isInteger(id)) throw notTidemark();
        const own = await this.user();
        const user = own ?? await former?.user() ?? null;
        if (user !== null && user !== id) {
            throw new TidemarkError('other_user', 'The local database belongs to another user.');
        }
        if (own === null) await this._save({ user: id });
        await this._noteProject();
        this._token = token;
    }

    /** The id of the user; null if nobody has synced yet. */
    async user() {
        return (await this._load()).user ?? null;
    }

    /** The name of the database; null if it is not known. */
    async database() {
        return (await this._load()).database ?? null;
    }

    /** The names of the collections that the server has, or had once. */
    async collections() {
        return (await this._load()).collections ?? [];
    }

    async noteCollections(names) {
        const known = await this.collections();
        const all = [...new Set([...known, ...names])];
        if (all.length > known.length) await this._save({ collections: all });
    }

    /** The projects that were deleted from this device. Their loss is no news here. */
    async deletedProjects() {
        return (await this._load()).deleted ?? [];
    }

    async noteDeleted(projects) {
        const known = await this.deletedProjects();
        const added = projects.filter(project => !known.includes(project));
        if (added.length) await this._save({ deleted: [...known, ...added].slice(-MOST_DELETED) });
    }

    /** The scope that a database was last synced in; null if it is not known. */
    async claimed(database) {
        const name = nameOf(database);
        const known = database && (scopes.get(database) ?? (name && parsed(await this.storage.get(nameKey(name)))));
        return known ? Scope.named(known) : null;
    }

    /**
     * Notes that the database has this scope from now on. Throws `other_project` if it has rows of another project. A
     * database that was reset can be claimed by any project.
     */
    async claim(database, lastPulledAt) {
        if (!database) return;
        const known = await this.claimed(database);
        const isOther = known && known.name !== this.scope.name;
        if (isOther && known.isUserWide === this.scope.isUserWide && lastPulledAt) {
            const detail = `The local database holds the project ${known.name}. Use one database per project.`;
            throw new TidemarkError('other_project', detail);
        }
        scopes.set(database, this.scope.name);
        const name = nameOf(database);
        if (!name || (known && !isOther)) return;
        await this._save({ database: name });
        await this.storage.set(nameKey(name), JSON.stringify(this.scope.name));
    }

    /** The ids of the projects that were synced by themselves with this storage. */
    async projects() {
        return parsed(await this.storage.get(INDEX)) ?? [];
    }

    async forget() {
        const name = await this.database();
        if (name && parsed(await this.storage.get(nameKey(name))) === this.scope.name) {
            await this.storage.remove(nameKey(name));
        }
        await this._saveProjects((await this.projects()).filter(project => project !== this.scope.project));
        await this.storage.remove(this.key);
        this._record = null;
        this._token = null;
    }

    async _noteProject() {
        if (this.scope.isUserWide) return;
        const projects = await this.projects();
        if (!projects.includes(this.scope.project)) await this._saveProjects([...projects, this.scope.project]);
    }

    async _saveProjects(projects) {
        if (projects.length) await this.storage.set(INDEX, JSON.stringify(projects));
        else await this.storage.remove(INDEX);
    }

    async _load() {
        this._record ??= parsed(await this.storage.get(this.key));
        return this._record ?? {};
    }

    async _save(members) {
        this._record = { ...await this._load(), ...members };
        await this.storage.set(this.key, JSON.stringify(this._record));
    }
}

const nameOf = database => database?.adapter?.dbName || null;
const nameKey = name => `tidemark:database:${name}`;
