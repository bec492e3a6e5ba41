import { Server } from '../../../watermelondb/tests/support/server.js';
import { Campaign } from './campaign.js';

/** Small pages, and no limits that random runs would meet. */
const SETTINGS = {
    TIDEMARK_SYNC_PULL_PAGE_SIZE: '7', TIDEMARK_AUTH_LOGINS_PER_ADDRESS: '0', TIDEMARK_AUTH_REFRESHES_PER_ADDRESS: '0',
};

/** Runs a seed on a server of its own. Returns what happened, `{ counts, … }`; throws what is wrong. */
export async function runSeed(seed, options = {}) {
    const server = await Server.start(SETTINGS);
    try {
        const campaign = new Campaign(seed, { server, ...options });
        await campaign.run();
        return campaign.figures;
    } finally {
        await server.stop();
    }
}
