import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { failing } from './support/fakes.js';
import { NEW_TASK, Phone } from './support/phone.js';
import { Server } from './support/server.js';

let server, alice, bob, schema;

before(async () => {
    server = await Server.start({ TIDEMARK_SYNC_BATCH_MAX_ROWS: '20' });
    [alice, bob] = [await server.user('alice'), await server.user('bob')];
    schema = await server.schema(alice);
});
after(() => server.stop());

const names = phone => [...phone.database.rows('tasks').values()].map(({ name }) => name).sort();

/** A project with these tasks, ids `t0`, `t1` … behind a prefix, and bob as a member. */
async function project(...tasks) {
    const id = await server.project(alice);
    await server.member(id, 'bob', 'member');
    for (const [index, name] of tasks.entries()) await server.task(alice, id, { id: `${id}-${index}`, name });
    return id;
}

function phones(id, ...options) {
    return [alice, bob].map((token, index) => new Phone(server, id, token, { schema, ...options[index] }));
}

test('a first sync in small pages brings everything, in the types of the columns', async () => {
    const id = await project('Dig', 'Pour', 'Build');
    const risk = await server.api(alice, 'POST', `/projects/${id}/risks/`,
        { title: 'Rain', probability: 2, impact: 3, task_ids: [`${id}-0`] });
    const [phone] = phones(id, { pageSize: 1 });
    await phone.sync();
    assert.deepEqual(names(phone), ['Build', 'Dig', 'Pour']);
    assert.equal(phone.database.rows('risks').get(risk.id).task_ids, JSON.stringify([`${id}-0`]));
    assert.ok(phone.requests.length > 5);
    assert.deepEqual(phone.database.errors, []);
    const calm = phone.database.lastPulledAt;
    await phone.sync();
    assert.equal(phone.database.lastPulledAt, calm);
});

test('new, edited and deleted tasks reach the other phone', async () => {
    const id = await project('Dig', 'Pour');
    const [a, b] = phones(id);
    await a.sync();
    await b.sync();
    a.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof', modified_at: 1_700_000_000_123 });
    a.database.update('tasks', `${id}-0`, { percent_complete: 50.5 });
    a.database.remove('tasks', `${id}-1`);
    await a.sync();
    assert.equal(a.database.hasChanges(), false);
    await b.sync();
    assert.deepEqual(names(b), ['Dig', 'Roof']);
    assert.equal(b.task(`${id}-0`).percent_complete, 50.5);
    assert.equal(b.task(`${id}-new`).modified_at, 1_700_000_000_123);
    await a.sync();
    for (const name of Object.keys(schema)) assert.equal(a.snapshot(name), b.snapshot(name), name);
});

test('what the server does not take by upload stays unsent, and is not lost', async () => {
    const id = await project('Dig');
    const risk = await server.api(alice, 'POST', `/projects/${id}/risks/`, { title: 'Rain', probability: 2, impact: 3 });
    const [phone] = phones(id);
    await phone.sync();
    phone.database.update('risks', risk.id, { title: 'Hail' });
    phone.database.update('tasks', `${id}-0`, { name: 'Dug' });
    await phone.sync();
    assert.equal(phone.database.rows('risks').get(risk.id)._status, 'updated');
    assert.equal(phone.task(`${id}-0`)._status, 'synced');
    // The app's own way for such rows.
    await phone.adapter.request('PATCH', `/risks/${risk.id}/`, { body: { title: 'Hail' } });
    await phone.sync();
    assert.equal(phone.database.rows('risks').get(risk.id).title, 'Hail');
});

test('edits of different columns both survive, and of one column the last one', async () => {
    const id = await project('Dig');
    const [a, b] = phones(id);
    await a.sync();
    await b.sync();
    a.database.update('tasks', `${id}-0`, { name: 'A', notes: 'a' });
    b.database.update('tasks', `${id}-0`, { name: 'B', percent_complete: 10 });
    // Between the pull and the push of the first.
    a.onRequest = async init => {
        if (init.method !== 'POST') return;
        a.onRequest = null;
        await b.sync();
    };
    await a.sync();
    await b.sync();
    await a.sync();
    const { name, notes, percent_complete: percent } = b.task(`${id}-0`);
    assert.deepEqual([name, notes, percent], ['A', 'a', 10]);
    assert.equal(a.snapshot('tasks'), b.snapshot('tasks'));
});

