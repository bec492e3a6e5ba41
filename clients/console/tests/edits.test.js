import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from '../../web/tests/support/browser.js';
import { openIn, until } from '../../web/tests/support/open.js';
import { ProjectRows } from '../lib/data/project-rows.js';
import { Troubles } from '../lib/data/troubles.js';
import { write } from '../lib/data/write.js';
import { Edits } from '../lib/edit/edits.js';
import { optionsOf } from '../lib/edit/options.js';
import { pasted } from '../lib/edit/pasted.js';
import { asked, startOf } from '../lib/edit/add-row.js';
import { Names } from '../lib/fields/row-name.js';
import { writeAgain } from '../lib/unsent/again.js';
import { lookAt } from '../lib/unsent/look.js';
import { sortedOut } from '../lib/unsent/page.js';
import { canRepeat, reasonLines } from '../lib/unsent/reasons.js';
import { Catalog } from '../lib/fields/catalog.js';

// What the pages do, on a copy in a browser of the tests and against a real server.

let server, alice, bob, project, catalog, tasks, numbers = 0;

before(async () => {
    server = await Server.start();
    [alice, bob] = [await server.user('alice'), await server.user('bob')];
    project = await server.project(alice, 'Boat');
    await server.member(project, 'bob', 'member');
    catalog = new Catalog(await server.api(alice, 'GET', '/schemas/'));
    tasks = catalog.collection('tasks');
});
after(() => server.stop());

/** A copy with a new task, opened as the console does. */
async function start(token = alice) {
    const id = `t-${++numbers}`;
    await server.task(alice, project, { id, name: 'Old', notes: 'Old' });
    const client = await openIn(new Browser().tab(), server, { onConflict: 'merge' });
    await client.signIn({ token });
    await client.sync();
    return { client, id };
}

const theirs = (id, body) => server.api(bob, 'PATCH', `/tasks/${id}/`, body);
const stored = id => server.api(alice, 'GET', `/tasks/${id}/`);
const name = () => tasks.field('name');

test('an edit is not written over a value that came while the editor was open, unless the user wants it', async () => {
    const { client, id } = await start();
    const edits = new Edits(client);
    await theirs(id, { name: 'Theirs' });
    await client.sync();
    const { meanwhile } = await edits.save(tasks, id, name(), 'Old', 'Mine');
    assert.equal(meanwhile.name, 'Theirs');
    assert.deepEqual([(await client.row('tasks', id)).name, client.state.unsent, edits.canUndo], ['Theirs', 0, false]);
    assert.deepEqual(await edits.save(tasks, id, name(), null, 'Mine', { isForced: true }), {});
    await client.sync();
    assert.equal((await stored(id)).name, 'Mine');
    await client.close();
});

test('fields that go together are changed together, or none of them', async () => {
    const { client, id } = await start();
    const edits = new Edits(client);
    await theirs(id, { percent_complete: 40 });
    await client.sync();
    const { meanwhile } = await edits.save(tasks, id, tasks.field('percent_complete'), 0, 100,
        { more: { status: 'COMPLETE' } });
    assert.equal(meanwhile.percent_complete, 40);
    const { percent_complete: percent, status } = await client.row('tasks', id);
    assert.deepEqual([percent, status, edits.canUndo], [40, 'NOT_STARTED', false]);
    await client.close();
});

test('edits are taken back one after the other, and only if nobody has written since', async () => {
    const { client, id } = await start();
    const edits = new Edits(client);
    await edits.save(tasks, id, name(), 'Old', 'One');
    edits.save(tasks, id, name(), 'One', 'Two');
    assert.equal((await edits.undo()).meanwhile, undefined, 'it waits for the edit before it');
    assert.equal((await client.row('tasks', id)).name, 'One');
    await edits.undo();
    assert.deepEqual([(await client.row('tasks', id)).name, edits.canUndo, await edits.undo()], ['Old', false, null]);
    await edits.save(tasks, id, name(), 'Old', 'Mine');
    await client.sync();
    await theirs(id, { name: 'Theirs' });
    await client.sync();
    assert.equal((await edits.undo()).meanwhile.name, 'Theirs');
    await client.delete('tasks', id);
    await assert.rejects(edits.save(tasks, id, name(), 'Theirs', 'Mine'), { code: 'deleted' });
    await client.close();
});

