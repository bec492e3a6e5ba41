import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { seeds } from './support/random.js';
import { World } from './support/world.js';

// Random runs against a real server. SEED=… repeats a run, STEPS=… makes it longer.

const STEPS = Number(process.env.STEPS ?? 30);
const total = {};
let server, alice;

before(async () => {
    server = await Server.start({ TIDEMARK_SYNC_PULL_PAGE_SIZE: '5' });
    alice = await server.user('alice');
});
after(() => server.stop());

for (const seed of seeds(1, 2, 3, 4, 5, 6)) {
    test(`all copies are equal in the end, and no edit is lost unseen, seed ${seed}`, async () => {
        const world = new World(seed, { server, alice, steps: STEPS });
        await world.run();
        for (const [name, count] of Object.entries(world.counts)) total[name] = (total[name] ?? 0) + count;
    });
}

for (const seed of seeds(1, 2, 3)) {
    test(`all copies are equal in the end, whatever backups are restored, seed ${seed}`, async () => {
        const world = new World(seed, { server, alice, steps: STEPS, mix: { others: 'rrtpadeebbbb' } });
        await world.run();
        total.restored += world.counts.restored;
    });
}

for (const seed of seeds(1, 2, 3)) {
    test(`edits of different fields are merged, whatever happens, seed ${seed}`, async () => {
        await new World(seed, { server, alice, steps: STEPS, onConflict: 'merge' }).run();
    });
}

test('enough happened in the random runs', { skip: Boolean(process.env.SEED) }, () => {
    assert.ok(Object.values(total).every(count => count > 0), JSON.stringify(total));
});
