import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Phone } from './support/phone.js';
import { EDITABLE, NEW } from './support/rows.js';
import { startTeam } from './support/team.js';

// Every collection is edited in the app's database and uploaded like tasks.

let server, alice, bob, bobsID, schema, project, phones;

before(async () => {
    ({ server, alice, bob, schema, project, phones } = await startTeam());
    bobsID = (await server.api(bob, 'GET', '/auth/me/')).id;
});
after(() => server.stop());

const uploads = phone => phone.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));
const create = (phone, collection, row) => phone.database.create(collection, { ...NEW[collection], ...row });
const createAll = (phone, rows) => {
    for (const [collection, list] of Object.entries(rows)) for (const row of list) create(phone, collection, row);
};
const row = (phone, collection, id) => phone.database.rows(collection).get(id);
const ids = (phone, collection) => [...phone.database.rows(collection).keys()].sort();

/** New rows in every collection, each referring to others, those that refer first. */
function newRows(project) {
    const [one, two, three] = [`${project}-one`, `${project}-two`, `${project}-three`];
    const [sprint, retro] = [`${project}-sprint`, `${project}-retro`];
    const id = `${project}-new`;
    return {
        time_entries: [{ id, task: two, minutes: 45 }],
        task_recurrence_rules: [{ id, task: one }],
        task_links: [{ id, task: one, labels: '["plan"]' }],
        task_suggested_assignees: [{ id, task: one, suggested_user: bobsID }],
        retro_action_items: [{ id, retro, promoted_task_id: two, assignee: bobsID }],
        sprint_retros: [{ id: retro, sprint, notes: 'More tea' }],
        risks: [{ id, title: 'Rain', task_ids: JSON.stringify([one, two]), owner: bobsID }],
        dependencies: [{ id, predecessor: two, successor: three }],
        tasks: [{ id: three, name: 'Three', parent: one }, { id: two, name: 'Two', sprint }, { id: one, name: 'One', sprint }],
        sprints: [{ id: sprint }],
        calendars: [{ id, exceptions: '[{"exc_end":"2026-12-26","exc_start":"2026-12-25"}]' }],
    };
}

/** Compares what two phones have, except what only one user sees. */
function assertEqual(one, other, isSameUser) {
    for (const name of Object.keys(schema)) {
        if (name === 'time_entries' && !isSameUser) continue;
        assert.equal(one.snapshot(name), other.snapshot(name), name);
    }
}

for (const batchRows of [500, 1, 2, 3, 5]) {
    test(`new rows of all collections that refer to each other reach other phones, ${batchRows} a batch`, async () => {
        const id = await project();
        // An app may declare its tables in any order, and so pushes them in any order.
        const reversed = Object.fromEntries(Object.entries(schema).reverse());
        const phone = new Phone(server, id, alice, { schema: reversed, batchRows });
        await phone.sync();
        const rows = newRows(id);
        assert.deepEqual(Object.keys(rows).sort(), [...EDITABLE].sort());
        createAll(phone, rows);
        await phone.sync();
        assert.deepEqual([phone.reports, phone.database.hasChanges()], [[], false]);
        assert.equal(uploads(phone).length, Math.ceil(13 / batchRows));
        await phone.sync();

        const [second, bobs] = phones(id);
        await second.sync();
        await bobs.sync();
        assertEqual(phone, second, true);
        assertEqual(phone, bobs, false);
        for (const [collection, list] of Object.entries(rows)) {
            for (const { id, ...values } of list) {
                const { server_version: version, ...found } = row(second, collection, id);
                assert.equal(version, 1, collection);
                const same = Object.fromEntries(Object.keys(values).map(name => [name, found[name]]));
                assert.deepEqual(same, values, collection);
            }
        }
        assert.equal(bobs.database.rows('time_entries').size, 0);
        assert.deepEqual([phone.database.errors, second.database.errors, bobs.database.errors], [[], [], []]);
    });
}

