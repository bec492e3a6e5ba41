import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { openIn } from './support/open.js';

// A tab dies at a step of naming parts and of the drains to them, and another one goes on with other parts.
// STRIDE=1 takes every step, FIRST=… begins at another one.

const STRIDE = Number(process.env.STRIDE ?? 7);
const FIRST = Number(process.env.FIRST ?? 1 + Math.floor(Math.random() * STRIDE));
let server, alice;

before(async () => {
    server = await Server.start();
    alice = await server.user('alice');
});
after(() => server.stop());

const OF = status => ({ tasks: [{ status }] });
const STATUSES = ['REVIEW', 'ON_HOLD', 'BACKLOG'];

/** Opens the project in a tab. Pages go into the tables at once, so a drain that is cut leaves rows there. */
async function opened(tab, project) {
    const client = await openIn(tab, server, { project, pageSize: 1 });
    client._replica.mostKept = 0;
    if (!client.state.isSignedIn) await client.signIn({ token: alice });
    return client;
}

/** Whether the tab came as far as the step. */
async function die(tab, project, step) {
    const client = await opened(tab, project);
    await client.sync();
    tab.killAt(step);
    const work = (async () => {
        await client.parts.add('one', OF('REVIEW'));
        await client.sync();
        await client.update('tasks', `${project}-0`, { notes: 'Mine', status: 'BACKLOG' });
        await client.parts.update('one', OF('ON_HOLD'));
        await client.sync();
    })();
    return await Promise.race([work.then(() => false), tab.died.then(() => true)]);
}

const shown = async client => (await client.rows('tasks')).map(({ id, notes, server_version: version }) =>
    [id, notes, version]);

test(`a tab may die at any step of changing its parts, FIRST=${FIRST} STRIDE=${STRIDE}`, async () => {
    let pending = 0;
    for (let step = FIRST; ; step += STRIDE) {
        const project = await server.project(alice);
        for (const number of [0, 1, 2, 3, 4, 5]) {
            const task = { id: `${project}-${number}`, name: 'Old', status: STATUSES[number % 3] };
            await server.task(alice, project, task);
        }
        const browser = new Browser();
        const isDead = await die(browser.tab(), project, step);
        const client = await opened(browser.tab(), project);
        const { target } = await client._replica.state();
        pending += target !== null;
        const edited = await client.row('tasks', `${project}-0`);
        await client.parts.add('one', OF('BACKLOG'));
        await client.sync();
        const other = await opened(new Browser().tab(), project);
        await other.parts.add('one', OF('BACKLOG'));
        await other.sync();
        assert.deepEqual(await shown(client), await shown(other), `step ${step}`);
        const { notes } = await server.api(alice, 'GET', `/tasks/${project}-0/`);
        if (edited?.notes === 'Mine') assert.equal(notes, 'Mine', `step ${step}`);
        assert.equal(client.state.unsent, 0, `step ${step}`);
        await client.close();
        await other.close();
        if (isDead) continue;
        assert.ok(step > 150 && pending > 0, `There are only ${step} steps, ${pending} with a pending filter.`);
        return;
    }
});
