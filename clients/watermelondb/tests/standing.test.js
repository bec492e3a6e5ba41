import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { memoryStorage } from '../index.js';
import { failing } from './support/fakes.js';
import { Phone } from './support/phone.js';
import { NEW_TASK } from './support/rows.js';
import { names, startTeam } from './support/team.js';

let server, alice, schema, project, phones;

before(async () => {
    ({ server, alice, schema, project, phones } = await startTeam({ TIDEMARK_SYNC_BATCH_MAX_ROWS: '20' }));
});
after(() => server.stop());

test('a user who lost the membership learns of it after unsent edits are saved', async () => {
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

test('so it is with a deleted project', async () => {
    const id = await project('Dig');
    const [phone] = phones(id);
    await phone.sync();
    await server.api(alice, 'DELETE', `/projects/${id}/`);
    await assert.rejects(phone.sync(), failing({ code: 'project_deleted', isAccessLost: true }));
});

test('a wrong token is reported', async () => {
    const id = await project();
    const phone = new Phone(server, id, 'tmk_wrong', { schema });
    await assert.rejects(phone.sync(), failing({ status: 401, code: 'unauthorized' }));
});

test('after a purge a replacement updates the phone, which keeps its new rows', async () => {
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

test('a demotion removes rows and a promotion brings them back', async () => {
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

test('a change of role during a drain restarts it', async () => {
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

test('after an app update the migration brings the missing values of tables and columns', async () => {
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
        migrations: [{ toVersion: 2, tables: ['risks', 'drafts'],
            columns: [{ table: 'tasks', columns: ['notes', 'local_only'] }] }],
    });
    await phone.sync();
    assert.equal(phone.task(`${id}-0`).notes, 'deep');
    assert.equal(database.rows('risks').size, 1);
    assert.equal(database.pulledVersion, 2);
});

test('a filter that grows brings the old rows of the new collections', async () => {
    const id = await project('Dig');
    await server.api(alice, 'POST', `/projects/${id}/risks/`, { title: 'Rain', probability: 2, impact: 3 });
    const storage = memoryStorage();
    const [before, afterwards] = [['tasks'], ['tasks', 'risks']].map(collections =>
        new Phone(server, id, alice, { schema, collections, storage }));
    await before.sync();
    assert.equal(before.database.rows('risks').size, 0);
    afterwards.database = before.database;
    await afterwards.sync();
    assert.equal(before.database.rows('risks').size, 1);
    assert.equal(before.database.rows('sprints').size, 0);
});

test('a collection that left the filter and returned has no rows that were deleted meanwhile', async () => {
    const id = await project('Dig');
    const risk = title => server.api(alice, 'POST', `/projects/${id}/risks/`, { title, probability: 2, impact: 3 });
    const [gone, stays] = [await risk('Rain'), await risk('Hail')];
    const storage = memoryStorage();
    const phone = collections => {
        const made = new Phone(server, id, alice, { schema, collections, storage });
        made.database = first?.database ?? made.database;
        return made;
    };
    let first = null;
    first = phone(['tasks', 'risks']);
    await first.sync();
    await phone(['tasks']).sync();
    await server.api(alice, 'DELETE', `/risks/${gone.id}/`);
    await server.command('purge', '--older-than', '0s').catch(() => {});
    await phone(['tasks']).sync();
    first.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof' });
    first.database.create('risks', { id: `${id}-mine`, title: 'Mine' });
    const back = phone(['tasks', 'risks']);
    await back.sync();
    await back.sync();
    assert.deepEqual([...first.database.rows('risks').keys()].sort(), [stays.id, `${id}-mine`].sort());
    assert.deepEqual(names(first), ['Dig', 'Roof']);
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

test('after a backup is restored the phone gets the server\'s rows and sends what is missing there', async () => {
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