for (const onConflict of ['reject', 'merge', 'newest']) {
    test(`with ${onConflict} two edits between pull and push end alike on both phones`, async () => {
        const id = await project('Dig');
        const [a, b] = phones(id, { onConflict }, { onConflict });
        await a.sync();
        await b.sync();
        a.database.update('tasks', `${id}-0`, { name: 'A', notes: 'a' });
        b.database.update('tasks', `${id}-0`, { name: 'B' });
        a.onRequest = async init => {
            if (init.method !== 'POST') return;
            a.onRequest = null;
            await b.sync();
        };
        await a.sync();
        for (const phone of [a, b, a]) await phone.sync();
        assert.equal(a.snapshot('tasks'), b.snapshot('tasks'));
        assert.deepEqual([a.database.hasChanges(), b.database.hasChanges()], [false, false]);
        const statuses = a.requests.filter(({ method }) => method === 'POST').map(({ status }) => status);
        if (onConflict === 'reject') assert.deepEqual([statuses, a.task(`${id}-0`).name], [[409, 200], 'A']);
        // Left alone, told, and in the inbox.
        if (onConflict === 'merge') {
            assert.equal(a.reports[0].conflicts.tasks[0].client_values.name, 'A');
            const { results } = await a.adapter.request('GET', `/projects/${id}/rejected/`);
            assert.ok(results.some(({ field, sent }) => field === 'name' && sent === 'A'));
        }
    });
}

test('a refused new row stays and can be mended; a refused edit is put right by the next pull', async () => {
    const id = await project('Dig');
    const [phone] = phones(id);
    await phone.sync();
    phone.database.create('tasks', { ...NEW_TASK, id: `${id}-bad`, name: 'Bad', status: 'NO_SUCH' });
    phone.database.create('tasks', { ...NEW_TASK, id: `${id}-good`, name: 'Good' });
    phone.database.update('tasks', `${id}-0`, { percent_complete: 1000 });
    await phone.sync();
    assert.deepEqual(phone.reports[0].rejected.tasks.map(({ field }) => field).sort(), ['percent_complete', 'status']);
    assert.deepEqual([phone.task(`${id}-bad`)._status, phone.task(`${id}-good`)._status], ['created', 'synced']);
    phone.database.update('tasks', `${id}-bad`, { status: 'BACKLOG' });
    await phone.sync();
    assert.equal(phone.task(`${id}-0`).percent_complete, 0);
    assert.equal(phone.task(`${id}-bad`)._status, 'synced');
});

test('an archived project refuses the push, and takes it when it is open again', async () => {
    const id = await project('Dig');
    const [phone] = phones(id);
    await phone.sync();
    await server.api(alice, 'POST', `/projects/${id}/archive/`);
    phone.database.remove('tasks', `${id}-0`);
    await assert.rejects(phone.sync(), failing({ code: 'project_archived', status: 403 }));
    await server.api(alice, 'POST', `/projects/${id}/unarchive/`);
    await phone.sync();
    assert.equal(phone.database.hasChanges(), false);
});

test('more rows than a batch may have go in parts, also a tree that was turned over', async () => {
    const id = await project('Dig');
    const [phone] = phones(id);
    await phone.sync();
    const task = number => `${id}-n${number}`;
    for (let number = 0; number < 90; number++) {
        phone.database.create('tasks', { ...NEW_TASK, id: task(number), name: `${number}`, parent: number < 89 ? task(number + 1) : null });
    }
    await phone.sync();
    for (let number = 0; number < 90; number++) phone.database.update('tasks', task(number), { parent: number ? task(number - 1) : null });
    phone.database.remove('tasks', `${id}-0`);
    await phone.sync();
    assert.deepEqual(phone.reports, []);
    const fresh = phones(id)[0];
    await fresh.sync();
    await phone.sync();
    assert.equal(fresh.snapshot('tasks'), phone.snapshot('tasks'));
    assert.equal(fresh.task(task(89)).parent, task(88));
    assert.ok(phone.requests.filter(({ method, status }) => method === 'POST' && status === 200).length >= 10);
});