/** A project that has these rows, and the phones of alice and of bob, who has this role there. */
async function shared(role, ...options) {
    const id = await project();
    const [first] = phones(id);
    await first.sync();
    createAll(first, newRows(id));
    await first.sync();
    await server.member(id, 'bob', role);
    const [alices, bobs] = phones(id, ...options);
    await alices.sync();
    await bobs.sync();
    return { id, alices, bobs };
}

test('edits and deletes of all collections reach the other phone', async () => {
    const { id, alices, bobs } = await shared('member');
    const edits = {
        calendars: { hours_per_day: 6 }, dependencies: { lag: 2 }, risks: { task_ids: `["${id}-two"]` },
        retro_action_items: { text: 'Less noise' }, task_suggested_assignees: { reason: 'Knows boats' },
        task_links: { title: 'The plan' }, task_recurrence_rules: { interval: 2 }, time_entries: { minutes: 50 },
    };
    for (const [collection, values] of Object.entries(edits)) alices.database.update(collection, `${id}-new`, values);
    alices.database.update('sprint_retros', `${id}-retro`, { notes: 'No tea' });
    alices.database.update('sprints', `${id}-sprint`, { goal: 'Afloat' });
    await alices.sync();
    await bobs.sync();
    await alices.sync();
    assert.deepEqual(alices.reports, []);
    assert.equal(uploads(alices).length, 1);
    assertEqual(alices, bobs, false);
    assert.equal(row(bobs, 'risks', `${id}-new`).task_ids, `["${id}-two"]`);
    for (const collection of ['risks', 'task_links', 'task_recurrence_rules', 'calendars']) {
        alices.database.remove(collection, `${id}-new`);
    }
    // The server deletes what belongs to these rows.
    alices.database.remove('tasks', `${id}-two`);
    alices.database.remove('sprints', `${id}-sprint`);
    await alices.sync();
    await bobs.sync();
    await alices.sync();
    assertEqual(alices, bobs, false);
    for (const collection of EDITABLE) {
        const stay = { tasks: [`${id}-one`, `${id}-three`], task_suggested_assignees: [`${id}-new`] };
        const left = stay[collection] ?? [];
        // Every project has a calendar of its own.
        assert.deepEqual(ids(alices, collection).filter(row => row.startsWith(id)), left, collection);
    }
    assert.equal(row(bobs, 'tasks', `${id}-one`).sprint, null);
});

test('a new row that the role does not allow stays unsent and is reported, the others are applied', async () => {
    const id = await project('Dig', 'Pour');
    const [alices, bobs] = phones(id);
    await bobs.sync();
    create(bobs, 'dependencies', { id: `${id}-d`, predecessor: `${id}-0`, successor: `${id}-1` });
    create(bobs, 'risks', { id: `${id}-r`, title: 'Rain', task_ids: `["${id}-1"]` });
    create(bobs, 'time_entries', { id: `${id}-e`, task: `${id}-0` });
    await bobs.sync();
    const { rejected } = bobs.reports[0];
    assert.deepEqual(Object.keys(rejected), ['dependencies']);
    assert.deepEqual(rejected.dependencies.map(({ id, code }) => [id, code]), [[`${id}-d`, 'forbidden']]);
    assert.equal(row(bobs, 'dependencies', `${id}-d`)._status, 'created');
    assert.equal(row(bobs, 'risks', `${id}-r`)._status, 'synced');
    assert.equal(row(bobs, 'time_entries', `${id}-e`)._status, 'synced');
    await alices.sync();
    assert.deepEqual([ids(alices, 'risks'), ids(alices, 'dependencies')], [[`${id}-r`], []]);

    await server.member(id, 'bob', 'scheduler');
    await bobs.sync();
    await alices.sync();
    assert.deepEqual([bobs.database.hasChanges(), ids(alices, 'dependencies')], [false, [`${id}-d`]]);
});

