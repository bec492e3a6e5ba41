// A stand-in for WatermelonDB: its database is here, its `synchronize()` in synchronize.js. Where it matters to a
// server, it behaves as measurements of the real client (0.28) showed: what is an error there is an error here.

/**
 * Rows by table, with `_status` and `_changed`. A row deleted here stays, as `deleted`, until the deletion is pushed.
 */
export class Database {
    #tables = new Map();
    #lastPulledAt = null;
    /** The schema version of the last pull; null before the first. */
    pulledVersion = null;
    /** Records with a prepared change that was never committed. Any access throws until the app restarts. */
    stuck = new Set();
    /** What the real client logs as errors. Most likely these are mistakes of the server. */
    errors = [];
    #writer = Promise.resolve();
    #isWriting = false;

    /**
     * `schema`: `{ table: { column: { type, isOptional } } }`, or null for a database that accepts any table and value.
     * `migrations`: `[{ toVersion, tables: [], columns: [{ table, columns }] }]`.
     */
    constructor({ schema = null, version = 1, migrations = null } = {}) {
        Object.assign(this, { schema, version, migrations });
        for (const name of Object.keys(schema ?? {})) this.table(name);
    }

    /** Stored as text, as in the real client. */
    get lastPulledAt() {
        return parseInt(this.#lastPulledAt, 10) || null;
    }

    set lastPulledAt(value) {
        if (value < this.lastPulledAt) this.errors.push(`the time went back from ${this.lastPulledAt} to ${value}`);
        this.#lastPulledAt = `${value}`;
    }

    /** The collections of the real client, but they can only count and read all rows, and find one by its id. */
    get collections() {
        const query = name => ({
            fetchCount: async () => this.rows(name).size,
            unsafeFetchRaw: async () => [...this.rows(name).values()].map(row => ({ ...row })),
        });
        const of = name => ({ query: () => query(name), find: async id => this.#record(name, id) });
        return { map: Object.fromEntries([...this.#tables.keys()].map(name => [name, of(name)])) };
    }

    /** Writers run one after the other. */
    write(work) {
        const run = this.#writer.then(async () => {
            this.#isWriting = true;
            try {
                return await work();
            } finally {
                this.#isWriting = false;
            }
        });
        this.#writer = run.catch(() => {});
        return run;
    }

    /** One transaction. */
    async batch(prepared) {
        if (!this.#isWriting) throw new Error('batch can only be called from inside of a writer');
        this.onBatch?.();
        for (const destroy of prepared) destroy();
    }

    /** A row as the real client's record. Rows that were deleted here are found, too. */
    #record(name, id) {
        const table = this.table(name);
        if (!table.has(id)) throw new Error(`Record ${name}#${id} not found`);
        const prepareDestroyPermanently = () => {
            this.touch(name, id);
            return () => table.delete(id);
        };
        return { id, get _raw() { return table.get(id); }, prepareDestroyPermanently };
    }

    /** `unsafeResetDatabase()`. */
    reset() {
        for (const table of this.#tables.values()) table.clear();
        this.#lastPulledAt = null;
        this.pulledVersion = null;
    }

    /** Restarts the app: prepared changes are forgotten. */
    restart() {
        this.stuck.clear();
    }

    hasTable(name) {
        return !this.schema || name in this.schema;
    }

    table(name) {
        if (!this.hasTable(name)) throw new Error(`no table ${name}`);
        if (!this.#tables.has(name)) this.#tables.set(name, new Map());
        return this.#tables.get(name);
    }

    tables() {
        return this.#tables;
    }

    /** The rows that a user sees. */
    rows(name) {
        return new Map([...this.table(name)].filter(([, row]) => row._status !== 'deleted'));
    }

    /** All rows without WatermelonDB's own columns. */
    synced(name) {
        return [...this.table(name).values()].map(({ _status, _changed, ...row }) => row);
    }

    create(name, row) {
        if (this.table(name).has(row.id)) throw new Error(`UNIQUE constraint failed: ${name}.id`);
        this.table(name).set(row.id, { ...this.sanitized(name, row), _status: 'created', _changed: '' });
    }

    update(name, id, values) {
        this.touch(name, id);
        const row = this.table(name).get(id);
        const sane = this.sanitized(name, { ...row, ...values });
        const edited = Object.keys(values).filter(column => sane[column] !== row[column]);
        if (!edited.length) return;
        const changed = new Set([...row._changed.split(',').filter(Boolean), ...edited]);
        const _status = row._status === 'created' ? 'created' : 'updated';
        this.table(name).set(id, { ...sane, _status, _changed: [...changed].join(',') });
    }

    /** Deletes a row. A row that was created here and never pushed is pushed as deleted too. */
    remove(name, id) {
        this.touch(name, id);
        this.table(name).set(id, { ...this.table(name).get(id), _status: 'deleted' });
    }

    touch(name, id) {
        if (!this.stuck.has(`${name}/${id}`)) return;
        throw new Error(`Cannot update a record with pending changes (${name} ${id})`);
    }

    hasChanges() {
        return [...this.#tables.values()].some(table => [...table.values()].some(row => row._status !== 'synced'));
    }

    /** The argument of `pushChanges`: every table, with whole rows. */
    localChanges() {
        const changes = {};
        for (const [name, table] of this.#tables) {
            const rows = status => [...table.values()].filter(row => row._status === status);
            changes[name] = {
                created: rows('created').map(row => ({ ...row })), updated: rows('updated').map(row => ({ ...row })),
                deleted: rows('deleted').map(row => row.id),
            };
        }
        return changes;
    }

    /**
     * Marks rows as synced, except those that were edited since they were fetched and those that the server refused.
     */
    markSynced(changes, rejected) {
        for (const [name, bucket] of Object.entries(changes)) {
            const refused = new Set(rejected?.[name] ?? []);
            for (const sent of [...bucket.created, ...bucket.updated]) {
                const row = this.table(name).get(sent.id);
                if (refused.has(sent.id) || !row || !areEqual(row, sent)) continue;
                this.table(name).set(sent.id, { ...row, _status: 'synced', _changed: '' });
            }
            for (const id of bucket.deleted) if (!refused.has(id)) this.table(name).delete(id);
        }
    }

    /** Only the columns of the schema, each with its type. */
    sanitized(name, row) {
        if (!this.schema) return { ...row };
        const sane = { id: row.id };
        for (const [column, rule] of Object.entries(this.schema[name])) sane[column] = sanitized(row[column], rule);
        return sane;
    }
}

export const areEqual = (one, other) => {
    const columns = Object.keys(one);
    return columns.length === Object.keys(other).length && columns.every(column => one[column] === other[column]);
};

function sanitized(value, { type, isOptional }) {
    switch (type) {
    case 'string': return typeof value === 'string' ? value : isOptional ? null : '';
    case 'number': return Number.isFinite(value) ? value : isOptional ? null : 0;
    case 'boolean':
        if (typeof value === 'boolean') return value;
        if (value === 1 || value === 0) return value === 1;
        return isOptional ? null : false;
    default: throw new Error(`no type ${type}`);
    }
}
