import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { openIn, until } from './support/open.js';

// Named parts against a real server.

let server, alice, bob, bobs;

before(async () => {
    server = await Server.start();
    alice = await server.user('alice');
    bob = await server.user('bob');
    bobs = (await server.api(bob, 'GET', '/auth/me/')).id;
});
after(() => server.stop());

const MINE = { tasks: [{ assignee: '@me' }] };
const ids = async (client, collection = 'tasks') => (await client.rows(collection)).map(({ id }) => id).join();
const patch = (task, values) => server.api(alice, 'PATCH', `/tasks/${task}/`, values);

/** A project with bob in it. */
async function plan(tasks = {}) {
    const project = await server.project(alice);
    await server.member(project, 'bob', 'member');
    for (const [name, values] of Object.entries(tasks)) {
        await server.task(alice, project, { id: `${name}-${project}`, name, ...values });
    }
    const id = name => `${name}-${project}`;
    return { project, id, ids: (...names) => names.map(id).join() };
}

/** A copy of bob's with these parts, after its first sync. `requests` are the queries of its pulls. */
async function phone(parts, { browser = new Browser(), ...options } = {}) {
    const tab = browser.tab();
    const requests = [];
    const note = (address, init) => {
        const { pathname, searchParams } = new URL(address);
        if (/\/sync\/$/.test(pathname) && init.method === 'GET') requests.push(Object.fromEntries(searchParams));
        return (options.via ?? fetch)(address, init);
    };
    const client = await openIn(tab, server, { ...options, fetch: tab.fetch(note) });
    for (const [name, part] of Object.entries(parts)) await client.parts.add(name, ...[part].flat());
    if (!client.state.isSignedIn) await client.signIn({ token: bob });
    await client.sync();
    return { client, requests, tab, browser };
}

/** What a fresh copy with the same parts has is what this one has. */
async function assertFresh(client, parts, options = {}) {
    const { client: fresh } = await phone(parts, options);
    const { collections } = await client.schema();
    for (const { title } of collections) assert.deepEqual(await client.rows(title), await fresh.rows(title), title);
    await fresh.close();
}

test('the foreman\'s phone has her tasks, those of the sprints under way, and what begins this month', async () => {
    const { project, id, ids: named } = await plan();
    const dates = { start_date: '2026-11-02', finish_date: '2026-11-13' };
    const sprint = await server.api(alice, 'POST', `/projects/${project}/sprints/`, { name: 'One', ...dates });
    const tasks = {
        mine: { assignee: bobs }, sprinted: { sprint: sprint.id }, november: { planned_start: '2026-11-12' },
        other: {}, later: { planned_start: '2026-12-02' },
    };
    for (const [name, values] of Object.entries(tasks)) {
        await server.task(alice, project, { id: id(name), name, ...values });
    }
    let [from, until] = ['2026-11-01', '2026-11-30'];
    const parts = {
        mine: MINE, sprints: { tasks: [{ sprint: sprint.id }] },
        month: () => ({ tasks: [{ planned_start: { from, until } }] }),
    };
    const { client, requests } = await phone(parts, { project });
    assert.equal(await ids(client), named('mine', 'november', 'sprinted'));
    assert.equal(await ids(client, 'sprints'), sprint.id);
    await patch(id('other'), { assignee: bobs });
    await patch(id('mine'), { assignee: null });
    await client.sync();
    assert.equal(await ids(client), named('november', 'other', 'sprinted'));
    assert.equal(requests.at(-1).filter_was, 'same');
    [from, until] = ['2026-12-01', '2026-12-31'];
    await client.sync();
    assert.equal(await ids(client), named('later', 'other', 'sprinted'), 'the window rolls');
    assert.match(requests.at(-1).filter_was, /2026-11-01/);
    await assertFresh(client, parts, { project });
    assert.deepEqual((await client.parts.list()).map(({ name, isReady }) => [name, isReady]),
        [['mine', true], ['sprints', true], ['month', true]]);
    await client.close();
});

test('a row that is handed over with an unsent edit stays until the edit is answered, and may come back', async () => {
    const { project, id, ids: named } = await plan({ one: { assignee: bobs }, two: { assignee: bobs } });
    const { client } = await phone({ mine: MINE }, { project });
    await client.update('tasks', id('one'), { notes: 'Mine' });
    await client.update('tasks', id('two'), { notes: 'Mine' });
    await patch(id('one'), { assignee: null });
    await patch(id('two'), { assignee: null });
    const stop = client.onState(() => {});
    await client.sync();
    stop();
    assert.equal(await ids(client), '', 'both are answered, so they go');
    for (const name of ['one', 'two']) {
        assert.equal((await server.api(alice, 'GET', `/tasks/${id(name)}/`)).notes, 'Mine');
    }
    await patch(id('two'), { assignee: bobs });
    await client.sync();
    assert.equal(await ids(client), named('two'));
    assert.deepEqual([client.state.unsent, client.state.setAside], [0, 0]);
    await client.close();
});
