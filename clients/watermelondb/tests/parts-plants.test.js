import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHousehold } from './support/household.js';
import { PLANTS } from './support/part-plants.js';
import { PartRun } from './support/part-run.js';

// The random runs with parts must catch each of these mistakes.

const MOST_RUNS = 15;
let household, bobsID;

before(async () => {
    household = await startHousehold();
    bobsID = (await household.server.api(household.bob, 'GET', '/auth/me/')).id;
});
after(() => household.server.stop());

for (const [mistake, { plant, mix }] of Object.entries(PLANTS)) {
    test(`it is caught when ${mistake}`, async t => {
        const undo = plant();
        try {
            for (let seed = 1; seed <= MOST_RUNS; seed++) {
                const run = new PartRun(seed, { ...household, bobsID, mix });
                const caught = await run.run(30).then(() => null, error => error);
                if (!caught) continue;
                t.diagnostic(`by seed ${seed}: ${caught.message.split('\n')[0].slice(0, 200)}`);
                return;
            }
            assert.fail(`${MOST_RUNS} runs have not caught it.`);
        } finally {
            undo();
        }
    });
}
