import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { PLANTS } from './support/index-plants.js';
import { IndexWorld } from './support/index-world.js';
import { syncedIn } from './support/open.js';
import { generator, seeds } from './support/random.js';

// Random runs of windows that name indexes and die at any step: no entry is left behind, and what is asked for is there.
// SEED=… repeats a run, STEPS=… makes it longer.

const STEPS = Number(process.env.STEPS ?? 25);
const MOST_RUNS = 20;
let server, alice, looks = 0, kills = 0;

// Not all windows name an index for what they ask.
console.warn = () => {};

before(async () => {
    server = await Server.start({ TIDEMARK_SYNC_PULL_PAGE_SIZE: '5' });
    alice = await server.user('alice');
});
after(() => server.stop());

for (const seed of seeds(1, 2, 3, 4)) {
    test(`rows have their entries, and questions their answers, whatever happens, seed ${seed}`, async () => {
        const world = new IndexWorld(seed, { server, alice, steps: STEPS });
        await world.run();
        looks += world.looks;
        kills += world.counts.kills;
    });
}

const TEXTS = [
    '', 'a', 'A', 'Z', 'ä', 'a b', '\uE000', '\uFFFD', '\u{1F600}', '\u{10FFFF}', 'a\uFFFD', 'a\u{1F600}', '\uD7FF',
    ...['b', 'a', ''].map(end => 'x'.repeat(128) + end), `${'\u{1F600}'.repeat(127)}y`, `${'\u{1F600}'.repeat(128)}z`,
];
const VALUES = {
    name: TEXTS.slice(1), notes: TEXTS, wbs_path: [null, '1', '1.10', '1.2', '\u{1F600}', '\uFFFD'],
    planned_start: [null, '2026-01-01', '2026-03-01'], duration: [0, 1, 2, 10], percent_complete: [0, 0.5, 20.25, 100],
    is_milestone: [true, false], total_float: [null, -3, 0, 7],
};
const SORTS = [
    ...Object.keys(VALUES).flatMap(name => [[name], [`-${name}`]]),
    ['wbs_path', '-name'], ['-is_milestone', 'duration', '-notes'],
];

for (const seed of seeds(1)) {
    test(`rows are in the order of the server's lists, with an index and without, seed ${seed}`, async () => {
        const random = generator(seed);
        const pick = list => list[Math.floor(random() * list.length)];
        const project = await server.project(alice);
        const row = number => ({ id: `${number % 7}-${seed}-${number}`, project_id: project,
            ...Object.fromEntries(Object.entries(VALUES).map(([name, values]) => [name, pick(values)])) });
        const created = Array.from({ length: 150 }, (_, number) => row(number));
        const changes = { tasks: { created, updated: [], deleted: [] } };
        await server.api(alice, 'POST', '/sync/', { client_batch_id: randomUUID(), last_pulled_at: 0, changes });
        const indexes = { tasks: SORTS.map(sort => ['project_id', ...sort]) };
        for (const options of [{ indexes }, {}]) {
            const client = await syncedIn(new Browser().tab(), server, { token: alice, project, ...options });
            for (const order of SORTS) {
                const list = `/projects/${project}/tasks/?limit=500&sort=${order}`;
                const expected = (await server.api(alice, 'GET', list)).results.map(({ id }) => id);
                for (const limit of [undefined, 20, 150]) {
                    const rows = await client.rows('tasks', { project, order, limit });
                    assert.deepEqual(rows.map(({ id }) => id), expected.slice(0, limit), `${order}, ${limit}`);
                }
            }
            await client.close();
        }
    });
}

test('enough happened in the random runs', { skip: Boolean(process.env.SEED) }, () => {
    assert.ok(looks > 80 && kills > 5, `${looks} looks, ${kills} kills`);
});

for (const [mistake, { plant, mix }] of Object.entries(PLANTS)) {
    test(`it is caught when ${mistake}`, { skip: Boolean(process.env.SEED) }, async () => {
        const undo = plant();
        try {
            for (let seed = 1; seed <= MOST_RUNS; seed++) {
                const run = new IndexWorld(seed, { server, alice, steps: STEPS, mix }).run();
                if (await run.then(() => false, () => true)) return;
            }
            assert.fail(`${MOST_RUNS} runs have not caught it.`);
        } finally {
            undo();
        }
    });
}