test('a value that is being stored is shown, whatever is read meanwhile', async () => {
    const { client, id } = await start();
    const rows = new ProjectRows(client, project, () => {});
    rows.follow(new Set(['tasks']));
    await rows.ready();
    const shown = () => rows.rowsOf('tasks').get(id);
    const ends = [rows.hold('tasks', id, { name: 'New' }), rows.hold('tasks', id, { notes: 'New' })];
    await client.update('tasks', id, { percent_complete: 40 });
    await until(() => shown().percent_complete === 40, 'another edit is read');
    await rows.look('tasks', id);
    assert.deepEqual([shown().name, shown().notes, shown()._status], ['New', 'New', 'updated']);
    await client.update('tasks', id, { name: 'New' });
    await ends[0]();
    assert.deepEqual([shown().name, shown().notes], ['New', 'New']);
    await ends[1]();
    assert.deepEqual([shown().name, shown().notes], ['New', 'Old'], 'what was not stored is not shown any longer');
    rows.stop();
    await client.close();
});

test('a row of a collection without uploads is changed on the server, if it is still as it is shown', async () => {
    const { client } = await start();
    const memberships = catalog.memberships;
    const row = (await client.rows('memberships')).find(each => each.role === 100);
    await write(client, memberships, row, { role: 200 });
    await assert.rejects(write(client, memberships, row, { role: 100 }), { code: 'stale_version' });
    await client.sync();
    await write(client, memberships, await client.row('memberships', row.id), { role: 100 });
    await client.close();
});

test('what was set aside is written again, as an edit, as a new row, or as a deletion', async () => {
    const { client, id } = await start();
    const again = async (changes, meanwhile) => {
        await changes();
        await meanwhile();
        await client.sync();
        const [copy] = await client.setAside();
        const made = await writeAgain(new Edits(client), tasks, copy);
        await client.sync();
        assert.deepEqual([client.state.setAside, client.state.unsent], [0, 0]);
        return made;
    };
    await again(() => client.update('tasks', id, { name: 'Mine' }), () => theirs(id, { name: 'Theirs' }));
    assert.equal((await stored(id)).name, 'Mine');
    const other = await again(() => client.update('tasks', id, { name: 'Late' }),
        () => server.api(alice, 'DELETE', `/tasks/${id}/`));
    assert.notEqual(other, id);
    const { name: text, notes, short_id: shortID } = await stored(other);
    assert.deepEqual([text, notes], ['Late', 'Old']);
    assert.ok(shortID);
    await client.close();
});

test('a deletion that is written again leaves no lost edit behind, once it is made', async () => {
    const { client } = await start();
    const waits = [];
    const edits = new Edits(client, { wait: (work, milliseconds) => {
        if (milliseconds === 10_000) waits.push(work);
        return () => {};
    } });
    const { id } = await server.api(alice, 'POST', `/projects/${project}/calendars/`, { name: 'Night shift' });
    const { calendar: former } = await server.api(alice, 'GET', `/projects/${project}/`);
    const use = calendar => server.api(alice, 'PATCH', `/projects/${project}/`, { calendar });
    await client.sync();
    await client.delete('calendars', id);
    await use(id);
    await client.sync();
    await use(former);
    const [copy] = await client.setAside();
    const lost = async () => (await client.inbox()).filter(each => each.id === id).length;
    assert.deepEqual([copy.status, await lost()], ['deleted', 1]);
    await client.sync();
    await writeAgain(edits, catalog.collection('calendars'), copy);
    assert.deepEqual([client.state.setAside, await lost()], [1, 1], 'it waits, and may be taken back');
    waits.forEach(work => work());
    await until(() => client.state.setAside === 0, 'it is made');
    await until(async () => await lost() === 0, 'nothing is lost');
    await client.sync();
    await assert.rejects(server.api(alice, 'GET', `/calendars/${id}/`), /404|410/);
    await client.close();
});

test('a refused new row has its reasons, and what waits is sorted out from what is refused', async () => {
    const { client, id } = await start();
    const context = { tidemark: client, onState: callback => client.onState(callback) };
    const troubles = new Troubles(context, () => {});
    const sprint = await client.insert('sprints', {
        project_id: project, name: 'Bad', start_date: '2026-02-02', finish_date: '2026-01-01',
    });
    await client.sync();
    await until(() => client.state.refused.length === 1, 'it is refused');
    const refusals = await client.refused();
    await client.update('tasks', id, { name: 'Waits' });
    const { refused, waiting } = sortedOut(await client.unsent(), refusals);
    assert.deepEqual([refused.map(each => each.id), waiting.map(each => each.id)], [[sprint], [id]]);
    assert.ok(refused[0].reasons.length > 0);
    await client.sync();
    await until(() => troubles.of('sprints', sprint).reasons.length > 0, 'the reasons');
    const lines = reasonLines(catalog.collection('sprints'), troubles.of('sprints', sprint).reasons);
    assert.equal(lines[0].label, 'Finish date');
    assert.match(lines[0].text, /2026-01-01/);
    assert.deepEqual(troubles.of('tasks', sprint), { reasons: [], copies: [] });
    const look = await lookAt(context, catalog, await client.unsent());
    assert.equal(look.present({ collection: 'sprints', id: sprint }).name, 'Bad');
    assert.equal(look.names({ project_id: project }).row('sprints', sprint), sprint,
        'sprints are not needed to name sprints');
    for (const each of await client.refused()) await client.giveUp(each.collection, each.id);
    await until(() => troubles.refused.length === 0, 'nothing is refused');
    troubles.stop();
    await client.close();
});

