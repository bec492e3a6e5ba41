import { Server } from '../../../watermelondb/tests/support/server.js';
import { Campaign } from './campaign.js';
import { Stuck } from './tab.js';

/** Small pages, and no limits that random runs would meet. */
const SETTINGS = {
    TIDEMARK_SYNC_PULL_PAGE_SIZE: '7', TIDEMARK_AUTH_LOGINS_PER_ADDRESS: '0', TIDEMARK_AUTH_REFRESHES_PER_ADDRESS: '0',
};

/** A seed takes half a minute. One that takes longer than this, in milliseconds, is stuck. */
const LONGEST = 300_000;

/** Runs a seed on a server of its own. Returns what happened, `{ counts, … }`; throws what is wrong. */
export async function runSeed(seed, options = {}) {
    const server = await Server.start(SETTINGS);
    const campaign = new Campaign(seed, { server, ...options });
    try {
        await within(LONGEST, campaign.run(), `seed ${seed}`);
        return campaign.figures;
    } finally {
        await campaign.stop();
        await server.stop();
    }
}

function within(milliseconds, work, what) {
    let timer;
    const limit = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Stuck(`${what} has not ended in ${milliseconds / 1000} s`)), milliseconds);
    });
    return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
