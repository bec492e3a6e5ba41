import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seeds } from '../../web/tests/support/random.js';
import { Restless } from './support/restless.js';
import { Server } from './support/server.js';

// Whatever is written between any two requests of a phone, and whatever the way to the server does, what the phone
// shows as settled was there at its commit. SEED=… repeats runs.

/** What happens in a run, and what it has to bring out. */
const MIXES = {
    'somebody writes': [{ writes: 0.8 }, ['rounds', 'streams']],
    'a proxy drops the header': [{ headless: 1 }, ['rounds', 'headless']],
    'a proxy drops some headers': [{ headless: 0.5 }, ['headless']],
    'streams are refused': [{ writes: 1, refusals: 1 }, ['refused', 'unsettled']],
    'tombstones are purged': [{ purges: 0.3, writes: 0.8, projects: 2 }, ['purges', 'dropped']],
    'the server is restored': [{ restores: 0.1, projects: 2 }, ['restores', 'dropped']],
    'projects come and go': [{ losses: 0.3, projects: 4 }, ['told', 'rounds']],
};

let server, alice;

before(async () => {
    server = await Server.start();
    alice = await server.user('alice');
});
after(() => server.stop());

const known = seeds(5, 6);

for (const [what, [mix, brings]] of Object.entries(MIXES)) {
    const total = {};

    for (const seed of known) {
        test(`a settled state was there while ${what}, seed ${seed}`, async () => {
            const counts = await new Restless(seed, { server, alice, mix }).run();
            for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
        });
    }

    test(`it happened while ${what}`, { skip: known.length < 2 }, t => {
        t.diagnostic(JSON.stringify(total));
        for (const name of ['settled', ...brings]) assert.ok(total[name] > 0, `${name} in ${JSON.stringify(total)}`);
    });
}
