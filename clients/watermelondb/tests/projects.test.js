import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { memoryStorage } from '../index.js';
import { startHousehold } from './support/household.js';
import { NEW, NEW_TASK } from './support/rows.js';

// One database for all projects of a user, against a real server.

let server, alice, bob, schema, projects, phone;

before(async () => {
    ({ server, alice, bob, schema, projects, phone } = await startHousehold({ TIDEMARK_SYNC_BATCH_MAX_ROWS: '20' }));
});
after(() => server.stop());

const uploads = phone => phone.requests.filter(({ method }) => method === 'POST');
const paths = phone => phone.requests.map(({ method, address }) => `${method} ${new URL(address).pathname}`);
const onServer = (id, token = alice) => server.api(token, 'GET', `/tasks/${id}/`);
const rename = (id, name, token = alice) => server.api(token, 'PATCH', `/tasks/${id}/`, { name });
const revoke = async (project, name) => {
    const id = await membership(project, name);
    await server.api(alice, 'DELETE', `/memberships/${id}/`);
};
const membership = async (project, name) => {
    const { results: [{ id: user }] } = await server.api(alice, 'GET', `/users/?username=${name}`);
    const { results } = await server.api(alice, 'GET', `/projects/${project}/memberships/`);
    return results.find(row => row.user === user).id;
};

test('edits made offline in three projects go out in one batch and reach another phone', async () => {
    const ids = await projects(3, 'Dig', 'Pour');
    const phones = [phone(alice), phone(alice)];
    for (const each of phones) await each.sync();
    const [{ database }, other] = phones;
    for (const id of ids) {
        assert.equal(database.rows('tasks').get(`${id}-0`).project_id, id);
        database.update('tasks', `${id}-0`, { name: 'Dug' });
        database.remove('tasks', `${id}-1`);
        database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof', project_id: id });
        database.create('risks', { ...NEW.risks, id: `${id}-risk`, task_ids: JSON.stringify([`${id}-new`]),
            project_id: id });
    }
    await phones[0].sync();
    const [{ address, body }, ...more] = uploads(phones[0]);
    assert.deepEqual([new URL(address).pathname, more], ['/api/v1/sync/', []]);
    assert.equal(JSON.parse(body).changes.tasks.created[0].project_id, ids[0]);
    assert.deepEqual([database.hasChanges(), database.errors, phones[0].reports], [false, [], []]);
    await phones[0].sync();
    await other.sync();
    for (const name of Object.keys(schema)) assert.equal(other.snapshot(name), phones[0].snapshot(name), name);
    assert.deepEqual(ids.map(id => other.task(`${id}-new`).project_id), ids);
});

test('a project that is granted comes, goes after the app was told, and comes again', async () => {
    const [kept, lent] = await projects(2, 'Dig');
    await server.member(kept, 'bob', 'member');
    const told = [];
    const bobs = phone(bob, {
        // The rows are still there.
        onAccessLost: (...lost) => void told.push([...lost, bobs.database.rows('tasks').has(`${lent}-0`)]),
    });
    await bobs.sync();
    assert.deepEqual([bobs.task(`${lent}-0`), bobs.task(`${kept}-0`).name], [undefined, 'Dig']);
    for (let round = 1; round <= 2; round++) {
        await server.member(lent, 'bob', 'member');
        await bobs.sync();
        assert.equal(bobs.task(`${lent}-0`).name, 'Dig');
        bobs.database.update('tasks', `${kept}-0`, { name: `Dug ${round}` });
        await revoke(lent, 'bob');
        await bobs.sync();
        assert.deepEqual(told, Array(round).fill([lent, 'membership_revoked', true]));
        assert.equal(bobs.task(`${lent}-0`), undefined);
        assert.equal((await onServer(`${kept}-0`)).name, `Dug ${round}`);
        await bobs.sync();
    }
    assert.deepEqual([told.length, bobs.database.errors], [2, []]);
    await server.api(alice, 'DELETE', `/projects/${kept}/`);
    await bobs.sync();
    assert.deepEqual(told[2], [kept, 'project_deleted', false]);
    assert.equal(bobs.task(`${kept}-0`), undefined);
});

test('a project that was left and joined again is not lost', async () => {
    const [id] = await projects(1, 'Dig');
    await server.member(id, 'bob', 'member');
    const bobs = phone(bob, { onAccessLost: () => assert.fail('it is here') });
    await bobs.sync();
    await revoke(id, 'bob');
    await server.member(id, 'bob', 'viewer');
    await bobs.sync();
    assert.equal(bobs.task(`${id}-0`).name, 'Dig');
});

