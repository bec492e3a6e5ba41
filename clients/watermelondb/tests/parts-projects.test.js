import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHousehold } from './support/household.js';
import { NEW_TASK } from './support/rows.js';
import { synchronize } from './support/synchronize.js';
import { names } from './support/team.js';

// Named parts in a database with all projects of the user.

let server, alice, bob, bobsID, projects, phone;

before(async () => {
    ({ server, alice, bob, projects, phone } = await startHousehold());
    bobsID = (await server.api(bob, 'GET', '/auth/me/')).id;
});
after(() => server.stop());

const OPEN = { projects: [{ is_archived: false }] };
const archive = (id, verb = 'archive') => server.api(alice, 'POST', `/projects/${id}/${verb}/`);
const onServer = id => server.api(alice, 'GET', `/tasks/${id}/`);
const lastPull = each => Object.fromEntries(new URL(each.requests.findLast(({ address }) =>
    address.includes('/sync/?')).address).searchParams);

/** Bob's phone with two projects, and with these parts. */
async function bobs(parts, options) {
    const ids = await projects(2, 'Dig', 'Pour');
    for (const id of ids) await server.member(id, 'bob', 'member');
    const told = [];
    const made = phone(bob, { onAccessLost: (project, code) => void told.push([project, code]), ...options });
    for (const [name, filter] of Object.entries(parts)) await made.adapter.parts.add(name, filter);
    await made.sync();
    return { ids, told, made };
}

async function leaves(id) {
    const { results } = await server.api(alice, 'GET', `/projects/${id}/memberships/`);
    await server.api(alice, 'DELETE', `/memberships/${results.find(({ user }) => user === bobsID).id}/`);
}

const of = (made, id) => [...made.database.rows('tasks').values()].filter(row => row.project_id === id).length;

async function isRight(made) {
    const result = await made.adapter.compare({ synchronize, database: made.database });
    assert.deepEqual([result, made.database.errors], [{ isSame: true, differing: [] }, []]);
}

test('a project that leaves the part is not lost, and comes back', async () => {
    const { ids: [one, other], told, made } = await bobs({ open: OPEN });
    assert.deepEqual([of(made, one), of(made, other)], [2, 2]);
    await archive(one);
    await made.sync();
    assert.deepEqual([of(made, one), of(made, other), told], [0, 2, []]);
    assert.ok(!made.database.rows('projects').has(one));
    await isRight(made);
    await archive(one, 'unarchive');
    await made.sync();
    assert.deepEqual([of(made, one), made.task(`${one}-0`).name], [2, 'Dig']);
    await isRight(made);
    await leaves(one);
    await leaves(other);
    await made.sync();
    assert.deepEqual(told.map(([, code]) => code), ['membership_revoked', 'membership_revoked']);
});

test('what is unsent in a project that leaves is sent, and then it goes', async () => {
    const { ids: [one, other], told, made } = await bobs({ some: {} });
    await made.adapter.parts.add('some', { projects: [one, other] });
    await made.sync();
    made.database.update('tasks', `${one}-0`, { notes: 'deep' });
    await made.adapter.parts.update('some', { projects: [other] });
    await made.sync();
    assert.equal((await onServer(`${one}-0`)).notes, 'deep');
    await made.sync();
    assert.deepEqual([of(made, one), of(made, other), told, made.database.hasChanges()], [0, 2, [], false]);
    assert.equal(lastPull(made).filter, JSON.stringify({ projects: [other] }));
    await isRight(made);
    for (const id of [one, other]) await leaves(id);
});

test('a new row in a project that leaves is sent, and goes', async () => {
    const { ids: [one, other], made } = await bobs({ some: {} });
    made.database.create('tasks', { ...NEW_TASK, id: `${one}-new`, name: 'Roof', project_id: one });
    await made.adapter.parts.update('some', { projects: [other] });
    for (let round = 0; round < 2; round++) await made.sync();
    assert.equal((await onServer(`${one}-new`)).name, 'Roof');
    for (const id of [one, other]) await leaves(id);
    assert.equal(of(made, one), 0);
});

test('an edit in an archived project waits for it outside of the part', async () => {
    const { ids: [one, other], made } = await bobs({ open: OPEN });
    made.database.update('tasks', `${one}-0`, { notes: 'deep' });
    await archive(one);
    for (let round = 0; round < 2; round++) {
        await made.sync();
        assert.deepEqual([of(made, one), made.task(`${one}-0`)._status], [1, 'updated']);
    }
    await isRight(made);
    await archive(one, 'unarchive');
    await made.sync();
    assert.deepEqual([(await onServer(`${one}-0`)).notes, of(made, one)], ['deep', 2]);
    await made.sync();
    await isRight(made);
    for (const id of [one, other]) await leaves(id);
});

test('the way from one project to a part of all sends what is unsent first', async () => {
    const { ids: [one, other], made } = await bobs({ mine: { tasks: [{ assignee: '@me' }] } });
    const single = phone(bob, { project: one });
    await single.sync();
    single.database.update('tasks', `${one}-0`, { notes: 'deep' });
    const all = phone(bob, { former: single });
    await all.adapter.parts.add('mine', { tasks: [{ assignee: '@me' }] });
    await server.api(alice, 'PATCH', `/tasks/${other}-0/`, { assignee: bobsID });
    await all.sync();
    assert.deepEqual([names(all), (await onServer(`${one}-0`)).notes], [['Dig'], 'deep']);
    await made.sync();
    assert.deepEqual(names(made), ['Dig']);
    await all.sync();
    await isRight(all);
    for (const id of [one, other]) await leaves(id);
});
