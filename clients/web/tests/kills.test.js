import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Bank } from './support/bank.js';
import { Browser } from './support/browser.js';
import { openIn, syncedIn } from './support/open.js';

// A tab dies at a step of its storage or its network, and another one goes on.
// STRIDE=1 takes every step, FIRST=… begins at another one.

const STRIDE = Number(process.env.STRIDE ?? 5);
const FIRST = Number(process.env.FIRST ?? 1 + Math.floor(Math.random() * STRIDE));
let server, alice;

before(async () => {
    server = await Server.start();
    alice = await server.user('alice');
});
after(() => server.stop());

/** A tab that has everything, and dies at a step of edits and a sync. Returns whether it came that far. */
async function die(tab, project, step, options) {
    const client = await syncedIn(tab, server, { token: alice, ...options });
    tab.killAt(step);
    const work = (async () => {
        const parent = `${project}-0`;
        await client.insert('tasks', { id: `${project}-made`, project_id: project, name: 'Made', parent });
        await client.update('tasks', `${project}-0`, { name: 'Renamed' });
        await client.delete('tasks', `${project}-1`);
        await client.sync();
    })();
    return await Promise.race([work.then(() => false), tab.died.then(() => true)]);
}

for (const form of ['all projects', 'one project']) {
    test(`a tab that has ${form} may die at any step, FIRST=${FIRST} STRIDE=${STRIDE}`, async () => {
        for (let step = FIRST; ; step += STRIDE) {
            const project = await server.project(alice);
            for (const number of [0, 1, 2]) {
                await server.task(alice, project, { id: `${project}-${number}`, name: 'Old' });
            }
            const options = { pageSize: 3, batchRows: 2, project: form === 'one project' ? project : null };
            const browser = new Browser();
            const isDead = await die(browser.tab(), project, step, options);
            await check(browser, project, options, `step ${step} with ${form}`);
            await server.api(alice, 'DELETE', `/projects/${project}/`);
            if (isDead) continue;
            assert.ok(step > 150, `There are only ${step} steps.`);
            return;
        }
    });
}

/** The next tab sends what was stored, once, and has what the server has. */
async function check(browser, project, options, label) {
    const client = await openIn(browser.tab(), server, options);
    const [made, edited] = [await client.row('tasks', `${project}-made`), await client.row('tasks', `${project}-0`)];
    await client.sync();
    const { results } = await server.api(alice, 'GET', `/projects/${project}/tasks/?limit=500`);
    const rows = new Map(results.map(row => [row.id, row]));
    if (made) assert.equal(rows.get(made.id)?.server_version, 1, label);
    if (edited.name === 'Renamed') assert.equal(rows.get(edited.id).server_version, 2, label);
    const shown = ({ id, name, server_version }) => [id, name, server_version];
    assert.deepEqual((await client.rows('tasks')).map(shown).sort(), results.map(shown).sort(), label);
    assert.equal(client.state.unsent, 0, label);
    await client.close();
}

for (const projects of [1, 2]) {
    test(`a tab may die at any step of a pull that is kept, ${projects} projects, FIRST=${FIRST} STRIDE=${STRIDE}`, async () => {
        const bank = await Bank.open(server, alice, { projects, tasks: 8 });
        const options = { pageSize: 3, project: projects === 1 ? bank.projects[0] : null };
        const browser = new Browser();
        const first = browser.tab();
        const client = await syncedIn(first, server, { token: alice, ...options });
        first.kill();
        let [seen, kept] = [0, 0];
        for (let step = FIRST; ; step += STRIDE) {
            for (let write = 0; write < 5; write++) await bank.move();
            const [isDead, hasKept] = await dieInPull(browser.tab(), bank, step, options);
            kept += hasKept;
            const next = browser.tab();
            const rows = await (await openIn(next, server, options)).rows('tasks');
            assert.equal(bank.wrong(rows), null, `step ${step}`);
            assert.ok(bank.newest(rows) >= seen, `step ${step}: it goes back`);
            seen = bank.newest(rows);
            next.kill();
            if (isDead) continue;
            assert.ok(step > 60 && kept > 3, `There are only ${step} steps, ${kept} with kept pages.`);
            return;
        }
    });
}

/** Dies at a step of a pull, into which others write. Returns whether it came that far, and what was kept before. */
async function dieInPull(tab, bank, step, options) {
    let answers = 0;
    const client = await openIn(tab, server, { ...options, fetch: tab.fetch(async (address, init) => {
        const answer = await fetch(address, init);
        if (address.includes('/sync/') && ++answers < 4) await bank.move();
        return answer;
    }) });
    const { progress } = client.state;
    tab.killAt(step);
    const isDead = await Promise.race([client.sync().then(() => false), tab.died.then(() => true)]);
    tab.kill();
    return [isDead, progress !== null];
}