/** A sync whose rows are stored and whose watermark is not. */
async function killed(phone) {
    phone.database.isKilled = () => true;
    await assert.rejects(phone.sync(), /killed/);
    phone.database.isKilled = null;
}

test('a project that was given and taken while the watermark stood still leaves nothing behind', async () => {
    const [kept, given] = await projects(2, 'Dig');
    await server.member(kept, 'bob', 'member');
    const told = [];
    const bobs = phone(bob, { onAccessLost: project => void told.push(project) });
    await bobs.sync();
    await server.member(given, 'bob', 'member');
    await killed(bobs);
    assert.equal(bobs.task(`${given}-0`).name, 'Dig');
    await revoke(given, 'bob');
    await bobs.sync();
    assert.deepEqual([bobs.task(`${given}-0`), bobs.database.rows('projects').has(given)], [undefined, false]);
    assert.deepEqual([bobs.task(`${kept}-0`).name, told], ['Dig', [given]]);
});

test('a project that was taken and given while the watermark stood still is whole', async () => {
    const [id] = await projects(1, 'Dig', 'Pour');
    await server.member(id, 'bob', 'member');
    const bobs = phone(bob);
    await bobs.sync();
    await revoke(id, 'bob');
    await killed(bobs);
    assert.equal(bobs.task(`${id}-0`), undefined);
    await server.member(id, 'bob', 'member');
    await bobs.sync();
    const fresh = phone(bob);
    await fresh.sync();
    for (const name of Object.keys(schema)) assert.equal(bobs.snapshot(name), fresh.snapshot(name), name);
    assert.deepEqual(bobs.database.errors, []);
});

/**
 * Bob's phone, which has no answer to its last upload. While `isBusy`, uploads are refused as busy: the phone pulls, and
 * its watermark stands still.
 */
async function unanswered(options) {
    const [home] = await projects(1, 'Home');
    await server.member(home, 'bob', 'member');
    const bobs = phone(bob, { retry: { attempts: 1 }, ...options });
    await bobs.sync();
    bobs.database.update('tasks', `${home}-0`, { name: 'by bob' });
    bobs.onAnswer = ({ method }) => { if (method === 'POST') throw new TypeError('the answer is lost'); };
    await assert.rejects(bobs.sync());
    bobs.onAnswer = null;
    const busy = async () => {
        const problem = '{"code": "busy", "detail": "Later.", "status": 503}';
        bobs.onRequest = ({ method }) => (method === 'POST' ? new Response(problem, { status: 503 }) : null);
        await assert.rejects(bobs.sync(), { code: 'busy' });
        bobs.onRequest = null;
    };
    return { bobs, busy };
}

test('while uploads are busy a project may come and go, or go and come, and the phone ends as the server', async () => {
    const [given, taken] = await projects(2, 'Dig', 'Pour');
    await server.member(taken, 'bob', 'member');
    const told = [];
    const { bobs, busy } = await unanswered({ onAccessLost: project => void told.push(project) });
    const before = bobs.database.lastPulledAt;
    await server.member(given, 'bob', 'member');
    await revoke(taken, 'bob');
    await busy();
    assert.deepEqual([bobs.task(`${given}-0`).name, bobs.task(`${taken}-0`)], ['Dig', undefined]);
    assert.equal(bobs.database.lastPulledAt, before);
    await revoke(given, 'bob');
    await server.member(taken, 'bob', 'member');
    for (let round = 0; round < 2; round++) await bobs.sync();
    const fresh = phone(bob);
    await fresh.sync();
    for (const name of Object.keys(schema)) assert.equal(bobs.snapshot(name), fresh.snapshot(name), name);
    assert.deepEqual([bobs.database.errors, told.includes(given)], [[], true]);
});

test('rows of a first sync that was stored without its watermark go if they are deleted', async () => {
    const [id] = await projects(1, 'Dig', 'Pour');
    const phoneOfAlice = phone(alice);
    await killed(phoneOfAlice);
    assert.equal(phoneOfAlice.task(`${id}-1`).name, 'Pour');
    phoneOfAlice.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof', project_id: id });
    await server.api(alice, 'DELETE', `/tasks/${id}-1/`);
    await phoneOfAlice.sync();
    assert.deepEqual([phoneOfAlice.task(`${id}-1`), phoneOfAlice.task(`${id}-new`)._status], [undefined, 'synced']);
});

