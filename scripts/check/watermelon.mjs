// A stand-in for WatermelonDB's `synchronize()` and its database, as strict as the real ones: an id twice in one pull,
// a bucket that is missing, a timestamp that is no positive number are errors.

/** Rows by collection, with `_status` and `_changed`. A row deleted here stays until it is pushed. */
export class Database {
    lastPulledAt = null;
    #collections = new Map();

    table(name) {
        if (!this.#collections.has(name)) this.#collections.set(name, new Map());
        return this.#collections.get(name);
    }

    /** All of them, by name. */
    tables() {
        return this.#collections;
    }

    /** What a user sees. */
    rows(name) {
        return new Map([...this.table(name)].filter(([, row]) => row._status !== 'deleted'));
    }

    /** The rows as the server sends them. */
    synced(name) {
        return [...this.table(name).values()].map(({ _status, _changed, ...row }) => row);
    }

    create(name, row) {
        this.table(name).set(row.id, { ...row, _status: 'created', _changed: '' });
    }

    update(name, id, values) {
        const row = this.table(name).get(id);
        const changed = new Set([...row._changed.split(',').filter(Boolean), ...Object.keys(values)]);
        const status = row._status === 'created' ? 'created' : 'updated';
        Object.assign(row, values, { _changed: [...changed].join(','), _status: status });
    }

    remove(name, id) {
        const row = this.table(name).get(id);
        row._status = 'deleted';
    }

    hasChanges() {
        return [...this.#collections.values()].some(table => [...table.values()].some(row => row._status !== 'synced'));
    }

    /** The argument of `pushChanges`: every collection, whole rows. */
    localChanges() {
        const changes = {};
        for (const [name, table] of this.#collections) {
            const rows = status => [...table.values()].filter(row => row._status === status);
            changes[name] = {
                created: rows('created').map(row => ({ ...row })), updated: rows('updated').map(row => ({ ...row })),
                deleted: rows('deleted').map(row => row.id),
            };
        }
        return changes;
    }

    markSynced(changes) {
        for (const [name, bucket] of Object.entries(changes)) {
            for (const { id } of [...bucket.created, ...bucket.updated]) {
                Object.assign(this.table(name).get(id), { _status: 'synced', _changed: '' });
            }
            for (const id of bucket.deleted) this.table(name).delete(id);
        }
    }
}

/** Pull, apply, push, as the real one does it in one call. */
export async function synchronize({ database, pullChanges, pushChanges }) {
    const pulled = await pullChanges({ lastPulledAt: database.lastPulledAt, schemaVersion: 1, migration: null });
    const { timestamp } = pulled;
    if (!(typeof timestamp === 'number' && timestamp > 0)) throw new Error(`timestamp ${timestamp}`);
    checkChanges(pulled.changes);
    for (const [name, bucket] of Object.entries(pulled.changes)) apply(database.table(name), bucket);
    database.lastPulledAt = timestamp;
    if (!database.hasChanges()) return;
    const changes = database.localChanges();
    await pushChanges({ changes, lastPulledAt: database.lastPulledAt });
    database.markSynced(changes);
}

function checkChanges(changes) {
    for (const [name, bucket] of Object.entries(changes)) {
        const rows = [...bucket.created, ...bucket.updated];
        const ids = [...rows.map(row => row.id), ...bucket.deleted];
        const wrong = ids.findIndex((id, index) => typeof id !== 'string' || !id || ids.indexOf(id) !== index);
        if (wrong >= 0) throw new Error(`${name}: the id ${ids[wrong]} is no text, or twice in one pull`);
        if (rows.some(row => '_status' in row || '_changed' in row)) throw new Error(`${name}: a row with _status`);
    }
}

function apply(table, bucket) {
    for (const row of [...bucket.created, ...bucket.updated]) {
        const mine = table.get(row.id);
        if (mine?._status === 'deleted') continue;
        if (mine && mine._status !== 'synced') {
            // Columns that were changed here win; the row stays to be pushed.
            const changed = new Set(mine._changed.split(','));
            for (const [column, value] of Object.entries(row)) if (!changed.has(column)) mine[column] = value;
        } else {
            table.set(row.id, { ...mine, ...row, _status: 'synced', _changed: '' });
        }
    }
    for (const id of bucket.deleted) table.delete(id);
}
