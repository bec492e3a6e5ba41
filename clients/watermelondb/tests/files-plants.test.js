import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLANTS } from './support/file-plants.js';
import { FileRun } from './support/file-run.js';

// The random runs must catch each of these mistakes.

const MOST_RUNS = 40;

for (const [mistake, { plant, options }] of Object.entries(PLANTS)) {
    test(`it is caught when ${mistake}`, async t => {
        const undo = plant();
        try {
            for (let seed = 1; seed <= MOST_RUNS; seed++) {
                const caught = await new FileRun(seed, options).run().then(() => null, error => error);
                if (!caught) continue;
                t.diagnostic(`by seed ${seed}: ${caught.message.split('\n')[0]}`);
                return;
            }
            assert.fail(`${MOST_RUNS} runs have not caught it.`);
        } finally {
            undo();
        }
    });
}
