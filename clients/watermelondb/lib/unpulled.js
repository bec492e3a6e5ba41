import { parsed } from './storage.js';

/**
 * New rows that were sent since the last pull, for the user-wide scope. If their project is lost before the next pull,
 * the server does not name them as deleted: it lists what was there at the watermark.
 */
export class Unpulled {
    constructor(storage, scope) {
        Object.assign(this, { storage, scope });
        this.key = `${scope.prefix}unpulled`;
    }

    /** Notes an answered batch. With a newer watermark, a pull has brought the rows of before. */
    async note({ last_pulled_at: since, changes }, { rejected_ids: refused = {} }) {
        if (!this.scope.isUserWide) return;
        const known = parsed(await this.storage.get(this.key));
        const rows = known?.since >= since ? known.rows : {};
        const before = JSON.stringify(rows);
        for (const [collection, { created }] of Object.entries(changes)) {
            for (const { id, project_id: project } of created) {
                if (!project || refused[collection]?.includes(id)) continue;
                const ids = (rows[project] ??= {})[collection] ??= [];
                if (!ids.includes(id)) ids.push(id);
            }
        }
        if (JSON.stringify(rows) !== before) await this.storage.set(this.key, JSON.stringify({ since, rows }));
    }

    /** The rows of a project: `{ collection: [id] }`. */
    async of(project) {
        return parsed(await this.storage.get(this.key))?.rows[project] ?? {};
    }

    forget() {
        return this.storage.remove(this.key);
    }
}
