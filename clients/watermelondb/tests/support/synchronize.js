import { areEqual } from './standin.js';

/** The stand-in for WatermelonDB's function with this name. */
export async function synchronize({
    database, pullChanges, pushChanges, sendCreatedAsUpdated = false, migrationsEnabledAtVersion, onDidPullChanges,
    unsafeTurbo = false, conflictResolver = null,
}) {
    const lastPulledAt = database.lastPulledAt;
    const { migration, savesVersion } = migrationOf(database, lastPulledAt, migrationsEnabledAtVersion);
    if (unsafeTurbo && lastPulledAt !== null) throw new Error('unsafeTurbo can only be used as the first sync');
    const pulled = await pullChanges({ lastPulledAt, schemaVersion: database.version, migration });
    const { changes, ...rest } = unsafeTurbo ? turbo(database, pulled) : pulled;
    const { timestamp } = rest;
    if (!unsafeTurbo) count(changes);
    if (!(typeof timestamp === 'number' && timestamp > 0)) {
        throw new Error(`pullChanges() returned invalid timestamp ${timestamp}. timestamp must be a non-zero number`);
    }
    if (database.lastPulledAt !== lastPulledAt) throw new Error('Concurrent synchronization is not allowed');
    if (!unsafeTurbo) apply(database, changes, pulled.experimentalStrategy, { sendCreatedAsUpdated, conflictResolver });
    onDidPullChanges?.(rest);
    // Rows and watermark are stored in two writes. A pull without tables changes neither.
    if (Object.keys(changes ?? {}).length && database.isKilled?.()) throw new Error('The app was killed between the two writes');
    database.lastPulledAt = timestamp;
    if (savesVersion) database.pulledVersion = database.version;
    if (pushChanges) await push(database, pushChanges);
}

async function push(database, pushChanges) {
    const changes = database.localChanges();
    const isEmpty = Object.values(changes).every(({ created, updated, deleted }) =>
        !created.length && !updated.length && !deleted.length);
    if (isEmpty) return;
    const fetched = JSON.stringify(changes);
    const answer = await pushChanges({ changes, lastPulledAt: database.lastPulledAt });
    // Rows that were mutated differ from the records, so they would never be marked as synced.
    if (JSON.stringify(changes) !== fetched) throw new Error('pushChanges changed its argument');
    const rejected = answer?.experimentalRejectedIds;
    for (const ids of Object.values(isPlain(rejected) ? rejected : {})) ids.includes('');
    database.markSynced(changes, isPlain(rejected) ? rejected : null);
}

const isPlain = value => value !== null && typeof value === 'object' && !Array.isArray(value);

function migrationOf(database, lastPulledAt, enabledAt) {
    const isFirst = lastPulledAt === null;
    const from = database.pulledVersion ?? enabledAt ?? 0;
    const isDue = Boolean(enabledAt) && from < database.version && !isFirst;
    if (!isDue) return { migration: null, savesVersion: isFirst };
    const steps = database.migrations.filter(({ toVersion }) => toVersion > from && toVersion <= database.version);
    const tables = steps.flatMap(step => step.tables ?? []);
    const columns = steps.flatMap(step => step.columns ?? []);
    return { migration: { from, tables, columns }, savesVersion: true };
}

/** Counts rows before unknown tables are left out. A bucket without its lists is a TypeError in any table. */
function count(changes) {
    for (const bucket of Object.values(changes ?? {})) {
        if (bucket.created.length + bucket.updated.length + bucket.deleted.length < 0) throw new Error('never');
    }
}

/** One transaction: everything is first computed on copies of the tables. */
function apply(database, changes, strategy, options) {
    const served = Object.entries(changes ?? {}).filter(([name]) => database.hasTable(name));
    const results = served.map(([name, bucket]) =>
        [name, new TableUpdate(database, name, options).run(bucket, strategyOf(strategy, name))]);
    for (const [name, rows] of results) {
        const table = database.table(name);
        table.clear();
        for (const [id, row] of rows) table.set(id, row);
    }
}

function strategyOf(strategy, name) {
    const chosen = !strategy ? 'incremental' : typeof strategy === 'string' ? strategy
        : strategy.override[name] ?? strategy.default;
    if (!['incremental', 'replacement'].includes(chosen)) throw new Error('[Sync] Invalid pull strategy');
    return chosen;
}

/** Applies a pull to one table. */
class TableUpdate {
    /** Ids with a change prepared in this pull. A second change fails and leaves the record stuck. */
    prepared = new Set();

