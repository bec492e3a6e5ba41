import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { PLANTS } from './support/part-plants.js';
import { PartWorld } from './support/part-world.js';

// The random runs of parts must catch each of these mistakes.

const MOST_RUNS = 40;
let server, alice;

before(async () => {
    server = await Server.start();
    alice = await server.user('alice');
});
after(() => server.stop());

for (const [mistake, { plant, mix, isUserWide = false }] of Object.entries(PLANTS)) {
    test(`it is caught when ${mistake}`, async () => {
        const undo = plant();
        try {
            for (let seed = 1; seed <= MOST_RUNS; seed++) {
                const world = new PartWorld(seed, { server, alice, mix, isUserWide });
                if (await world.run().then(() => false, () => true)) return;
            }
            assert.fail(`${MOST_RUNS} runs have not caught it.`);
        } finally {
            undo();
        }
    });
}
