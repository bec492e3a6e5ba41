import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { seeds } from './support/random.js';
import { SharedDevice } from './support/shared-device.js';
import { PLANTS } from './support/user-plants.js';

// Random runs of two users of one browser. SEED=… repeats a run, STEPS=… makes it longer.

const STEPS = Number(process.env.STEPS ?? 40);
const MOST_RUNS = 20;
const total = {};
let server, alice;

before(async () => {
    server = await Server.start({ TIDEMARK_SYNC_PULL_PAGE_SIZE: '5' });
    alice = await server.user('alice');
});
after(() => server.stop());

for (const seed of seeds(1, 2, 3, 4, 5, 6)) {
    test(`what each has written arrives under their own name, whatever happens, seed ${seed}`, async () => {
        const device = new SharedDevice(seed, { server, alice, steps: STEPS });
        await device.run();
        for (const [name, count] of Object.entries(device.counts)) total[name] = (total[name] ?? 0) + count;
    });
}

test('enough happened in the random runs', { skip: Boolean(process.env.SEED) }, () => {
    assert.ok(Object.values(total).every(count => count > 0), JSON.stringify(total));
});

for (const [mistake, { plant, mix }] of Object.entries(PLANTS)) {
    test(`it is caught when ${mistake}`, { skip: Boolean(process.env.SEED) }, async () => {
        const undo = plant();
        try {
            for (let seed = 1; seed <= MOST_RUNS; seed++) {
                const run = new SharedDevice(seed, { server, alice, steps: STEPS, mix }).run();
                if (await run.then(() => false, () => true)) return;
            }
            assert.fail(`${MOST_RUNS} runs have not caught it.`);
        } finally {
            undo();
        }
    });
}
