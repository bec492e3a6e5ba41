import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { seeds } from '../../web/tests/support/random.js';
import { UndoWorld } from './support/undo-world.js';

// Random steps, undo and redo against another writer. SEED=… repeats a run, STEPS=… makes it longer.

const STEPS = Number(process.env.STEPS ?? 60);
const total = {};
let server, tokens;

before(async () => {
    server = await Server.start();
    tokens = { alice: await server.user('alice'), bob: await server.user('bob') };
});
after(() => server.stop());

for (const seed of seeds(1, 2, 3)) {
    test(`undo takes back one's own edits only, seed ${seed}`, async () => {
        const world = new UndoWorld(seed, { server, ...tokens });
        await world.run(STEPS);
        for (const [name, count] of Object.entries(world.counts)) total[name] = (total[name] ?? 0) + count;
    });
}

test('enough happened in the random runs', { skip: Boolean(process.env.SEED) }, () => {
    assert.ok(Object.values(total).every(count => count > 0), JSON.stringify(total));
});
