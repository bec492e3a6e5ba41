import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { seeds } from '../../web/tests/support/random.js';
import { PLANTS } from './campaign/plants.js';
import { runSeed } from './campaign/run.js';
import { hasChromium } from './support/devtools.js';
import { files } from './support/front.js';

// Two windows of a real browser and a phone: see campaign/campaign.js. SEED=… repeats a run; scripts/check-console
// --seeds N makes many.

const skip = hasChromium() ? false : 'there is no chromium';

test('what a plant replaces is in the file, so it is the mistake that is found', () => {
    const all = files();
    for (const [mistake, plant] of Object.entries(PLANTS)) {
        for (const [name, replaced] of Object.entries(plant)) {
            const content = readFileSync(all.get(name), 'utf8');
            for (const [text] of replaced) assert.ok(content.includes(text), `${mistake}: ${name} has no ${text}`);
        }
    }
});

for (const seed of seeds(3)) {
    test(`two windows and a phone are equal in the end, whatever is killed or cut, seed ${seed}`, { skip }, async t => {
        t.diagnostic(JSON.stringify(await runSeed(seed, { steps: 12 })));
    });
}
