import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { failing } from './support/fakes.js';
import { NEW_TASK } from './support/rows.js';
import { names, startTeam } from './support/team.js';

let server, alice, schema, project, phones;

before(async () => {
    ({ server, alice, schema, project, phones } = await startTeam({ TIDEMARK_SYNC_BATCH_MAX_ROWS: '20' }));
});
after(() => server.stop());

test('a first sync in small pages brings everything, with the types of the columns', async () => {
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

test('text that no server can store is corrected here, though nothing changes there', async () => {
    const id = await project('Dig');
    const [phone] = phones(id);
    await phone.sync();
    phone.database.update('tasks', `${id}-0`, { name: 'Dig\u0000' });
    await phone.sync();
    await phone.sync();
    assert.equal(phone.task(`${id}-0`).name, 'Dig');
    assert.equal(phone.database.hasChanges(), false);
});

test('an edit of a column that the server does not have stays unsent, and is in the inbox', async () => {
    const id = await project('Dig');
    const newer = { ...schema, tasks: { ...schema.tasks, colour: { type: 'string' } } };
    const [phone] = phones(id, { schema: newer });
    await phone.sync();
    phone.database.update('tasks', `${id}-0`, { name: 'Dug', colour: 'red' });
    await phone.sync();
    await phone.sync();
    assert.equal(phone.task(`${id}-0`)._status, 'updated');
    assert.equal(phone.task(`${id}-0`).colour, 'red');
    const { results } = await server.api(alice, 'GET', `/projects/${id}/rejected/`);
    assert.deepEqual(results.map(entry => [entry.id, entry.field, entry.code, entry.sent]),
        [[`${id}-0`, 'colour', 'unknown_field', 'red']]);
    const [other] = phones(id);
    await other.sync();
    assert.deepEqual(names(other), ['Dug']);
});

test('memberships and projects stay unsent, and the app writes them over REST', async () => {
    const id = await project('Dig');
    const [phone] = phones(id);
    await phone.sync();
    const role = number => [...phone.database.rows('memberships').values()].find(({ role }) => role === number);
    phone.database.update('memberships', role(100).id, { role: 1 });
    phone.database.update('projects', id, { name: 'Renamed' });
    phone.database.update('tasks', `${id}-0`, { name: 'Dug' });
    await phone.sync();
    const [{ body }] = phone.requests.filter(({ method }) => method === 'POST');
    assert.deepEqual(Object.keys(JSON.parse(body).changes), ['tasks']);
    assert.deepEqual([role(1)._status, phone.database.rows('projects').get(id)._status], ['updated', 'updated']);
    assert.equal(phone.task(`${id}-0`)._status, 'synced');

    const [other] = phones(id);
    await other.sync();
    await phone.adapter.request('PATCH', `/memberships/${role(1).id}/`, { body: { role: 200 } });
    await phone.adapter.request('PATCH', `/projects/${id}/`, { body: { name: 'Shed' } });
    await other.sync();
    assert.equal(other.database.rows('memberships').get(role(1).id).role, 200);
    assert.equal(other.database.rows('projects').get(id).name, 'Shed');
});

test('edits of different columns both survive; of one column, the last edit does', async () => {
    const id = await project('Dig');
    const [a, b] = phones(id);
    await a.sync();
    await b.sync();
    a.database.update('tasks', `${id}-0`, { name: 'A', notes: 'a' });
    b.database.update('tasks', `${id}-0`, { name: 'B', percent_complete: 10 });
    // Runs between the first phone's pull and its push.
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
    test(`with ${onConflict} two edits between pull and push end equal on both phones`, async () => {
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
        // The row is unchanged, the conflict is reported, and it is in the inbox.
        if (onConflict === 'merge') {
            assert.equal(a.reports[0].conflicts.tasks[0].client_values.name, 'A');
            const { results } = await a.adapter.request('GET', `/projects/${id}/rejected/`);
            assert.ok(results.some(({ field, sent }) => field === 'name' && sent === 'A'));
        }
    });
}

test('a refused new row stays and can be corrected; a refused edit is undone by the next pull', async () => {
    const id = await project('Dig');
    const [phone] = phones(id, { onError: 'reject_rows' });
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

test('a new task with only a name is accepted, with the server\'s defaults', async () => {
    const id = await project();
    const [phone] = phones(id);
    await phone.sync();
    phone.database.create('tasks', { id: `${id}-new`, name: 'Roof' });
    assert.equal(phone.task(`${id}-new`).status, '');
    await phone.sync();
    // The server's result comes with the next pull.
    await phone.sync();
    const { _status, status } = phone.task(`${id}-new`);
    assert.deepEqual([_status, status], ['synced', 'NOT_STARTED']);
    assert.deepEqual(phone.reports, [], 'nobody has lost anything');
});

test('an archived project refuses the push, and accepts it when it is unarchived', async () => {
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

test('more rows than a batch may have are sent in parts, even a tree turned upside down', async () => {
    const id = await project('Dig');
    const [phone] = phones(id);
    await phone.sync();
    const task = number => `${id}-n${number}`;
    for (let number = 0; number < 90; number++) {
        phone.database.create('tasks', { ...NEW_TASK, id: task(number), name: `${number}`,
            parent: number < 89 ? task(number + 1) : null });
    }
    await phone.sync();
    for (let number = 0; number < 90; number++) {
        phone.database.update('tasks', task(number), { parent: number ? task(number - 1) : null });
    }
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

test('an edit equal to an earlier one is not a repetition', async () => {
    const id = await project('Dig');
    const [phone] = phones(id);
    await phone.sync();
    for (const name of ['A', 'B', 'A', 'B']) {
        phone.database.update('tasks', `${id}-0`, { name });
        await phone.sync();
        assert.equal((await server.api(alice, 'GET', `/tasks/${id}-0/`)).name, name);
    }
});

test('a task that both phones delete, and one created and deleted offline, cause no errors', async () => {
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
