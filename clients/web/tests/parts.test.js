import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { openIn, until } from './support/open.js';
import { sharedProject } from './support/scene.js';

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
    const project = await sharedProject({ server, alice });
    for (const [name, values] of Object.entries(tasks)) {
        await server.task(alice, project, { id: `${name}-${project}`, name, ...values });
    }
    const id = name => `${name}-${project}`;
    return { project, id, ids: (...names) => names.map(id).join() };
}

/** A copy of bob's with these parts, after its first sync. `requests` are the queries of its pulls. */
async function phone(parts, { browser = new Browser(), via = fetch, ...options } = {}) {
    const tab = browser.tab();
    const requests = [];
    const note = (address, init) => {
        const { pathname, searchParams } = new URL(address);
        if (/\/sync\/$/.test(pathname) && init.method === 'GET') requests.push(Object.fromEntries(searchParams));
        return via(address, init);
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

test('a project that is archived goes with its rows, but not with its edits, and comes back', async () => {
    const [one, two] = [await plan({ first: {}, second: {} }), await plan({ other: {} })];
    const parts = { open: { projects: [{ is_archived: false }] } };
    const { client } = await phone(parts);
    const lost = [];
    client.onLeft(each => lost.push(each));
    assert.ok((await ids(client)).includes(one.id('first')));
    await client.update('tasks', one.id('first'), { notes: 'Mine' });
    await server.api(alice, 'POST', `/projects/${one.project}/archive/`);
    await client.sync();
    assert.deepEqual((await client.rows('tasks', { project: one.project })).map(({ id, notes }) => [id, notes]),
        [[one.id('first'), 'Mine']], 'an archived project takes no edits, so this one waits');
    assert.deepEqual([client.state.setAside, client.state.refused.length, lost], [0, 1, []]);
    assert.ok((await ids(client)).includes(two.id('other')));
    await server.api(alice, 'POST', `/projects/${one.project}/unarchive/`);
    await client.sync();
    assert.equal((await client.rows('tasks', { project: one.project })).length, 2);
    assert.equal((await server.api(alice, 'GET', `/tasks/${one.id('first')}/`)).notes, 'Mine');
    assert.deepEqual([client.state.unsent, client.state.refused], [0, []]);
    await assertFresh(client, parts);
    await client.close();
});

test('a project that is made outside of all parts is sent, and leaves', async () => {
    const { project } = await plan({ one: {} });
    const { client } = await phone({ one: { projects: [project] } });
    await client.insert('projects', { id: `made-${project}`, name: 'Made', start_date: '2026-03-01' });
    await client.insert('tasks', { id: `in-${project}`, project_id: `made-${project}`, name: 'In it' });
    await client.sync();
    assert.deepEqual([await ids(client, 'projects'), client.state.unsent], [project, 0]);
    assert.equal((await server.api(bob, 'GET', `/tasks/in-${project}/`)).name, 'In it');
    await assertFresh(client, { one: { projects: [project] } });
    await client.close();
});

test('a removed part is kept for a while, and gives way to one that would not fit', async () => {
    const { project, ids: named } = await plan({ mine: { assignee: bobs }, low: { status: 'BACKLOG' }, none: {} });
    let now = 1_000_000;
    const { client } = await phone({ mine: MINE }, { project, now: () => now });
    const backlog = { tasks: [{ status: 'BACKLOG' }] };
    await client.parts.add('backlog', backlog, { keepHours: 2 });
    await client.sync();
    const both = await ids(client);
    assert.ok(both.includes('low'));
    await client.parts.remove('backlog');
    await client.sync();
    const [, { keepUntil, isReady }] = await client.parts.list();
    assert.deepEqual([await ids(client), keepUntil, isReady], [both, now + 7_200_000, true]);
    await assert.rejects(client.parts.remove('backlog'), { code: 'unknown_part' });
    now += 7_200_000;
    await client.sync();
    assert.deepEqual([await ids(client), (await client.parts.list()).length], [named('mine'), 1]);
    await client.parts.add('backlog', backlog, { keepHours: 2 });
    await client.parts.remove('backlog');
    const sprints = Array.from({ length: 7 }, (_, number) => ({ sprint: `s-${number}` }));
    await client.parts.add('sprints', { tasks: sprints });
    assert.deepEqual((await client.parts.list()).map(({ name }) => name), ['mine', 'sprints']);
    await assert.rejects(client.parts.add('more', backlog), /invalid_filter: .*has 9 alternatives with all parts/);
    const byName = client.parts.update('mine', { tasks: [{ name: 'x' }] });
    await assert.rejects(byName, /no field that tasks can be filtered by/);
    await client.parts.remove('sprints');
    await client.parts.remove('mine');
    await client.sync();
    assert.equal((await client.rows('tasks')).length, 3, 'without parts the copy has everything');
    await client.close();
});

test('a part is ready when the rows that are shown have it', async () => {
    const { project, id } = await plan({ mine: { assignee: bobs }, low: { status: 'BACKLOG' } });
    const { client } = await phone({ mine: MINE }, { project });
    await (await client.parts.add('again', MINE)).ready;
    const { ready } = await client.parts.add('low', { tasks: [{ status: 'BACKLOG' }] });
    let isReady = false;
    ready.then(() => { isReady = true; });
    await client.update('tasks', id('mine'), { notes: 'Something is stored' });
    assert.equal(isReady, false);
    await client.sync();
    await ready;
    const { ready: never } = await client.parts.add('never', { tasks: [{ status: 'REVIEW' }] });
    const { ready: closed } = await client.parts.add('closed', { tasks: [{ status: 'ON_HOLD' }] });
    await client.parts.remove('never');
    await client.update('tasks', id('mine'), { notes: 'And again' });
    await assert.rejects(never, { code: 'unknown_part' });
    await client.close();
    await assert.rejects(closed, { code: 'closed' });
});

test('a changed set of parts is pulled at once, whichever window it was changed in', async () => {
    const { project, ids: named } = await plan({ mine: { assignee: bobs }, other: {} });
    const { client, browser } = await phone({ mine: MINE }, { project, listen: true });
    const other = await openIn(browser.tab(), server, { project, listen: true });
    await until(async () => await ids(client) === named('mine'), 'the first part');
    const { ready } = await other.parts.add('rest', { tasks: [{ assignee: null }] });
    await ready;
    assert.equal(await ids(client), named('mine', 'other'));
    await client.parts.remove('mine');
    await until(async () => await ids(other) === named('other'), 'the rest');
    await client.close();
    await other.close();
});

test('a function is asked in the window that syncs; elsewhere its last value counts', async () => {
    const { project, ids: named } = await plan({ a: { status: 'REVIEW' }, b: { status: 'ON_HOLD' } });
    let status = 'REVIEW';
    const of = () => ({ tasks: [{ status }] });
    const { client, browser, tab } = await phone({ one: of }, { project });
    assert.equal(await ids(client), named('a'));
    tab.kill();
    const later = await openIn(browser.tab(), server, { project });
    status = 'ON_HOLD';
    await later.sync();
    assert.equal(await ids(later), named('a'), 'it has not named the part yet');
    await later.parts.add('one', of);
    await later.sync();
    assert.equal(await ids(later), named('b'));
    status = { not: 'a filter' }.missing;
    await later.sync();
    assert.deepEqual([await ids(later), later.state.error?.code], [named('b'), 'invalid_filter']);
    status = 'REVIEW';
    await later.sync();
    assert.deepEqual([await ids(later), later.state.error], [named('a'), null]);
    await later.close();
});

test('a filter that the server refuses does not hold up what is unsent', async () => {
    const { project, id } = await plan({ mine: { assignee: bobs } });
    const { client } = await phone({ mine: MINE }, { project });
    await client.parts.add('wrong', { tasks: [{ planned_start: { from: 'soon' } }] });
    await client.update('tasks', id('mine'), { notes: 'Mine' });
    await assert.rejects(client.sync(), { code: 'invalid_filter', status: 400 });
    assert.equal((await server.api(alice, 'GET', `/tasks/${id('mine')}/`)).notes, 'Mine');
    assert.equal(client.state.error.code, 'invalid_filter');
    await client.parts.remove('wrong');
    await client.sync();
    assert.deepEqual([client.state.error, client.state.unsent], [null, 0]);
    await client.close();
});

/** A server that knows nothing of parts. */
const older = async (address, init) => {
    const url = new URL(address);
    for (const name of ['filter', 'filter_was', 'digest']) url.searchParams.delete(name);
    const response = await fetch(url, init);
    const text = (await response.text()).replace(',"filtered":true', '');
    return { status: response.status, headers: response.headers, text: async () => text };
};

test('an older server gives everything, and a newer one the parts again', async () => {
    const { project, id, ids: named } = await plan({ mine: { assignee: bobs }, other: {} });
    let via = older;
    const { client, requests } = await phone({ mine: MINE }, { project, via: (...request) => via(...request) });
    assert.equal(await ids(client), named('mine', 'other'));
    assert.equal((await client.parts.list())[0].isReady, true, 'everything has the part');
    await patch(id('other'), { name: 'Renamed' });
    await client.sync();
    assert.equal((await client.row('tasks', id('other'))).name, 'Renamed');
    via = fetch;
    await client.sync();
    assert.equal(await ids(client), named('mine'));
    via = older;
    await client.update('tasks', id('mine'), { notes: 'Mine' });
    const before = requests.length;
    await client.sync();
    assert.equal(await ids(client), named('mine', 'other'));
    const asked = requests.slice(before).map(({ since, filter }) => [since === '0', filter !== undefined]);
    assert.deepEqual(asked.slice(0, 2), [[false, true], [true, false]], 'it is asked for everything');
    assert.equal((await server.api(alice, 'GET', `/tasks/${id('mine')}/`)).notes, 'Mine');
    await client.close();
});

test('parts that were named before anybody signed in stay, and go when the user signs out', async () => {
    const { project, ids: named } = await plan({ mine: { assignee: bobs }, other: {} });
    const { client } = await phone({ mine: MINE }, { project });
    assert.equal(await ids(client), named('mine'));
    await client.signOut();
    assert.deepEqual(await client.parts.list(), []);
    await client.close();
});