    constructor(database, name, { sendCreatedAsUpdated, conflictResolver }) {
        Object.assign(this, { database, name, sendCreatedAsUpdated, conflictResolver });
        this.before = database.table(name);
        this.after = new Map(this.before);
    }

    run({ created, updated, deleted }, strategy) {
        if (this.sendCreatedAsUpdated && created.length) this.error('rows in created with sendCreatedAsUpdated');
        const isNamed = new Set([...created, ...updated].map(row => row?.id));
        for (const raw of created) this.put(raw, true);
        for (const raw of updated) this.put(raw, false);
        for (const id of deleted) this.destroy(id);
        if (strategy === 'replacement') {
            for (const [id, row] of this.before) if (!isNamed.has(id) && row._status !== 'created') this.destroy(id);
        }
        return this.after;
    }

    put(raw, isCreated) {
        const isRow = raw && typeof raw === 'object' && 'id' in raw && !('_status' in raw) && !('_changed' in raw);
        if (!isRow || Object.hasOwn(raw, '__proto__')) throw new Error('[Sync] Invalid raw record supplied to Sync');
        // The real client makes up an id, so every pull duplicates the row.
        if (typeof raw.id !== 'string' || raw.id === '') throw new Error(`${this.name}: the id ${raw.id}`);
        const mine = this.before.get(raw.id);
        if (!mine || (mine._status === 'deleted' && isCreated)) return this.insert(raw, mine, isCreated);
        if (mine._status === 'deleted') return;
        this.prepare(raw.id);
        if (isCreated) this.error(`${raw.id} was to be created and is here`);
        const row = merged({ ...mine, ...raw }, mine);
        // The resolver may decide everything, WatermelonDB's own columns included.
        const { _status, _changed, ...values } = this.conflictResolver?.(this.name, { ...mine }, raw, row) ?? row;
        const resolved = { ...this.database.sanitized(this.name, values), _status, _changed };
        if (!areEqual(resolved, mine)) this.after.set(raw.id, resolved);
    }

    insert(raw, mine, isCreated) {
        if (mine) this.error(`${raw.id} was to be created and is deleted here`);
        else if (!isCreated && !this.sendCreatedAsUpdated) this.error(`${raw.id} was to be updated and is not here`);
        if (this.prepared.has(raw.id)) throw new Error(`UNIQUE constraint failed: ${this.name}.id`);
        this.prepared.add(raw.id);
        this.after.set(raw.id, { ...this.database.sanitized(this.name, raw), _status: 'synced', _changed: '' });
    }

    destroy(id) {
        // A row that came in the same pull stays, and nothing ever removes it.
        const mine = this.before.get(id);
        if (!mine) return;
        if (this.prepared.has(id)) {
            this.database.stuck.add(`${this.name}/${id}`);
            throw new Error(`Cannot destroy permanently record with pending changes (${this.name} ${id})`);
        }
        this.after.delete(id);
    }

    prepare(id) {
        this.database.touch(this.name, id);
        if (this.prepared.has(id)) {
            this.database.stuck.add(`${this.name}/${id}`);
            throw new Error(`Cannot update a record with pending changes (${this.name} ${id})`);
        }
        this.prepared.add(id);
    }

    error(what) {
        this.database.errors.push(`${this.name}: ${what}`);
    }
}

/** Merges two rows. Columns that were edited here win and stay unsent. */
function merged(theirs, mine) {
    const row = { ...theirs, _status: mine._status, _changed: mine._changed };
    for (const column of mine._changed.split(',').filter(Boolean)) row[column] = mine[column];
    return row;
}

/** The native loader: only inserts, from one document, no deletions. Returns everything except `changes`. */
function turbo(database, { syncJson }) {
    if (typeof syncJson !== 'string') throw new Error('missing syncJson/syncJsonId');
    const { changes, ...rest } = JSON.parse(syncJson);
    for (const [name, bucket] of Object.entries(changes)) {
        const isKnown = key => ['created', 'updated', 'deleted'].includes(key);
        if (!Object.keys(bucket).every(isKnown)) throw new Error('bad changeset field');
        if (bucket.deleted.length) throw new Error('expected deleted field to be empty');
        if (!database.hasTable(name)) continue;
        for (const raw of [...bucket.created, ...bucket.updated]) {
            if (database.table(name).has(raw.id)) throw new Error(`UNIQUE constraint failed: ${name}.id`);
            database.table(name).set(raw.id, { ...database.sanitized(name, raw), _status: 'synced', _changed: '' });
        }
    }
    return rest;
}
