import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { memoryStorage } from '../index.js';
import { accepted, bucket, failing, fakeSync, local, problem } from './support/fakes.js';
import { EDITABLE, NEW } from './support/rows.js';
import { startTeam } from './support/team.js';

// Servers that accept fewer collections than the app edits.

let server, alice, project, phones;

before(async () => {
    ({ server, alice, project, phones } = await startTeam({ TIDEMARK_SYNC_UPLOAD_COLLECTIONS: 'tasks' }));
});
after(() => server.stop());

const create = (phone, collection, row) => phone.database.create(collection, { ...NEW[collection], ...row });
const status = (phone, collection, id) => phone.database.rows(collection).get(id)?._status;
const uploads = phone => phone.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

test('rows that the server does not accept, and rows that refer to them, stay unsent until it does', async () => {
    const id = await project('Dig', 'Pour');
    const risk = await server.api(alice, 'POST', `/projects/${id}/risks/`,
        { title: 'Rain', probability: 2, impact: 3 });
    const storage = memoryStorage();
    const [phone] = phones(id, { storage });
    await phone.sync();
    const sprint = `${id}-s`;
    create(phone, 'sprints', { id: sprint });
    create(phone, 'sprint_retros', { id: `${id}-r`, sprint });
    create(phone, 'tasks', { id: `${id}-in`, sprint });
    create(phone, 'tasks', { id: `${id}-below`, parent: `${id}-in` });
    create(phone, 'tasks', { id: `${id}-free` });
    phone.database.update('tasks', `${id}-0`, { sprint, name: 'Dug' });
    phone.database.update('tasks', `${id}-1`, { name: 'Poured' });
    phone.database.update('risks', risk.id, { title: 'Hail' });
    for (let sync = 0; sync < 2; sync++) await phone.sync();
    assert.deepEqual(Object.keys(uploads(phone)[0].changes), ['tasks']);
    assert.deepEqual([uploads(phone).length, phone.reports], [1, []]);
    for (const task of ['free', '1']) assert.equal(status(phone, 'tasks', `${id}-${task}`), 'synced', task);
    for (const task of ['in', 'below']) assert.equal(status(phone, 'tasks', `${id}-${task}`), 'created', task);
    assert.equal(status(phone, 'tasks', `${id}-0`), 'updated');
    assert.equal((await server.api(alice, 'GET', `/tasks/${id}-1/`)).name, 'Poured');

    // The operator lets the server accept everything, and the app is started again.
    await server.halt();
    server.settings = {};
    await server.run();
    const [again] = phones(id, { storage });
    again.database = phone.database;
    await again.sync();
    assert.deepEqual([again.reports, again.database.hasChanges()], [[], false]);
    await again.sync();
    const [fresh] = phones(id);
    await fresh.sync();
    for (const collection of EDITABLE) assert.equal(fresh.snapshot(collection), again.snapshot(collection), collection);
    const { name, sprint: chosen } = fresh.task(`${id}-0`);
    assert.deepEqual([name, chosen], ['Dug', sprint]);
    assert.equal(fresh.database.rows('risks').get(risk.id).title, 'Hail');
});

/** A server whose `tasks` and `links` refer to `plans`, and that accepts what `isUploadable` says. */
function pushing(isUploadable, options) {
    const reference = collection => ({ type: 'string', 'x-ref': { collection, 'on-delete': 'clear' } });
    const properties = {
        plans: { name: { type: 'string' } },
        tasks: { name: { type: 'string' }, plan: reference('plans'), parent: reference('tasks') },
        links: { task: reference('tasks'), plans: { ...reference('plans'), type: 'array' } },
    };
    const made = fakeSync(({ method, path, body }) => {
        if (path.endsWith('/schemas/')) {
            return { body: { collections: Object.entries(properties).map(([title, properties]) =>
                ({ title, properties, 'x-uploadable': isUploadable(title) })) } };
        }
        if (method !== 'POST') throw new Error(`${method} ${path}`);
        const isRefused = Object.keys(body.changes).some(name => !isUploadable(name));
        return isRefused ? problem(400, 'collection_not_uploadable') : accepted({ body });
    }, options);
    const sent = () => made.requests.filter(({ method }) => method === 'POST').map(({ body }) => body.changes);
    return { ...made, sent };
}

test('a row waits only for new rows, and only if it refers to them in what would be sent', async () => {
    const { sync, sent } = pushing(name => name !== 'plans');
    const changes = {
        plans: bucket([local('old', {}, 'updated')], [], [local('new')]),
        tasks: bucket([
            local('a', { plan: 'new', _changed: 'plan' }, 'updated'),
            local('b', { plan: 'old', _changed: 'plan' }, 'updated'),
            local('c', { plan: 'new', _changed: 'name' }, 'updated'), local('d', { plan: 'new' }, 'updated'),
        ], ['e'], [local('f', { parent: 'g' }), local('g', { plan: 'new' })]),
        links: bucket([], [], [
            local('h', { task: 'f' }), local('i', { plans: '["old","new"]' }), local('j', { task: 'a' }),
        ]),
    };
    const { experimentalRejectedIds } = await sync.pushChanges({ changes, lastPulledAt: 5 });
    const sorted = Object.entries(experimentalRejectedIds).map(([name, ids]) => [name, ids.sort()]).sort();
    assert.deepEqual(sorted, [['links', ['h', 'i']], ['plans', ['new', 'old']], ['tasks', ['a', 'd', 'f', 'g']]]);
    const [{ tasks, links }] = sent();
    assert.deepEqual([tasks.created, tasks.updated.map(({ id }) => id), tasks.deleted], [[], ['b', 'c'], ['e']]);
    assert.deepEqual(links.created.map(({ id }) => id), ['j']);
});

test('if the server accepts less than the app names as uploadable, the rest stays unsent', async () => {
    const { sync, sent, requests } = pushing(name => name === 'links', { uploadable: ['tasks', 'links'] });
    const changes = { tasks: bucket([], ['t']), links: bucket([], ['l']), plans: bucket([], ['p']) };
    for (let push = 0; push < 2; push++) {
        const { experimentalRejectedIds } = await sync.pushChanges({ changes, lastPulledAt: 5 });
        assert.deepEqual(experimentalRejectedIds, { tasks: ['t'], plans: ['p'] });
    }
    assert.deepEqual(sent().map(changes => Object.keys(changes)), [['tasks', 'links'], ['links'], ['links']]);
    assert.equal(requests.filter(({ method }) => method === 'GET').length, 1);
});

test('a server that says what it does not do is not asked again and again', async () => {
    const { sync, requests } = fakeSync(({ method }) => {
        if (method === 'POST') return problem(400, 'collection_not_uploadable');
        return { body: { collections: [{ title: 'tasks', 'x-uploadable': true, properties: {} }] } };
    });
    await assert.rejects(sync.pushChanges({ changes: { tasks: bucket([], ['t']) }, lastPulledAt: 5 }),
        failing({ code: 'collection_not_uploadable' }));
    assert.deepEqual(requests.map(({ method }) => method), ['GET', 'POST', 'GET', 'POST']);
});
