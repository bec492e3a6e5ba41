import { TidemarkError } from './common/error.js';

/**
 * Whether a database has no rows and no pull ever reached it. Turbo needs this, since it inserts rows without checking
 * for existing ones. The watermark comes from `synchronize` itself, through a pull that is aborted.
 */
export async function isEmpty(synchronize, database) {
    let lastPulledAt;
    const pullChanges = async args => {
        lastPulledAt = args.lastPulledAt;
        throw new TidemarkError('aborted', 'This pull only reads the watermark.');
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
