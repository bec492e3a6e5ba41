import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { audit } from './support/audit.js';
import { hasChromium } from './support/devtools.js';
import { Plans } from './support/plans.js';

// What the page Now says of the server before all figures.

const skip = hasChromium() ? false : 'there is no chromium';
let plans;
after(() => plans?.stop());

/** Opens the page on a server with these settings. Returns the verdict's heading, class and items. */
async function verdict(settings) {
    await plans?.stop();
    plans = await Plans.start(settings);
    await plans.superuser('root');
    const page = await plans.page();
    await plans.signIn(page, 'root');
    await page.open(`${plans.front.url}#/now`);
    await page.has('.verdict');
    assert.deepEqual(await page.run(audit()), []);
    return page.run(`
        const found = document.querySelector('.verdict');
        return { heading: found.querySelector('h2').textContent, kind: found.className,
            causes: [...found.querySelectorAll('li')].map(({ textContent }) => textContent) };`);
}

test('a server without causes works', { skip }, async () => {
    const shown = await verdict({ TIDEMARK_DISK_LOW_MB: '0' });
    assert.deepEqual(shown, { heading: 'Everything works.', kind: 'verdict well', causes: [] });
});

test('a cause is told with its meaning, what to do, and since when', { skip }, async () => {
    // No disk has so much room.
    const shown = await verdict({ TIDEMARK_DISK_LOW_MB: '1073741824' });
    assert.equal(shown.heading, 'Everything works. Something needs you soon.');
    assert.equal(shown.kind, 'verdict soon');
    assert.equal(shown.causes.length, 1);
    assert.match(shown.causes[0], /^The disk of the database, .*, has \d+ MiB left\. Make room, .* Since .+\.$/);
});