test('reasons are not repeated, and name the field', () => {
    const conflict = { field: 'name', code: 'conflict', detail: 'x' };
    const lines = reasonLines(tasks, [conflict, conflict, { field: null, code: 'in_use', detail: '' },
        { field: 'gone', code: 'x', detail: 'Why.' }]);
    assert.deepEqual(lines.map(({ label }) => label), ['Name', '', 'gone']);
    assert.deepEqual([canRepeat({ reason: 'conflict' }), canRepeat({ reason: 'project_deleted' })], [true, false]);
});

test('rows that a page follows show an edit at once, and the truth in the end', async () => {
    const { client, id } = await start();
    const heard = [];
    const rows = new ProjectRows(client, project, collection => heard.push(collection));
    rows.follow(['tasks', 'sprints', 'tasks']);
    await rows.ready();
    assert.equal(rows.rowsOf('tasks').get(id).name, 'Old');
    assert.equal(rows.rowsOf('risks'), undefined);
    const end = rows.hold('tasks', id, { name: 'Hoped for' });
    assert.equal(rows.rowsOf('tasks').get(id).name, 'Hoped for');
    await client.update('tasks', id, { name: 'Written' });
    await end();
    assert.equal(rows.rowsOf('tasks').get(id).name, 'Written');
    await client.sync();
    await until(() => rows.rowsOf('tasks').get(id)._status === 'synced', 'it is synced');
    await client.delete('tasks', id);
    await until(() => !rows.rowsOf('tasks').has(id), 'it is gone');
    assert.equal(new Names(catalog, rows.rowsOf).row('tasks', id), id);
    rows.stop();
    await client.close();
});

test('pasted text becomes a value of the field\'s type, or a sentence says why not', () => {
    const rowsOf = name => ({ tasks: new Map(['Sand', 'Paint',
        'Paint'].map((each, id) => [`${id}`, { id: `${id}`, name: each }])) })[name];
    const names = new Names(catalog, rowsOf);
    const paste = (collection, field, text) => {
        const known = catalog.collection(collection).field(field);
        return pasted(known, text, optionsOf(known, names, rowsOf));
    };
    assert.deepEqual(paste('tasks', 'name', 'a\r\nb\r\n'), { value: 'a\nb' });
    assert.deepEqual(paste('tasks', 'duration', ' 12\n'), { value: 12 });
    assert.deepEqual(paste('tasks', 'status', 'on HOLD'), { value: 'ON_HOLD' });
    assert.deepEqual(paste('tasks', 'status', 'ON_HOLD'), { value: 'ON_HOLD' });
    assert.deepEqual(paste('tasks', 'is_milestone', 'yes'), { value: true });
    assert.deepEqual(paste('tasks', 'parent', 'sand'), { value: '0' });
    assert.deepEqual(paste('tasks', 'parent', ''), { value: null });
    assert.deepEqual(paste('risks', 'task_ids', 'Sand, 2'), { value: ['0', '2'] });
    assert.deepEqual(paste('risks', 'task_ids', ''), { value: [] });
    const wrong = [['tasks', 'parent', 'Paint'], ['tasks', 'parent', 'Weld'], ['tasks', 'status', ''],
        ['tasks', 'duration', 'x'], ['risks', 'task_ids', 'Sand, Sand'], ['calendars', 'working_days', '3']];
    for (const [collection, field, text] of wrong) {
        assert.match(paste(collection, field, text).problem ?? '', /\.$/, `${field} ${text}`);
    }
});

test('a new row is asked for its name and for what it needs, and begins with values that fit', () => {
    const who = { role: 400, user: 1, isArchived: false };
    const fields = collection => asked(catalog.collection(collection), who);
    assert.deepEqual(fields('tasks').map(each => each.name), ['name']);
    assert.deepEqual(fields('sprints').map(each => each.name), ['name', 'start_date', 'finish_date']);
    assert.deepEqual(fields('dependencies').map(each => each.name), ['predecessor', 'successor']);
    const now = new Date(2026, 2, 9);
    const starts = Object.fromEntries(fields('time_entries').map(each => [each.name, startOf(each, now)]));
    assert.deepEqual(starts, { entry_date: '2026-03-09', minutes: 1, task: null });
});
