import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHousehold } from './support/household.js';
import { PartRun } from './support/part-run.js';

// Random runs with named parts: support/part-run.js. SEED=… repeats a run; STEPS=… makes it longer.

const STEPS = Number(process.env.STEPS ?? 30);
const SEEDS = process.env.SEED ? [Number(process.env.SEED)] : [1, 2, Math.floor(Math.random() * 1e9)];

const total = {};
let household, bobsID;

before(async () => {
    household = await startHousehold();
    bobsID = (await household.server.api(household.bob, 'GET', '/auth/me/')).id;
});
after(() => household.server.stop());

for (const isUserWide of [false, true]) {
    for (const seed of SEEDS) {
        const what = isUserWide ? 'all projects' : 'one project';
        test(`phones with parts of ${what} end as fresh ones, seed ${seed}`, async t => {
            const run = new PartRun(seed, { ...household, bobsID, isUserWide });
            await run.run(STEPS);
            t.diagnostic(JSON.stringify(run.counts));
            for (const [name, count] of Object.entries(run.counts)) total[name] = (total[name] ?? 0) + count;
        });
    }
}

test('enough happened in the random runs', { skip: SEEDS.length < 2 }, () => {
    const { purges, wiped, ...others } = total;
    assert.ok(Object.values(others).every(count => count > 0), JSON.stringify(total));
});
