import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { PartWorld } from './support/part-world.js';
import { seeds } from './support/random.js';

// Random runs of parts that change, against a real server. SEED=… repeats a run, STEPS=… makes it longer.

const STEPS = Number(process.env.STEPS ?? 40);
const total = {};
let server, alice;

before(async () => {
    server = await Server.start();
    alice = await server.user('alice');
});
after(() => server.stop());

for (const isUserWide of [false, true]) {
    for (const seed of seeds(1, 2, 3, 4)) {
        test(`a copy of ${isUserWide ? 'all projects' : 'one project'} holds its parts, seed ${seed}`, async () => {
            const world = new PartWorld(seed, { server, alice, steps: STEPS, isUserWide });
            await world.run();
            for (const [name, count] of Object.entries(world.counts)) total[name] = (total[name] ?? 0) + count;
        });
    }
}

test('enough happened in the random runs', { skip: Boolean(process.env.SEED) }, () => {
    const counts = Object.entries(total).filter(([name]) => !['restored'].includes(name));
    assert.ok(counts.every(([, count]) => count > 0), JSON.stringify(total));
});
