import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { failing } from './support/fakes.js';
import { startHousehold } from './support/household.js';
import { NEW_TASK } from './support/rows.js';
import { Database } from './support/standin.js';
import { synchronize } from './support/synchronize.js';

// From one project in a database to all of them, and back.

let server, alice, bob, projects, phone;

before(async () => {
    ({ server, alice, bob, projects, phone } = await startHousehold());
});
after(() => server.stop());

const uploads = phone => phone.requests.filter(({ method, status }) => method === 'POST' && status === 200)
    .map(({ address, body }) => ({ path: new URL(address).pathname, ...JSON.parse(body) }));
const onServer = id => server.api(alice, 'GET', `/tasks/${id}/`);
const rename = (id, name, token = bob) => server.api(token, 'PATCH', `/tasks/${id}/`, { name });
const ofProject = id => `/api/v1/projects/${id}/sync/`;
const lose = init => {
    if (init.method === 'POST') throw new TypeError('the answer is lost');
};

/** A phone with one project, of which the server has applied the rename of task 0 without the phone knowing. */
async function waiting({ name } = {}) {
    const [id, other] = await projects(2, 'Dig', 'Pour');
    for (const project of [id, other]) await server.member(project, 'bob', 'member');
    const former = phone(alice, { project: id, retry: { attempts: 1 } });
    if (name) former.database.adapter = { dbName: name };
    await former.sync();
    former.database.update('tasks', `${id}-0`, { name: 'Mine' });
    former.onAnswer = lose;
    await assert.rejects(former.sync());
    return { id, other, former, batch: JSON.parse(former.requests.at(-1).body).client_batch_id };
}

/** The same database after the process ended: another object, of which only the name is known. */
function clone(database) {
    const { schema, version, migrations } = database;
    const copy = Object.assign(new Database({ schema, version, migrations }), { adapter: database.adapter });
    for (const [name, rows] of database.tables()) for (const [id, row] of rows) copy.table(name).set(id, row);
    if (database.lastPulledAt) copy.lastPulledAt = database.lastPulledAt;
    return copy;
}

test('a database with one project gets all of them, without another batch', async () => {
    const [id, other] = await projects(2, 'Dig');
    const former = phone(alice, { project: id });
    await former.sync();
    const all = phone(alice, { former });
    await all.sync();
    assert.deepEqual([all.task(`${id}-0`).project_id, all.task(`${other}-0`).project_id], [id, other]);
    assert.deepEqual([uploads(all), all.database.hasChanges()], [[], false]);
    // Only the first pull is refused.
    await all.sync();
    assert.deepEqual(all.requests.filter(({ status }) => status !== 200).map(({ status }) => status), [409]);
});

test('a batch without an answer first goes to its project under its id', async () => {
    const { id, other, former, batch } = await waiting();
    await rename(`${id}-0`, 'Newer');
    former.database.update('tasks', `${id}-0`, { notes: 'deep' });
    // The app makes a row before it knows of projects.
    former.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof' });
    const all = phone(alice, { former });
    await all.sync();
    const sent = uploads(all);
    assert.deepEqual([sent[0].path, sent[0].client_batch_id], [ofProject(id), batch]);
    assert.ok(sent.every(({ path }) => path === ofProject(id)));
    const { name, notes } = await onServer(`${id}-0`);
    assert.deepEqual([name, notes, all.task(`${id}-0`).name], ['Newer', 'deep', 'Newer']);
    assert.deepEqual([all.task(`${id}-new`).project_id, all.task(`${other}-0`).name], [id, 'Dig']);
    assert.deepEqual([all.database.hasChanges(), all.database.errors], [false, []]);
    assert.deepEqual([all.storage.get(`tidemark:${id}:owner`), all.storage.get('tidemark:projects')], [null, null]);
});

test('what is unsent in the project goes there too, though nothing waits for an answer', async () => {
    const [id, other] = await projects(2, 'Dig', 'Pour');
    const former = phone(alice, { project: id });
    await former.sync();
    former.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof' });
    former.database.create('tasks', { ...NEW_TASK, id: `${other}-new`, name: 'Door', project_id: other });
    former.database.remove('tasks', `${id}-1`);
    const all = phone(alice, { former });
    await all.sync();
    assert.deepEqual(uploads(all).map(({ path, changes }) => [path, changes.tasks.created.map(({ id }) => id)]),
        [[ofProject(id), [`${id}-new`]], ['/api/v1/sync/', [`${other}-new`]]]);
    const { results } = await server.api(alice, 'GET', `/projects/${other}/tasks/`);
    assert.ok(results.some(task => task.id === `${other}-new`));
    assert.equal(all.database.hasChanges(), false);
});

