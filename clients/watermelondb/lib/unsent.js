import { sorted } from './changes.js';
import { TidemarkError } from './common/error.js';

/** Finds what is unsent in a local database. */
export class Unsent {
    constructor({ schemas }, localColumns = {}) {
        Object.assign(this, { schemas, localColumns });
    }

    /** The ids of rows with something unsent, by table: of the collections that the server has, or had once. */
    async run(synchronize, database, signal) {
        const collections = await this.schemas.collections(signal);
        const tables = new Set([...collections.keys(), ...await this.schemas.removed(signal)]);
        const all = await editsOf(synchronize, database);
        const found = {};
        for (const { collection, id } of sorted(all, tables, this.localColumns).edits) {
            (found[collection] ??= []).push(id);
        }
        return found;
    }
}

/** The unsent edits of a database, as WatermelonDB hands them over. */
export async function editsOf(synchronize, database) {
    const { lastPulledAt, changes } = await peek(synchronize, database);
    return lastPulledAt ? changes : newRows(database);
}

/** What is unsent in a database that was never pulled: all its rows are new. */
async function newRows(database) {
    const tables = Object.entries(database.collections.map).map(async ([name, collection]) =>
        [name, { created: await collection.query().unsafeFetchRaw(), updated: [], deleted: [] }]);
    return Object.fromEntries(await Promise.all(tables));
}

/** The watermark and the unsent edits of a database, by a `synchronize()` that changes nothing. */
export async function peek(synchronize, database) {
    const seen = { lastPulledAt: null, changes: {} };
    const stop = () => new TidemarkError('aborted', 'Nothing is to be synchronized.');
    const pullChanges = async ({ lastPulledAt }) => {
        seen.lastPulledAt = lastPulledAt;
        if (!lastPulledAt) throw stop();
        return { changes: {}, timestamp: lastPulledAt };
    };
    const pushChanges = async ({ changes }) => {
        seen.changes = changes;
        throw stop();
    };
    await synchronize({ database, sendCreatedAsUpdated: true, pullChanges, pushChanges }).catch(error => {
        if (!(error instanceof TidemarkError)) throw error;
    });
    return seen;
}