test('edits and deletes that the role does not allow are undone by the next pull', async () => {
    const { id, bobs } = await shared('member');
    bobs.database.update('dependencies', `${id}-new`, { lag: 9 });
    bobs.database.remove('sprints', `${id}-sprint`);
    bobs.database.remove('risks', `${id}-new`);
    bobs.database.update('sprint_retros', `${id}-retro`, { notes: 'Coffee' });
    await bobs.sync();
    const codes = Object.entries(bobs.reports[0].rejected).map(([name, [{ code }]]) => [name, code]).sort();
    assert.deepEqual(codes, [['dependencies', 'forbidden'], ['risks', 'forbidden'], ['sprints', 'forbidden']]);
    assert.equal(bobs.database.hasChanges(), false);
    await bobs.sync();
    assert.equal(row(bobs, 'dependencies', `${id}-new`).lag, 0);
    assert.deepEqual([ids(bobs, 'sprints'), ids(bobs, 'risks')], [[`${id}-sprint`], [`${id}-new`]]);
    assert.equal(row(bobs, 'sprint_retros', `${id}-retro`).notes, 'Coffee');
    assert.deepEqual(bobs.database.errors, []);
});

test('a viewer accepts a suggestion that names them; other edits of theirs are refused one by one', async () => {
    const { id, alices, bobs } = await shared('viewer');
    bobs.database.update('task_suggested_assignees', `${id}-new`, { state: 'accepted', modified_at: Date.now() });
    bobs.database.update('tasks', `${id}-one`, { name: 'Mine' });
    create(bobs, 'risks', { id: `${id}-more` });
    await bobs.sync();
    const { rejected } = bobs.reports[0];
    assert.deepEqual([rejected.tasks[0].code, rejected.risks[0].code], ['forbidden', 'forbidden']);
    assert.deepEqual(Object.keys(rejected).sort(), ['risks', 'tasks']);
    await bobs.sync();
    assert.equal(row(bobs, 'task_suggested_assignees', `${id}-new`).state, 'accepted');
    assert.equal(row(bobs, 'tasks', `${id}-one`).name, 'One');
    assert.equal(row(bobs, 'risks', `${id}-more`)._status, 'created');
    await alices.sync();
    assert.equal(row(alices, 'task_suggested_assignees', `${id}-new`).state, 'accepted');
    assert.ok(row(alices, 'task_suggested_assignees', `${id}-new`).accepted_at > 0);
});

test('time entries reach the user\'s own phones and nobody else\'s', async () => {
    const id = await project('Dig');
    const [alices, bobs] = phones(id);
    const [second] = phones(id);
    for (const phone of [alices, bobs, second]) await phone.sync();
    create(alices, 'time_entries', { id: `${id}-a`, task: `${id}-0`, minutes: 30 });
    create(alices, 'time_entries', { id: `${id}-x`, task: `${id}-0` });
    create(bobs, 'time_entries', { id: `${id}-b`, task: `${id}-0`, minutes: 60 });
    for (const phone of [alices, bobs, second]) await phone.sync();
    second.database.update('time_entries', `${id}-a`, { minutes: 35, note: 'with tea' });
    second.database.remove('time_entries', `${id}-x`);
    for (const phone of [second, alices, bobs, second]) await phone.sync();
    assert.deepEqual(alices.database.synced('time_entries').map(({ id, minutes }) => [id, minutes]), [[`${id}-a`, 35]]);
    assert.equal(alices.snapshot('time_entries'), second.snapshot('time_entries'));
    assert.deepEqual(bobs.database.synced('time_entries').map(({ id, minutes }) => [id, minutes]), [[`${id}-b`, 60]]);
});

