import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { PLANTS } from './support/bank-plants.js';
import { BankWorld } from './support/bank-world.js';
import { seeds } from './support/random.js';

// Random runs: whatever is shown is a state that was. SEED=… repeats a run, STEPS=… makes it longer.

const STEPS = Number(process.env.STEPS ?? 25);
const MOST_RUNS = 40;
let server, looks = 0, kills = 0;

before(async () => {
    server = await Server.start({ TIDEMARK_SYNC_PULL_PAGE_SIZE: '5' });
});
after(() => server.stop());

for (const seed of seeds(1, 2, 3, 4)) {
    test(`every look is at a state that was, and none is taken back, seed ${seed}`, async () => {
        const world = new BankWorld(seed, { server, steps: STEPS });
        await world.run();
        looks += world.looks;
        kills += world.counts.kills;
    });
}

test('enough happened in the random runs', { skip: Boolean(process.env.SEED) }, () => {
    assert.ok(looks > 200 && kills > 5, `${looks} looks, ${kills} kills`);
});

for (const [mistake, { plant, mix }] of Object.entries(PLANTS)) {
    test(`it is caught when ${mistake}`, { skip: Boolean(process.env.SEED) }, async () => {
        const undo = plant();
        try {
            for (let seed = 1; seed <= MOST_RUNS; seed++) {
                const run = new BankWorld(seed, { server, steps: STEPS, mix }).run();
                if (await run.then(() => false, () => true)) return;
            }
            assert.fail(`${MOST_RUNS} runs have not caught it.`);
        } finally {
            undo();
        }
    });
}