test('while the app fails to save what it loses, nothing is taken away', async () => {
    const [id] = await projects(1, 'Dig');
    await server.member(id, 'bob', 'member');
    let isFull = true;
    const bobs = phone(bob, {
        onAccessLost: () => {
            if (isFull) throw new Error('the disk is full');
        },
    });
    await bobs.sync();
    bobs.database.update('tasks', `${id}-0`, { name: 'Mine' });
    const before = bobs.database.lastPulledAt;
    await revoke(id, 'bob');
    await assert.rejects(bobs.sync(), /disk/);
    assert.deepEqual([bobs.task(`${id}-0`).name, bobs.database.lastPulledAt], ['Mine', before]);
    isFull = false;
    await bobs.sync();
    assert.equal(bobs.task(`${id}-0`), undefined);
});

test('new rows of a lost project stay unsent until the app takes them away', async () => {
    const [id, other] = await projects(2, 'Dig');
    for (const project of [id, other]) await server.member(project, 'bob', 'member');
    let saved = null;
    const bobs = phone(bob, {
        onAccessLost: project => {
            if (saved) return;
            saved = [...bobs.database.rows('tasks').values()].filter(row => row.project_id === project);
        },
    });
    await bobs.sync();
    await revoke(id, 'bob');
    bobs.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof', project_id: id });
    bobs.database.update('tasks', `${other}-0`, { name: 'Dug' });
    for (let round = 1; round <= 2; round++) {
        await bobs.sync();
        assert.deepEqual(bobs.reports.at(-1).rejected.tasks.map(({ id, code }) => [id, code]),
            [[`${id}-new`, 'membership_revoked']]);
    }
    assert.deepEqual(saved.map(row => row.id).sort(), [`${id}-0`, `${id}-new`]);
    assert.deepEqual([bobs.task(`${id}-new`)._status, bobs.task(`${other}-0`)._status], ['created', 'synced']);
    bobs.database.table('tasks').delete(`${id}-new`);
    await bobs.sync();
    assert.equal(bobs.database.hasChanges(), false);
});

for (const isAnswered of [true, false]) {
    test(`rows sent since the last pull go with their project, ${isAnswered ? 'answered' : 'not answered'}`, async () => {
        const [id] = await projects(1, 'Dig');
        await server.member(id, 'bob', 'member');
        const bobs = phone(bob, { retry: { attempts: 1 } });
        await bobs.sync();
        bobs.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof', project_id: id });
        bobs.onAnswer = init => {
            if (!isAnswered && init.method === 'POST') throw new TypeError('the answer is lost');
        };
        await bobs.sync().catch(() => {});
        await revoke(id, 'bob');
        const again = phone(bob, { former: bobs });
        await again.sync();
        await again.sync();
        assert.deepEqual([again.task(`${id}-new`), again.database.hasChanges()], [undefined, false]);
        assert.equal((await onServer(`${id}-new`)).name, 'Roof');
        // If the project comes again, so does the row.
        await server.member(id, 'bob', 'member');
        await again.sync();
        assert.deepEqual([again.task(`${id}-new`).name, again.database.errors], ['Roof', []]);
    });
}

test('edits, deletes and new rows of an archived project stay unsent until it is unarchived', async () => {
    const [id, other] = await projects(2, 'Dig', 'Pour');
    const alices = phone(alice);
    await alices.sync();
    await server.api(alice, 'POST', `/projects/${id}/archive/`);
    alices.database.update('tasks', `${id}-0`, { name: 'Dug' });
    alices.database.remove('tasks', `${id}-1`);
    alices.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof', project_id: id });
    alices.database.update('tasks', `${other}-0`, { name: 'Dug' });
    for (let round = 0; round < 2; round++) {
        await alices.sync();
        const statuses = ['0', '1', 'new'].map(task => alices.database.table('tasks').get(`${id}-${task}`)._status);
        assert.deepEqual(statuses, ['updated', 'deleted', 'created']);
        assert.equal(alices.task(`${id}-0`).name, 'Dug');
    }
    assert.equal((await onServer(`${other}-0`)).name, 'Dug');
    await server.api(alice, 'POST', `/projects/${id}/unarchive/`);
    await alices.sync();
    assert.equal(alices.database.hasChanges(), false);
    assert.deepEqual([(await onServer(`${id}-0`)).name, (await onServer(`${id}-new`)).name], ['Dug', 'Roof']);
    await assert.rejects(onServer(`${id}-1`), /404/);
});

test('a new row without a project is refused and can be corrected', async () => {
    const [id] = await projects(1, 'Dig');
    const alices = phone(alice);
    await alices.sync();
    alices.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof' });
    await alices.sync();
    const [{ field, code }] = alices.reports[0].rejected.tasks;
    assert.deepEqual([field, code, alices.task(`${id}-new`)._status], ['project_id', 'required', 'created']);
    alices.database.update('tasks', `${id}-new`, { project_id: id });
    await alices.sync();
    assert.equal((await onServer(`${id}-new`)).name, 'Roof');
});