test('the second retro of a sprint is refused with the first one\'s id, and its items can move there', async () => {
    const id = await project();
    const [alices, bobs] = phones(id);
    await alices.sync();
    create(alices, 'sprints', { id: `${id}-s` });
    await alices.sync();
    await bobs.sync();
    create(alices, 'sprint_retros', { id: `${id}-a`, sprint: `${id}-s`, notes: 'Tea' });
    create(bobs, 'sprint_retros', { id: `${id}-b`, sprint: `${id}-s`, notes: 'Coffee' });
    create(bobs, 'retro_action_items', { id: `${id}-i`, retro: `${id}-b`, text: 'Buy cups' });
    await alices.sync();
    await bobs.sync();
    const { id: refused, code, existing } = bobs.reports[0].rejected.sprint_retros[0];
    assert.deepEqual([refused, code, existing], [`${id}-b`, 'not_unique', `${id}-a`]);
    assert.deepEqual([...bobs.database.rows('retro_action_items').values()].map(row => row._status), ['created']);

    bobs.database.update('retro_action_items', `${id}-i`, { retro: existing });
    bobs.database.remove('sprint_retros', refused);
    await bobs.sync();
    await alices.sync();
    await bobs.sync();
    assert.deepEqual([bobs.reports.length, bobs.database.hasChanges()], [1, false]);
    assert.deepEqual(ids(alices, 'sprint_retros'), [`${id}-a`]);
    assert.equal(row(alices, 'retro_action_items', `${id}-i`).retro, `${id}-a`);
    assertEqual(alices, bobs, false);
});

test('with newest the later edit wins by modified_at in every collection, whoever syncs last', async () => {
    const newest = { onConflict: 'newest' };
    const { id, alices, bobs } = await shared('owner', newest, newest);
    const edits = {
        calendars: ['name'], risks: ['title'], retro_action_items: ['text'], task_links: ['title'],
        dependencies: ['lag', 1, 2], task_recurrence_rules: ['interval', 3, 4],
    };
    const now = Date.now();
    for (const [collection, [column, early = 'early', late = 'late']] of Object.entries(edits)) {
        alices.database.update(collection, `${id}-new`, { [column]: early, modified_at: now - 60_000 });
        bobs.database.update(collection, `${id}-new`, { [column]: late, modified_at: now - 30_000 });
    }
    // The later edits arrive between the pull and the push of the earlier ones.
    alices.onRequest = async init => {
        if (init.method !== 'POST') return;
        alices.onRequest = null;
        await bobs.sync();
    };
    await alices.sync();
    await alices.sync();
    for (const [collection, [column, , late = 'late']] of Object.entries(edits)) {
        assert.equal(row(alices, collection, `${id}-new`)[column], late, collection);
    }
    assert.deepEqual(Object.keys(alices.reports[0].conflicts).sort(), Object.keys(edits).sort());
    assert.deepEqual([alices.database.hasChanges(), bobs.database.hasChanges()], [false, false]);
});

test('new rows whose parent was deleted meanwhile go away with the next pull', async () => {
    const id = await project('Dig', 'Pour');
    const [alices, bobs] = phones(id);
    await server.member(id, 'bob', 'admin');
    create(alices, 'sprints', { id: `${id}-s` });
    await alices.sync();
    await bobs.sync();
    await server.api(alice, 'DELETE', `/tasks/${id}-0/`);
    await server.api(alice, 'DELETE', `/sprints/${id}-s/`);
    const task = `${id}-0`;
    const orphans = {
        tasks: { parent: task }, dependencies: { predecessor: task, successor: `${id}-1` },
        sprint_retros: { sprint: `${id}-s` }, retro_action_items: { retro: `${id}-x` },
        task_suggested_assignees: { task, suggested_user: bobsID }, task_links: { task },
        task_recurrence_rules: { task }, time_entries: { task },
    };
    for (const [collection, values] of Object.entries(orphans)) create(bobs, collection, { id: `${id}-x`, ...values });
    await bobs.sync();
    const { skipped } = bobs.reports[0];
    for (const collection of Object.keys(orphans)) {
        assert.deepEqual(skipped[collection], [{ id: `${id}-x`, code: 'parent_deleted' }], collection);
    }
    await bobs.sync();
    const left = Object.keys(orphans).filter(collection => row(bobs, collection, `${id}-x`));
    assert.deepEqual(left, []);
    assert.equal(bobs.database.hasChanges(), false);
});
