import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { createSync, memoryStorage } from '../index.js';
import { SCHEMAS, bucket, failing, fakeSync, page } from './support/fakes.js';
import { Phone } from './support/phone.js';
import { NEW_TASK } from './support/rows.js';
import { synchronize } from './support/synchronize.js';
import { startTeam } from './support/team.js';

// A local database belongs to one user and one project.

let server, alice, bob, schema, project;

before(async () => {
    ({ server, alice, bob, schema, project } = await startTeam());
});
after(() => server.stop());

/** Alice's phone with her private rows, and bob's adapter on the same database and storage. */
async function handedOver() {
    const id = await project('Dig');
    await server.api(alice, 'POST', `/projects/${id}/time_entries/`,
        { task: `${id}-0`, started_at: '2026-01-05T08:00:00Z', ended_at: '2026-01-05T09:00:00Z' }).catch(() => {});
    const storage = memoryStorage();
    const first = new Phone(server, id, alice, { schema, storage });
    await first.sync();
    const second = new Phone(server, id, bob, { schema, storage });
    second.database = first.database;
    return { id, first, second, storage };
}

test('another user is refused before anything is pulled or sent', async () => {
    const { id, first, second } = await handedOver();
    first.database.update('tasks', `${id}-0`, { name: 'Alice was here' });
    await assert.rejects(second.sync(), failing({ code: 'other_user', isOtherUser: true, isTemporary: false }));
    assert.deepEqual(second.requests.map(({ address }) => new URL(address).pathname), ['/api/v1/auth/me/']);
    await first.sync();
    assert.equal((await server.api(alice, 'GET', `/tasks/${id}-0/`)).name, 'Alice was here');
});

test('so is one who logs in while the adapter exists, and in a push', async () => {
    const { id, first, storage } = await handedOver();
    let user = alice;
    const phone = new Phone(server, id, () => user, { schema, storage });
    phone.database = first.database;
    await phone.sync();
    user = bob;
    await assert.rejects(phone.sync(), failing({ isOtherUser: true }));
    const changes = { tasks: bucket([{ id: `${id}-0`, name: 'x', _changed: 'name' }]) };
    await assert.rejects(phone.adapter.pushChanges({ changes, lastPulledAt: 1 }), failing({ isOtherUser: true }));
    user = alice;
    await phone.sync();
});

test('a lost push of one user is not sent by the other', async () => {
    const { id, first, second } = await handedOver();
    first.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof' });
    first.onRequest = init => {
        if (init.method === 'POST') throw new TypeError('the request is lost');
    };
    await assert.rejects(first.sync());
    await assert.rejects(second.sync(), failing({ isOtherUser: true }));
    assert.ok(!second.requests.some(({ method }) => method === 'POST'));
});

test('after a reset of the database and forget(), another user can start', async () => {
    const { id, first, second, storage } = await handedOver();
    await first.sync();
    const running = first.sync();
    await first.adapter.forget(async () => first.database.reset());
    await running;
    await second.sync();
    assert.equal(second.database.rows('tasks').size, 1);
    assert.equal(second.database.rows('time_entries').size, 0);
    const again = new Phone(server, id, alice, { schema, storage });
    again.database = second.database;
    await assert.rejects(again.sync(), failing({ isOtherUser: true }));
});

test('a sync during forget() waits, and a failed reset keeps the owner', async () => {
    const { first, second } = await handedOver();
    await assert.rejects(first.adapter.forget(async () => { throw new Error('the disk is full'); }), /disk/);
    await assert.rejects(second.sync(), failing({ isOtherUser: true }));
    const steps = [];
    const done = first.adapter.forget(async () => {
        await new Promise(resolve => setImmediate(resolve));
        first.database.reset();
        steps.push('reset');
    });
    first.onRequest = () => void steps.push('request');
    await Promise.all([done, first.sync()]);
    assert.equal(steps.indexOf('reset'), 0);
});

test('after forget() nothing is left in the storage', async () => {
    const id = await project('Dig');
    const keys = new Map();
    const storage = {
        get: async key => keys.get(key), set: async (key, value) => void keys.set(key, value),
        remove: async key => void keys.delete(key),
    };
    const phone = new Phone(server, id, alice, { schema, storage, collections: ['tasks'] });
    phone.database.adapter = { dbName: 'plans' };
    await phone.sync();
    phone.database.update('tasks', `${id}-0`, { name: 'Mine' });
    phone.onAnswer = init => {
        if (init.method === 'POST') throw new TypeError('the answer is lost');
    };
    await assert.rejects(phone.sync());
    assert.ok(keys.size >= 5, [...keys.keys()].join());
    await phone.adapter.forget();
    assert.deepEqual([...keys.keys()], []);
});

