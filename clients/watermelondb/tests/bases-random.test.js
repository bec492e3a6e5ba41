import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeds } from '../../web/tests/support/random.js';
import { BaseRun } from './support/base-run.js';

// Whatever pulls bring, and wherever the app ends, each edit that is sent has the base that it was made on. SEED=…
// repeats runs; STEPS=… makes them longer.

const STEPS = Number(process.env.STEPS ?? 40);

/** What happens in a run besides the usual. */
const MIXES = {
    'as it comes': {},
    'the user edits while a pull is handed over': { late: 0.5, kills: 0, between: 0 },
    'the app is killed all the time': { kills: 0.1, between: 0.3 },
    'the server lacks a column': { unknown: 0.3 },
    'nothing goes wrong': {
        lost: 0, answers: 0, kills: 0, between: 0, restarts: 0, refused: 0, kept: 0, undone: 0, restores: 0,
    },
};

const known = seeds(1, 2, 3, 4, 5, 6, 7, 8, 9);
const total = {};

for (const [what, mix] of Object.entries(MIXES)) {
    for (const seed of known) {
        for (const project of ['p-1', null]) {
            const scope = project ? 'one project' : 'all projects';
            test(`edits have the bases that they were made on, ${what}, with ${scope}, seed ${seed}`, async () => {
                const counts = await new BaseRun(seed, { project, mix }).run(STEPS);
                for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
            });
        }
    }
}

test('enough happened in the random runs', { skip: known.length < 2 }, t => {
    t.diagnostic(JSON.stringify(total));
    assert.ok(Object.values(total).every(count => count > 0), JSON.stringify(total));
    assert.ok(total.old > 1000 && total.doubted < total.sent / 10, JSON.stringify(total));
});
