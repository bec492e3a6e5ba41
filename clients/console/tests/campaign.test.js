import { test } from 'node:test';
import { seeds } from '../../web/tests/support/random.js';
import { runSeed } from './campaign/run.js';
import { hasChromium } from './support/devtools.js';

// Two windows of a real browser and a phone: see campaign/campaign.js. SEED=… repeats a run; scripts/check-console
// --seeds N makes many.

const skip = hasChromium() ? false : 'there is no chromium';

for (const seed of seeds(3)) {
    test(`two windows and a phone are equal in the end, whatever is killed or cut, seed ${seed}`, { skip }, async t => {
        t.diagnostic(JSON.stringify(await runSeed(seed, { steps: 12 })));
    });
}