test('the user is requested once for each token', async () => {
    let asked = 0;
    let token = 'a';
    const { sync } = fakeSync(({ path }) => {
        if (path.endsWith('/auth/me/')) asked++;
        return path.endsWith('/auth/me/') ? { body: { id: 7 } } : page({}, 7);
    }, { token: () => token, answersMe: false });
    for (let pull = 0; pull < 3; pull++) await sync.pullChanges({ lastPulledAt: 5 });
    assert.equal(asked, 1);
    token = 'b';
    await sync.pullChanges({ lastPulledAt: 5 });
    assert.equal(asked, 2);
});

test('an answer without an id is refused', async () => {
    const { sync } = fakeSync(() => ({ body: {} }), { answersMe: false, retry: { attempts: 1 } });
    await assert.rejects(sync.pullChanges({ lastPulledAt: 5 }), failing({ code: 'invalid_answer' }));
});

/** `claim` of the README, for this phone. */
function claimOf({ adapter, database }) {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const [, code] = readme.match(/^### Before the first log-in$.*?^```js\n(.*?)^```$/ms);
    Object.assign(database, { write: work => work(), unsafeResetDatabase: async () => database.reset() });
    return new Function('tidemark', 'synchronize', 'database', `${code}\nreturn claim;`)(adapter, synchronize, database);
}

for (const areTheirs of [true, false]) {
    test(`rows from before the first log-in are asked about by the README's code: ${areTheirs}`, async () => {
        const id = await project('Dig');
        let token = alice;
        const phone = new Phone(server, id, () => token, { schema });
        const { database } = phone;
        database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof' });
        const asked = [];
        const claim = claimOf(phone);
        await claim(async unsent => {
            asked.push(unsent);
            return areTheirs;
        });
        assert.deepEqual(asked, [{ tasks: [`${id}-new`] }]);
        // Nobody owns the database so far.
        token = bob;
        await claim(async () => areTheirs);
        await phone.sync();
        const { results } = await server.api(alice, 'GET', `/projects/${id}/tasks/`);
        const there = areTheirs ? ['Dig', 'Roof'] : ['Dig'];
        assert.deepEqual(results.map(({ name }) => name).sort(), there);
        assert.deepEqual([...database.rows('tasks').values()].map(({ name }) => name).sort(), there);
        await claim(assert.fail);
        token = alice;
        await assert.rejects(phone.sync(), failing({ isOtherUser: true }));
    });
}

for (const isNamed of [true, false]) {
    test(`two projects in one ${isNamed ? 'named ' : ''}database are refused`, async () => {
        const [one, other] = [await project('Dig'), await project('Paint')];
        const storage = memoryStorage();
        const first = new Phone(server, one, alice, { schema, storage });
        if (isNamed) first.database.adapter = { dbName: 'plans' };
        await first.sync();
        const second = new Phone(server, other, alice, { schema, storage });
        second.database = first.database;
        await assert.rejects(second.sync(), failing({ code: 'other_project', isOtherUser: false }));
        assert.equal(second.database.rows('tasks').size, 1);
        await first.sync();
        first.database.reset();
        await second.sync();
        assert.ok(second.task(`${other}-0`));
    });
}

test('the project of a named database is known after a restart', async () => {
    const [one, other] = [await project('Dig'), await project('Paint')];
    const storage = memoryStorage();
    const first = new Phone(server, one, alice, { schema, storage });
    first.database.adapter = { dbName: 'plans' };
    await first.sync();
    const second = new Phone(server, other, alice, { schema, storage });
    second.database.adapter = { dbName: 'plans' };
    second.database.lastPulledAt = first.database.lastPulledAt;
    await assert.rejects(second.sync(), failing({ code: 'other_project' }));
});

test('what a log-out would lose is listed, whatever a sync has left and why', async () => {
    const id = await server.project(alice);
    for (const task of ['a', 'b', 'c']) await server.task(alice, id, { id: `${id}-${task}`, name: 'Dig' });
    const newer = {
        ...schema, photos: { caption: { type: 'string' } }, tasks: { ...schema.tasks, draft: { type: 'string' } },
    };
    const phone = new Phone(server, id, alice, { schema: newer, localColumns: { tasks: ['draft'] } });
    const { adapter, database } = phone;
    const unsent = () => adapter.unsent({ synchronize, database });
    database.create('tasks', { id: `${id}-new`, name: 'Roof', status: 'NOT_STARTED', duration: 1 });
    assert.deepEqual(await unsent(), { tasks: [`${id}-new`] }, 'before the first pull');
    await phone.sync();
    assert.deepEqual(await unsent(), {});
    await server.api(alice, 'POST', `/projects/${id}/archive/`);
    database.create('photos', { id: 'p', caption: 'The app alone has photos' });
    database.update('tasks', `${id}-a`, { draft: 'x' });
    assert.deepEqual(await unsent(), {}, 'what only the app has is not lost for the server');
    database.update('tasks', `${id}-b`, { name: 'Dug' });
    database.remove('tasks', `${id}-c`);
    await phone.sync().catch(error => assert.equal(error.code, 'project_archived'));
    assert.deepEqual(await unsent(), { tasks: [`${id}-b`, `${id}-c`] });
    assert.deepEqual(database.errors, []);
});