test('an upload whose answers are lost is applied once', async () => {
    const id = await project('Dig');
    const [phone] = phones(id);
    await phone.sync();
    phone.database.update('tasks', `${id}-0`, { name: 'Dug' });
    const ids = [];
    phone.onAnswer = (init, response) => {
        if (init.method !== 'POST') return;
        ids.push([JSON.parse(init.body).client_batch_id, response.headers.get('Idempotent-Replayed')]);
        if (ids.length < 3) throw new TypeError('the answer is lost');
    };
    await phone.sync();
    assert.deepEqual(ids.map(([, replayed]) => replayed), [null, 'true', 'true']);
    assert.equal(new Set(ids.map(([id]) => id)).size, 1);
    await phone.sync();
    assert.equal(phone.task(`${id}-0`).server_version, 2);
});

test('an edit equal to an earlier one is no replay', async () => {
    const id = await project('Dig');
    const [phone] = phones(id);
    await phone.sync();
    for (const name of ['A', 'B', 'A', 'B']) {
        phone.database.update('tasks', `${id}-0`, { name });
        await phone.sync();
        assert.equal((await server.api(alice, 'GET', `/tasks/${id}-0/`)).name, name);
    }
});

test('who lost the membership hears of it, once unsent edits are saved', async () => {
    const id = await project('Dig');
    const saved = [];
    const [, phone] = phones(id, {}, { onAccessLost: error => saved.push(error.code, phone.database.hasChanges()) });
    await phone.sync();
    phone.database.update('tasks', `${id}-0`, { name: 'Mine' });
    const { results } = await server.api(alice, 'GET', `/projects/${id}/memberships/`);
    await server.api(alice, 'DELETE', `/memberships/${results.find(({ role }) => role === 100).id}/`);
    await assert.rejects(phone.sync(), failing({ code: 'membership_revoked', isAccessLost: true }));
    assert.deepEqual(saved, ['membership_revoked', true]);
});

test('of a deleted project, too', async () => {
    const id = await project('Dig');
    const [phone] = phones(id);
    await phone.sync();
    await server.api(alice, 'DELETE', `/projects/${id}/`);
    await assert.rejects(phone.sync(), failing({ code: 'project_deleted', isAccessLost: true }));
});

test('a wrong token is told', async () => {
    const id = await project();
    const phone = new Phone(server, id, 'tmk_wrong', { schema });
    await assert.rejects(phone.sync(), failing({ status: 401, code: 'unauthorized' }));
});

test('after a purge the phone is brought up to date by a replacement, and keeps its new rows', async () => {
    const id = await project('Dig', 'Pour');
    const [phone] = phones(id);
    await phone.sync();
    phone.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof' });
    await server.api(alice, 'DELETE', `/tasks/${id}-0/`);
    await server.command('purge', '--older-than', '0s');
    await phone.sync();
    assert.deepEqual(names(phone), ['Pour', 'Roof']);
    assert.equal(phone.database.hasChanges(), false);
    assert.equal((await server.api(alice, 'GET', `/tasks/${id}-new/`)).name, 'Roof');
});

test('a demotion and a promotion bring rows away and back', async () => {
    const id = await project('Dig');
    const sprint = await server.api(alice, 'POST', `/projects/${id}/sprints/`,
        { name: 'One', start_date: '2026-01-05', finish_date: '2026-01-16' });
    await server.api(alice, 'POST', `/projects/${id}/sprint_retros/`, { sprint: sprint.id, notes: 'secret' });
    const [, phone] = phones(id, {}, { pageSize: 2 });
    const retros = () => phone.database.rows('sprint_retros').size;
    await phone.sync();
    assert.equal(retros(), 1);
    await server.member(id, 'bob', 'viewer');
    await phone.sync();
    assert.equal(retros(), 0);
    await server.member(id, 'bob', 'member');
    await phone.sync();
    assert.equal(retros(), 1);
});

test('a role that changes during a drain begins it again', async () => {
    const id = await project('Dig', 'Pour', 'Build');
    const [, phone] = phones(id, {}, { pageSize: 2 });
    let pages = 0;
    phone.onRequest = async () => {
        if (++pages === 3) await server.member(id, 'bob', 'scheduler');
    };
    await phone.sync();
    assert.ok(phone.requests.some(({ status }) => status === 400));
    assert.deepEqual(names(phone), ['Build', 'Dig', 'Pour']);
});

