import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Restless } from './support/restless.js';
import { Server } from './support/server.js';
import { PLANTS } from './support/settled-plants.js';

// The random runs must catch each of these mistakes.

const MOST_RUNS = 30;
let server, alice;

before(async () => {
    server = await Server.start();
    alice = await server.user('alice');
});
after(() => server.stop());

for (const [mistake, { plant, mix }] of Object.entries(PLANTS)) {
    test(`it is caught when ${mistake}`, async t => {
        const undo = plant();
        try {
            for (let seed = 1; seed <= MOST_RUNS; seed++) {
                const caught = await new Restless(seed, { server, alice, mix }).run().then(() => null, error => error);
                if (!caught) continue;
                t.diagnostic(`by seed ${seed}: ${caught.message.split('\n')[0]}`);
                return;
            }
            assert.fail(`${MOST_RUNS} runs have not caught it.`);
        } finally {
            undo();
        }
    });
}
