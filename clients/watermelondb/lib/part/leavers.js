// Rows that left the part of a local database: ids by table. WatermelonDB has no word for it. In `deleted` it would
// destroy them with what is unsent, so they are removed here.

/** Rows destroyed in one writer. The app's own writers wait for it. */
const MOST = 500;

/**
 * The leavers after a pull was applied: those from before without the rows that it brings or deletes, those that it
 * names, and of the `replaced` tables all rows that are here and that it does not name.
 */
export async function leaversAfter(before, changes, { database, replaced = [] }) {
    const after = {};
    for (const name of new Set([...Object.keys(before), ...Object.keys(changes)])) {
        const { created = [], updated = [], deleted = [], left = [] } = changes[name] ?? {};
        const named = new Set([...created.map(idOf), ...updated.map(idOf), ...deleted]);
        const absent = replaced.includes(name) ? (await rowsOf(database, name)).filter(isKnown).map(idOf) : [];
        const ids = [...new Set([...before[name] ?? [], ...absent])].filter(id => !named.has(id));
        const all = [...new Set([...ids, ...left])];
        if (all.length) after[name] = all;
    }
    return after;
}

/** Destroys leavers. */
export class Sweep {
    constructor(database) {
        this.database = database;
    }

    /**
     * Destroys those that have no unsent edit, and returns the others. Whether a row has one is looked at in the writer
     * that destroys it: the app may edit it at any time.
     */
    async run(leavers) {
        const rest = {};
        for (const [name, ids] of Object.entries(leavers)) {
            const here = new Set((await rowsOf(this.database, name)).map(idOf));
            const found = ids.filter(id => here.has(id));
            const kept = [];
            for (let start = 0; start < found.length; start += MOST) {
                kept.push(...await this._destroy(name, found.slice(start, start + MOST)));
            }
            if (kept.length) rest[name] = kept;
        }
        return rest;
    }

    /** Destroys these rows, and returns the ids of those that stay. */
    _destroy(name, ids) {
        const { database } = this;
        return database.write(async () => {
            const records = [];
            // One after the other: a row that is gone by now throws.
            for (const id of ids) records.push(await database.collections.map[name].find(id).catch(() => null));
            const there = records.filter(Boolean);
            const clean = there.filter(record => this.isClean(record));
            if (clean.length) await database.batch(clean.map(record => record.prepareDestroyPermanently()));
            return there.filter(record => !clean.includes(record)).map(idOf);
        });
    }

    isClean({ _raw: { _status: status } }) {
        return status === 'synced';
    }
}

/** A row that is new here is not the server's: it can't have left. */
const isKnown = ({ _status: status }) => status !== 'created';

/** The rows of a table, without those that were deleted here. None if the app has no such table. */
async function rowsOf(database, name) {
    return await database.collections.map[name]?.query().unsafeFetchRaw() ?? [];
}

const idOf = ({ id }) => id;