test('after an app update the migration brings what its tables and columns lack', async () => {
    const id = await project('Dig');
    await server.api(alice, 'PATCH', `/tasks/${id}-0/`, { notes: 'deep' });
    await server.api(alice, 'POST', `/projects/${id}/risks/`, { title: 'Rain', probability: 2, impact: 3 });
    const { notes, ...older } = schema.tasks;
    const [phone] = phones(id, { schema: { tasks: older } });
    await phone.sync();
    const { database } = phone;
    Object.assign(database, {
        schema: { tasks: schema.tasks, risks: schema.risks, drafts: { text: { type: 'string', isOptional: false } } },
        version: 2,
        migrations: [{ toVersion: 2, tables: ['risks', 'drafts'], columns: [{ table: 'tasks', columns: ['notes', 'local_only'] }] }],
    });
    await phone.sync();
    assert.equal(phone.task(`${id}-0`).notes, 'deep');
    assert.equal(database.rows('risks').size, 1);
    assert.equal(database.pulledVersion, 2);
});

test('a filter that grows brings the old rows of what it did not have', async () => {
    const id = await project('Dig');
    await server.api(alice, 'POST', `/projects/${id}/risks/`, { title: 'Rain', probability: 2, impact: 3 });
    const storage = new Map();
    const kept = { get: key => storage.get(key), set: (key, value) => void storage.set(key, value), remove: key => void storage.delete(key) };
    const [before, afterwards] = [['tasks'], ['tasks', 'risks']].map(collections =>
        new Phone(server, id, alice, { schema, collections, storage: kept }));
    await before.sync();
    assert.equal(before.database.rows('risks').size, 0);
    afterwards.database = before.database;
    await afterwards.sync();
    assert.equal(before.database.rows('risks').size, 1);
    assert.equal(before.database.rows('sprints').size, 0);
});

test('the first sync can be one document for turbo', async () => {
    const id = await project('Dig', 'Pour');
    await server.api(alice, 'DELETE', `/tasks/${id}-1/`);
    const [turbo, plain] = [phones(id)[0], phones(id)[0]];
    await turbo.sync({ unsafeTurbo: true });
    await plain.sync();
    assert.equal(turbo.snapshot('tasks'), plain.snapshot('tasks'));
    assert.equal(turbo.database.lastPulledAt, plain.database.lastPulledAt);
});

test('a task that both phones delete, and one made and dropped offline, are no errors', async () => {
    const id = await project('Dig');
    const [a, b] = phones(id);
    await a.sync();
    await b.sync();
    a.database.remove('tasks', `${id}-0`);
    b.database.remove('tasks', `${id}-0`);
    b.database.create('tasks', { ...NEW_TASK, id: `${id}-x`, name: 'Gone at once' });
    b.database.remove('tasks', `${id}-x`);
    await a.sync();
    await b.sync();
    assert.deepEqual([b.database.hasChanges(), names(b)], [false, []]);
});

test('after a restore of a backup the phone gets the rows that are there, and sends what it has not', async () => {
    const id = await project('Dig');
    const [phone] = phones(id);
    await phone.sync();
    const backup = join(server.folder, 'backup.db');
    await server.command('backup', backup);
    await server.task(alice, id, { id: `${id}-lost`, name: 'Made after the backup' });
    await phone.sync();
    phone.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof' });
    phone.database.update('tasks', `${id}-0`, { notes: 'deep' });
    await server.halt();
    for (const suffix of ['-wal', '-shm']) rmSync(server.database + suffix, { force: true });
    copyFileSync(backup, server.database);
    await server.run();
    await phone.sync();
    assert.deepEqual(names(phone), ['Dig', 'Roof']);
    assert.equal((await server.api(alice, 'GET', `/tasks/${id}-0/`)).notes, 'deep');
    const fresh = phones(id)[0];
    await fresh.sync();
    await phone.sync();
    assert.equal(phone.snapshot('tasks'), fresh.snapshot('tasks'));
});
