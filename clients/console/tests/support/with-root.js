import { after, before } from 'node:test';
import { hasChromium } from './devtools.js';
import { Plans } from './plans.js';

/**
 * Before the tests of a file: a server with alice and the superuser root, and a tab where nobody has signed in. `begin`
 * is told `{ plans, page }`. Returns why the tests are skipped, or false.
 */
export function withRoot(begin) {
    const skip = hasChromium() ? false : 'there is no chromium';
    let plans;
    before(async () => {
        if (skip) return;
        plans = await Plans.start();
        await plans.user('alice');
        await plans.superuser('root');
        begin({ plans, page: await plans.page() });
    });
    after(() => skip || plans.stop());
    return skip;
}
