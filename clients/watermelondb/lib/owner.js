import { TidemarkError, invalidAnswer } from './error.js';
import { parsed } from './storage.js';

/** The projects of the databases that `sync()` has seen; needed for databases without a name. */
const projects = new WeakMap();

/**
 * The owner of the local database: one user, in one project. A second user would see the first one's private rows, and
 * send the first one's edits as their own.
 */
export class Owner {
    /** The last token that was found to be the owner's. */
    _token = null;
    _record = null;

    constructor(transport, storage, project, prefix) {
        Object.assign(this, { transport, storage, project });
        this.key = `${prefix}owner`;
    }

    /**
     * Throws `other_user` unless the token belongs to the user who synced before. Asks
     * the server once for each new token.
     */
    async check(signal) {
        const token = await this.transport.bearer(false, signal);
        if (token === this._token) return;
        const { id } = await this.transport.json('GET', '/auth/me/', { signal }) ?? {};
        if (!Number.isInteger(id)) throw invalidAnswer('The answer to GET /auth/me/ has no id.');
        const { user = null } = await this._load();
        if (user !== null && user !== id) {
            throw new TidemarkError('other_user', 'The local database belongs to another user.');
        }
        if (user === null) await this._save({ user: id });
        this._token = token;
    }

    /**
     * Throws `other_project` if the database has rows of another project. A database that was
     * reset can be claimed by any project.
     */
    async claim(database, lastPulledAt) {
        if (!database) return;
        const name = database.adapter?.dbName || null;
        const known = projects.get(database) ?? (name && parsed(await this.storage.get(nameKey(name))));
        if (known && known !== this.project && lastPulledAt) {
            const detail = `The local database holds the project ${known}. Use one database per project.`;
            throw new TidemarkError('other_project', detail);
        }
        projects.set(database, this.project);
        if (!name || known === this.project) return;
        await this._save({ database: name });
        await this.storage.set(nameKey(name), JSON.stringify(this.project));
    }

    async forget() {
        const { database = null } = await this._load();
        if (database) await this.storage.remove(nameKey(database));
        await this.storage.remove(this.key);
        this._record = null;
        this._token = null;
    }

    async _load() {
        this._record ??= parsed(await this.storage.get(this.key)) ?? {};
        return this._record;
    }

    async _save(members) {
        this._record = { ...await this._load(), ...members };
        await this.storage.set(this.key, JSON.stringify(this._record));
    }
}

const nameKey = name => `tidemark:database:${name}`;