for (const [what, options] of Object.entries({
    'by the name of the database': { name: 'plans' }, 'by the list of projects': {},
    'because the app names the project': { formerProject: true },
})) {
    test(`after a restart the batch is found ${what}`, async () => {
        const { id, former, batch } = await waiting({ name: options.name });
        await rename(`${id}-0`, 'Newer');
        // Storages of earlier versions have no list.
        if (options.formerProject || options.name) former.storage.remove('tidemark:projects');
        const all = phone(alice, { former, formerProject: options.formerProject ? id : undefined });
        all.database = clone(former.database);
        await all.sync();
        assert.deepEqual([uploads(all)[0].path, uploads(all)[0].client_batch_id], [ofProject(id), batch]);
        assert.deepEqual([(await onServer(`${id}-0`)).name, all.task(`${id}-0`).name], ['Newer', 'Newer']);
        assert.equal(all.database.hasChanges(), false);
        assert.deepEqual(all.storage.keys().filter(key => key.includes('batch')), []);
    });
}

test('the batch of a database with another name is left to that database', async () => {
    const { id, former, batch } = await waiting({ name: 'one' });
    const all = phone(alice, { storage: former.storage });
    all.database.adapter = { dbName: 'all' };
    await all.sync();
    assert.deepEqual(uploads(all), []);
    await rename(`${id}-0`, 'Newer');
    former.onAnswer = null;
    await former.sync();
    assert.equal(uploads(former).at(-1).client_batch_id, batch);
    assert.equal(former.task(`${id}-0`).name, 'Newer');
});

test('another user can\'t take over the database, and sends no batch of the first one\'s', async () => {
    const { id, former } = await waiting();
    const bobs = phone(bob, { former });
    await assert.rejects(bobs.sync(), failing({ code: 'other_user' }));
    assert.deepEqual(uploads(bobs), []);
    const fresh = phone(bob, { storage: former.storage });
    await fresh.sync();
    assert.deepEqual(uploads(fresh), []);
    former.onAnswer = null;
    await former.sync();
    assert.equal((await onServer(`${id}-0`)).name, 'Mine');
});

test('if the project is lost meanwhile, the app is told and the others come', async () => {
    const [id, other] = await projects(2, 'Dig');
    for (const project of [id, other]) await server.member(project, 'bob', 'member');
    const told = [];
    const former = phone(bob, { project: id, retry: { attempts: 1 } });
    await former.sync();
    former.database.update('tasks', `${id}-0`, { name: 'Mine' });
    former.onRequest = init => {
        if (init.method === 'POST') throw new TypeError('the request is lost');
    };
    await assert.rejects(former.sync());
    const { results } = await server.api(alice, 'GET', `/projects/${id}/memberships/`);
    await server.api(alice, 'DELETE', `/memberships/${results.find(({ role }) => role === 100).id}/`);
    const all = phone(bob, {
        former, onAccessLost: (project, code) => void told.push(project, code, all.task(`${id}-0`).name),
    });
    await all.sync();
    assert.deepEqual(told, [id, 'membership_revoked', 'Mine']);
    assert.deepEqual([all.task(`${id}-0`), all.task(`${other}-0`).name], [undefined, 'Dig']);
});

test('without a network the database stays as it is', async () => {
    const { id, former } = await waiting();
    const all = phone(alice, { former });
    all.onRequest = init => {
        if (init.method === 'POST') throw new TypeError('no network');
    };
    const before = former.database.lastPulledAt;
    await assert.rejects(all.sync(), failing({ code: 'network' }));
    assert.deepEqual([all.database.lastPulledAt, all.task(`${id}-0`)._status], [before, 'updated']);
    all.onRequest = null;
    await all.sync();
    assert.equal(all.database.hasChanges(), false);
});

test('an app that calls synchronize() itself changes over in several calls', async () => {
    const { id, other, former, batch } = await waiting();
    await rename(`${id}-0`, 'Newer');
    former.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof' });
    const all = phone(alice, { former, formerProject: id });
    const { pullChanges, pushChanges } = all.adapter;
    const args = { database: all.database, sendCreatedAsUpdated: true, pullChanges, pushChanges };
    for (let call = 0; call < 3; call++) await synchronize(args);
    assert.deepEqual(uploads(all).map(({ path }) => path), [ofProject(id), ofProject(id)]);
    assert.equal(uploads(all)[0].client_batch_id, batch);
    assert.deepEqual([all.task(`${id}-0`).name, all.task(`${other}-0`).name], ['Newer', 'Dig']);
    assert.deepEqual([all.task(`${id}-new`).project_id, all.database.hasChanges()], [id, false]);
});

// The way back.

/** A phone with all projects, one of which the app is to keep. */
async function withAll(options) {
    const [id, other] = await projects(2, 'Dig', 'Pour');
    const all = phone(alice, options);
    await all.sync();
    return { id, other, all };
}

