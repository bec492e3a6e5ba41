import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeds } from '../../web/tests/support/random.js';
import { FileRun } from './support/file-run.js';

// An app that dies at any step, and a network that loses requests and answers: what was added comes to the server, once,
// and nothing is left over. SEED=… repeats runs; STEPS=… makes them longer.

const STEPS = Number(process.env.STEPS ?? 30);

/** What happens in a run besides the usual. */
const MIXES = {
    'as it comes': {},
    'the app is killed all the time': { mix: { kills: 0.03 } },
    'nothing gets through at once': { mix: { requests: 0.2, answers: 0.2, cuts: 0.6, busy: 0.1 } },
    'the server is restored': { mix: { restores: 0.3 } },
    'the quota comes and goes': { mix: { refusals: 0.3 } },
    'the cache is small': { mix: { restores: 0, garbled: 0.5, rows: 1 }, cacheBytes: 200_000 },
    'files are read ahead': { mix: { restores: 0, garbled: 0.3, rows: 1 }, cacheBytes: 600_000, keep: () => true },
    'the platform has no SHA-256': { mix: {}, isNative: false },
    'nothing goes wrong': {
        mix: { kills: 0, requests: 0, answers: 0, cuts: 0, busy: 0, forgets: 0, restores: 0, garbled: 0 },
    },
};

const known = seeds(1, 2, 3, 4, 5, 6, 7, 8);
const total = {};

for (const [what, options] of Object.entries(MIXES)) {
    for (const seed of known) {
        test(`files come to the server, ${what}, seed ${seed}`, async () => {
            const counts = await new FileRun(seed, options).run(STEPS);
            for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
        });
    }
}

test('enough happened in the random runs', { skip: known.length < 2 }, t => {
    t.diagnostic(JSON.stringify(total));
    assert.ok(Object.values(total).every(count => count > 0), JSON.stringify(total));
});
