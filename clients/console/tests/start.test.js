import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../../web/tests/support/open.js';
import { hasChromium } from './support/devtools.js';
import { Front } from './support/front.js';
import { Plans } from './support/plans.js';

// The console on a network that goes while it starts.

const skip = hasChromium() ? false : 'there is no chromium';

/** Loses what is asked for a file. */
class LossyFront extends Front {
    _answer(question, answer) {
        if (!question.url.includes(this.lost)) return super._answer(question, answer);
        return question.socket.destroy();
    }
}

let plans, front;

before(async () => {
    if (skip) return;
    plans = await Plans.start();
    front = await LossyFront.start(plans.server);
});
after(async () => {
    if (skip) return;
    front.stop();
    await plans.stop();
});

// In this order: while a worker is being installed, which fails without the other file, Chromium asks for none.
for (const file of ['worker.js', 'lib/explain/page.js']) {
    test(`a console that does not get ${file} starts, and throws nothing`, { skip }, async () => {
        front.lost = file;
        const page = await plans.tools.page(front.url);
        await page.has('.sign-in');
        // Chromium itself writes of each request that was lost, before the page hears of it.
        const isOfChromium = text => /net::ERR_|^An unknown error occurred when fetching the script/.test(text);
        await until(() => page.troubles.some(isOfChromium), 'it was lost');
        await page.run('return new Promise(resolve => setTimeout(resolve, 300))');
        assert.deepEqual(page.troubles.filter(text => !isOfChromium(text)), []);
    });
}