test('a database with all projects can keep one, after everything is sent', async () => {
    const { id, other, all } = await withAll({ retry: { attempts: 1 } });
    for (const project of [id, other]) all.database.update('tasks', `${project}-0`, { name: 'Mine' });
    all.onAnswer = lose;
    await assert.rejects(all.sync());
    const batch = JSON.parse(all.requests.at(-1).body).client_batch_id;
    await rename(`${id}-0`, 'Newer', alice);
    all.database.remove('tasks', `${other}-1`);
    const one = phone(alice, { former: all, project: id });
    await one.sync();
    assert.deepEqual(uploads(one).map(({ path }) => path), ['/api/v1/sync/', '/api/v1/sync/']);
    assert.equal(uploads(one)[0].client_batch_id, batch);
    assert.deepEqual([(await onServer(`${id}-0`)).name, (await onServer(`${other}-0`)).name], ['Newer', 'Mine']);
    await assert.rejects(onServer(`${other}-1`), /404/);
    assert.deepEqual([...one.database.rows('projects').keys()], [id]);
    assert.deepEqual([one.task(`${other}-0`), one.task(`${id}-0`).name], [undefined, 'Newer']);
    assert.equal(one.database.hasChanges(), false);
    // WatermelonDB logs that, and goes on.
    assert.match(one.database.errors.join(), /^the time went back from \d+ to \d+$/);
    // And forth again, with the earlier adapter.
    const again = phone(alice, { former: one });
    await again.sync();
    assert.equal(again.task(`${other}-0`).name, 'Mine');
});

test('edits of other projects that can\'t be sent are not dropped on the way', async () => {
    const { id, other, all } = await withAll();
    await server.api(alice, 'POST', `/projects/${other}/archive/`);
    all.database.update('tasks', `${other}-0`, { name: 'Mine' });
    const one = phone(alice, { former: all, project: id });
    for (let round = 0; round < 2; round++) await assert.rejects(one.sync(), failing({ code: 'other_project' }));
    assert.equal(one.task(`${other}-0`).name, 'Mine');
    const { pullChanges, pushChanges } = phone(alice, { former: all, project: id }).adapter;
    const stock = () => synchronize({ database: one.database, sendCreatedAsUpdated: true, pullChanges, pushChanges });
    await stock();
    await assert.rejects(stock(), failing({ code: 'other_project' }));
    await server.api(alice, 'POST', `/projects/${other}/unarchive/`);
    await one.sync();
    assert.deepEqual([one.task(`${other}-0`), (await onServer(`${other}-0`)).name], [undefined, 'Mine']);
});

test('a new row that names another project is never created in this one', async () => {
    const [id, other] = await projects(2, 'Dig');
    const one = phone(alice, { project: id });
    await one.sync();
    one.database.create('tasks', { ...NEW_TASK, id: `${other}-new`, name: 'Door', project_id: other });
    one.database.create('tasks', { ...NEW_TASK, id: `${other}-sub`, name: 'Lock', parent: `${other}-new` });
    one.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof', project_id: id });
    await one.sync();
    assert.deepEqual(uploads(one)[0].changes.tasks.created.map(row => row.id), [`${id}-new`]);
    assert.deepEqual([one.task(`${other}-new`)._status, one.task(`${other}-sub`)._status], ['created', 'created']);
});

test('a project in a storage that also has a database of all projects leaves that alone', async () => {
    const { id, other, all } = await withAll({ retry: { attempts: 1 } });
    all.database.update('tasks', `${other}-0`, { name: 'Mine' });
    all.onAnswer = lose;
    await assert.rejects(all.sync());
    all.onAnswer = null;
    const one = phone(alice, { storage: all.storage, project: id });
    await one.sync();
    assert.deepEqual([uploads(one), [...one.database.rows('projects').keys()]], [[], [id]]);
    await rename(`${other}-0`, 'Newer', alice);
    await all.sync();
    assert.equal((await onServer(`${other}-0`)).name, 'Newer');
});

test('killed at any step of the change no edit is lost, doubled or brought back', async () => {
    for (let dies = 1; ; dies++) {
        const { id, other, former } = await waiting({ name: `plans ${dies}` });
        await rename(`${id}-0`, 'Newer');
        former.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof' });
        let steps = 0;
        const step = () => {
            if (++steps >= dies) throw new TypeError('the app is killed');
        };
        const { storage } = former;
        const touch = name => async (...args) => {
            step();
            const value = storage[name](...args);
            step();
            return value;
        };
        const mortal = { get: touch('get'), set: touch('set'), remove: touch('remove') };
        const second = phone(alice, { former, storage: mortal, retry: { attempts: 1 } });
        second.database = clone(former.database);
        Object.assign(second, { onRequest: step, onAnswer: step });
        const isDead = await second.sync().then(() => false, () => true);
        const third = phone(alice, { storage });
        third.database = clone(second.database);
        await third.sync();
        const label = `killed at step ${dies}`;
        assert.equal((await onServer(`${id}-0`)).name, 'Newer', label);
        assert.deepEqual([third.task(`${id}-0`).name, third.task(`${id}-new`).project_id], ['Newer', id], label);
        assert.deepEqual([third.task(`${other}-0`).name, third.database.hasChanges()], ['Dig', false], label);
        assert.deepEqual(storage.keys().filter(key => key.includes('batch')), [], label);
        if (!isDead) {
            assert.ok(dies > 20);
            break;
        }
    }
});