test('a row that was moved to another project stays unsent until it is moved back', async () => {
    const [id, other] = await projects(2, 'Dig', 'Pour');
    const alices = phone(alice);
    await alices.sync();
    alices.database.update('tasks', `${id}-0`, { project_id: other });
    // This is an edit that changes nothing.
    alices.database.update('tasks', `${id}-1`, { project_id: other });
    alices.database.update('tasks', `${id}-1`, { project_id: id });
    for (let round = 0; round < 2; round++) await alices.sync();
    const codes = alices.reports.flatMap(({ rejected }) => rejected.tasks ?? []).map(({ id, code }) => [id, code]);
    assert.deepEqual(codes, Array(2).fill([`${id}-0`, 'id_unavailable']));
    assert.deepEqual([alices.task(`${id}-0`)._status, alices.task(`${id}-1`)._status], ['updated', 'synced']);
    alices.database.update('tasks', `${id}-0`, { project_id: id, name: 'Dug' });
    await alices.sync();
    assert.equal((await onServer(`${id}-0`)).name, 'Dug');
    assert.equal(alices.database.hasChanges(), false);
});

test('an edit of a row whose project the app does not know yet is sent', async () => {
    const [id] = await projects(1, 'Dig');
    const alices = phone(alice);
    await alices.sync();
    alices.database.update('tasks', `${id}-0`, { name: 'Dug' });
    Object.assign(alices.database.table('tasks').get(`${id}-0`), { project_id: '' });
    alices.adapter = phone(alice, { former: alices }).adapter;
    const { pushChanges } = alices.adapter;
    await pushChanges({ changes: alices.database.localChanges(), lastPulledAt: alices.database.lastPulledAt });
    assert.equal((await onServer(`${id}-0`)).name, 'Dug');
});

test('a batch over several projects whose answer is lost does not overwrite later edits', async () => {
    const ids = await projects(2, 'Dig');
    const alices = phone(alice, { retry: { attempts: 1 } });
    await alices.sync();
    for (const id of ids) {
        await server.member(id, 'bob', 'member');
        alices.database.update('tasks', `${id}-0`, { name: 'Mine' });
    }
    alices.onAnswer = init => {
        if (init.method === 'POST') throw new TypeError('the answer is lost');
    };
    await assert.rejects(alices.sync());
    await rename(`${ids[0]}-0`, 'Newer', bob);
    const again = phone(alice, { former: alices });
    again.database.update('tasks', `${ids[1]}-0`, { notes: 'deep' });
    await again.sync();
    assert.deepEqual([(await onServer(`${ids[0]}-0`)).name, again.task(`${ids[0]}-0`).name], ['Newer', 'Newer']);
    assert.equal((await onServer(`${ids[1]}-0`)).notes, 'deep');
    const sent = uploads(again).map(({ body }) => JSON.parse(body).client_batch_id);
    assert.equal(sent[0], JSON.parse(uploads(alices)[0].body).client_batch_id);
    assert.equal(again.database.hasChanges(), false);
});

test('the first sync in turbo loads all projects', async () => {
    const ids = await projects(2, 'Dig');
    const alices = phone(alice);
    await alices.sync({ unsafeTurbo: true });
    assert.deepEqual(ids.map(id => alices.task(`${id}-0`).project_id), ids);
    assert.ok(paths(alices).includes('GET /api/v1/sync/'));
});

test('a column for the project that is new in the app is filled', async () => {
    const [id] = await projects(1, 'Dig');
    const plain = await server.schema(alice);
    const former = phone(alice, { project: id, schema: plain });
    await former.sync();
    assert.equal('project_id' in former.task(`${id}-0`), false);
    const columns = [{ table: 'tasks', columns: ['project_id'] }];
    Object.assign(former.database, { schema, version: 2, migrations: [{ toVersion: 2, columns }] });
    const updated = phone(alice, { former, project: id });
    await updated.sync();
    assert.equal(updated.task(`${id}-0`).project_id, id);
});

test('memberships are read from the database and changed over REST, and a refusal loses nothing', async () => {
    const [id] = await projects(1, 'Dig');
    await server.member(id, 'bob', 'member');
    const storage = memoryStorage();
    const bobs = phone(bob, { storage, onAccessLost: () => assert.fail('only a request was refused') });
    await bobs.sync();
    const other = await projects(1);
    await server.member(other[0], 'bob', 'member');
    await revoke(other[0], 'bob');
    await assert.rejects(bobs.adapter.request('GET', `/projects/${other[0]}/`), { isAccessLost: true });
});
