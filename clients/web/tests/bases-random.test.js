import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLANTS } from './support/base-plants.js';
import { BaseWorld } from './support/base-world.js';
import { seeds } from './support/random.js';

// Random runs: each field is sent with the version that its oldest unsent edit was made on, and a server that merges by
// these loses and doubles nothing. SEED=… repeats a run, STEPS=… makes it longer.

const STEPS = Number(process.env.STEPS ?? 80);
const MOST_RUNS = 40;
const total = {};

for (const seed of seeds(1, 2, 3, 4, 5, 6, 7, 8)) {
    test(`each field has the base that was shown, and counters are sums, seed ${seed}`, async () => {
        const world = new BaseWorld(seed, { steps: STEPS });
        await world.run();
        for (const [name, count] of Object.entries(world.counts)) total[name] = (total[name] ?? 0) + count;
    });
}

test('enough happened in the random runs', { skip: Boolean(process.env.SEED) }, () => {
    assert.ok(Object.values(total).every(count => count > 5), JSON.stringify(total));
});

for (const [mistake, plant] of Object.entries(PLANTS)) {
    test(`it is caught when ${mistake}`, { skip: Boolean(process.env.SEED) }, async () => {
        const undo = plant();
        try {
            for (let seed = 1; seed <= MOST_RUNS; seed++) {
                const run = new BaseWorld(seed, { steps: STEPS }).run();
                if (await run.then(() => false, () => true)) return;
            }
            assert.fail(`${MOST_RUNS} runs have not caught it.`);
        } finally {
            undo();
        }
    });
}

test('a tab may die at any step of edits that are answered and pulled between', async () => {
    for (let step = 1; ; step++) {
        const world = new BaseWorld(step, { steps: 0, mix: { loss: Infinity, lossUp: Infinity, between: Infinity } });
        await world.run();
        const [device] = world.devices;
        device.tab.killAt(step);
        for (const act of 'eoseoesoees') {
            if (act === 'e') await world.edit(device);
            else if (act === 's') await world.sync(device);
            else world.others('a');
        }
        await world.check();
        if (world.counts.kills > 0) continue;
        assert.ok(step > 100, `There are only ${step} steps.`);
        return;
    }
});
