import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { PLANTS } from './support/plants.js';
import { World } from './support/world.js';

// The random runs must catch each of these mistakes.

const MOST_RUNS = 40;
let server, alice;

before(async () => {
    server = await Server.start({ TIDEMARK_SYNC_PULL_PAGE_SIZE: '5' });
    alice = await server.user('alice');
});
after(() => server.stop());

for (const [mistake, { plant, mix }] of Object.entries(PLANTS)) {
    test(`it is caught when ${mistake}`, async () => {
        const undo = plant();
        try {
            for (let seed = 1; seed <= MOST_RUNS; seed++) {
                const isCaught = await new World(seed, { server, alice, mix }).run().then(() => false, () => true);
                if (isCaught) return;
            }
            assert.fail(`${MOST_RUNS} runs have not caught it.`);
        } finally {
            undo();
        }
    });
}
