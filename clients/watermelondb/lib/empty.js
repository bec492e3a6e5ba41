import { TidemarkError } from './error.js';

/**
 * Whether nothing was ever pulled into a database, and no row is in it: turbo inserts rows without a look at what is
 * there. `synchronize` itself is asked for the watermark, by a pull that comes to nothing.
 */
export async function isEmpty(synchronize, database) {
    let lastPulledAt;
    const pullChanges = async args => {
        lastPulledAt = args.lastPulledAt;
        throw new TidemarkError('aborted', 'This pull only looks.');
    };
    try {
        await synchronize({ database, pullChanges });
    } catch (error) {
        if (lastPulledAt === undefined) throw error;
    }
    if (lastPulledAt) return false;
    for (const collection of Object.values(database.collections?.map ?? {})) {
        if (await collection.query().fetchCount() > 0) return false;
    }
    return true;
}
