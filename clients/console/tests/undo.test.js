import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from '../../web/tests/support/browser.js';
import { openIn, until } from '../../web/tests/support/open.js';
import { Edits } from '../lib/edit/edits.js';

// Steps, undo and redo on a copy in a browser of the tests, against a real server.

let server, alice, bob, project, numbers = 0;

before(async () => {
    server = await Server.start();
    [alice, bob] = [await server.user('alice'), await server.user('bob')];
    project = await server.project(alice, 'Boat');
    await server.member(project, 'bob', 'member');
});
after(() => server.stop());

/** A window with so many new tasks, and a clock that a test moves. */
async function start(count = 1) {
    const ids = Array.from({ length: count }, () => `t-${++numbers}`);
    for (const id of ids) await server.task(alice, project, { id, name: 'Old', notes: 'Old' });
    const client = await openIn(new Browser().tab(), server, { onConflict: 'merge' });
    await client.signIn({ token: alice });
    await client.sync();
    const waits = [];
    const wait = (callback, milliseconds) => {
        const asked = { callback, milliseconds };
        waits.push(asked);
        return () => waits.splice(waits.indexOf(asked), 1);
    };
    const edits = new Edits(client, { wait });
    const name = async id => (await client.row('tasks', id))?.name ?? null;
    return { client, edits, ids, id: ids[0], waits, name };
}

const update = (id, values, expected = {}) => ({ collection: 'tasks', id, update: values, expected });
const insert = (values, id = undefined) => ({ collection: 'tasks', insert: { project_id: project, ...values }, id });
const remove = (id, collection = 'tasks') => ({ collection, id, delete: true });
const theirs = (id, body) => server.api(bob, 'PATCH', `/tasks/${id}/`, body);
const whys = ({ left }) => left.map(({ id, why }) => [id, why]);

test('edits of several rows are one step, which is taken back and made again as a whole', async () => {
    const { client, edits, ids: [one, two], name } = await start(2);
    const changes = [update(one, { name: 'New' }), update(two, { name: 'New', notes: '' })];
    assert.deepEqual((await edits.apply({ name: 'Rename two', changes })).ids, [one, two]);
    assert.deepEqual([edits.undoName, edits.redoName], ['Rename two', null]);
    await client.sync();
    const report = await edits.undo();
    assert.deepEqual([report.name, report.rows.map(({ fields }) => fields), report.left],
        ['Rename two', [['name', 'notes'], ['name']], []]);
    assert.deepEqual([await name(one), await name(two), edits.undoName, edits.redoName],
        ['Old', 'Old', null, 'Rename two']);
    assert.equal((await edits.redo()).isRedo, true);
    await client.sync();
    const stored = await server.api(alice, 'GET', `/tasks/${two}/`);
    assert.deepEqual([stored.name, stored.notes, await name(one)], ['New', '', 'New']);
    assert.equal(await edits.redo(), null);
    await client.close();
});

test('what takes steps back may come later, and if it can\'t be loaded, nothing is taken back, and it is asked for again',
    async () => {
        const { client, edits, id, name } = await start();
        const { load } = edits;
        edits.load = async () => { throw Object.assign(new Error('not loaded'), { detail: 'Check the network.' }); };
        await edits.apply({ name: 'Rename', changes: [update(id, { name: 'New' })] });
        await assert.rejects(edits.undo(), { detail: 'Check the network.' });
        assert.deepEqual([await name(id), edits.undoName, edits.redoName], ['New', 'Rename', null]);
        edits.load = load;
        await edits.undo();
        edits.load = async () => { throw new Error('not loaded'); };
        await assert.rejects(edits.redo(), /not loaded/);
        assert.deepEqual([await name(id), edits.undoName, edits.redoName], ['Old', null, 'Rename']);
        edits.load = load;
        await edits.redo();
        assert.equal(await name(id), 'New');
        await client.close();
    });

test('what somebody else has written since is named and left, the rest is taken back', async () => {
    const { client, edits, ids: [one, two, three], name } = await start(3);
    await edits.apply({ name: 'Edit', changes: [update(one, { name: 'Mine', notes: 'Mine' }), update(two, { name: 'Mine' }),
        update(three, { name: 'Mine' })] });
    await client.sync();
    await theirs(one, { name: 'Theirs' });
    await server.api(bob, 'DELETE', `/tasks/${three}/`);
    await client.sync();
    const report = await edits.undo();
    assert.deepEqual(whys(report), [[three, 'gone'], [one, 'changed']]);
    assert.deepEqual(report.left[1].fields, ['name']);
    assert.equal(report.meanwhile.name, 'Theirs');
    assert.deepEqual([await name(one), (await client.row('tasks', one)).notes, await name(two)],
        ['Theirs', 'Old', 'Old']);
    await edits.redo();
    assert.deepEqual([await name(one), (await client.row('tasks', one)).notes, await name(two)],
        ['Theirs', 'Mine', 'Mine']);
    await client.close();
});

test('a value that somebody else writes before this copy knows it is not overwritten either', async () => {
    const { client, edits, id, name } = await start();
    await edits.apply({ name: 'Edit', changes: [update(id, { name: 'Mine' })] });
    await client.sync();
    await theirs(id, { name: 'Theirs' });
    await edits.undo();
    await client.sync();
    assert.equal(await name(id), 'Theirs');
    assert.deepEqual((await client.setAside()).map(({ reason, values }) => [reason, values.name]), [['conflict', 'Old']]);
    await client.close();
});

test('an edit that the server refused has nothing to take back, even if somebody writes the same later', async () => {
    const { client, edits, ids: [one, two], name } = await start(2);
    await edits.apply({ name: 'Edit', changes: [update(one, { name: 'Mine' }), update(two, { name: 'Mine' })] });
    await theirs(one, { name: 'Theirs' });
    await client.sync();
    await until(() => client.state.setAside === 1, 'a conflict');
    await theirs(one, { name: 'Mine' });
    await client.sync();
    assert.deepEqual(whys(await edits.undo()), [[one, 'refused']]);
    assert.deepEqual([await name(one), await name(two)], ['Mine', 'Old']);
    await client.close();
});

test('a new row that is taken back comes again with a new id, also in the steps above it', async () => {
    const { client, edits, name } = await start();
    const [parent] = (await edits.apply({ name: 'Add Top', changes: [insert({ name: 'Top' })] })).ids;
    const [child] = (await edits.apply({ name: 'Add Leaf', changes: [insert({ name: 'Leaf', parent })] })).ids;
    await edits.apply({ name: 'Rename', changes: [update(parent, { name: 'Roof' }), update(child, { notes: parent })] });
    await client.sync();
    for (let step = 0; step < 3; step += 1) assert.deepEqual((await edits.undo()).left, []);
    await client.sync();
    assert.deepEqual([await name(parent), await name(child)], [null, null]);
    const [{ id: top }] = (await edits.redo()).rows;
    const [{ id: leaf }] = (await edits.redo()).rows;
    await edits.redo();
    await client.sync();
    assert.deepEqual([client.state.setAside, client.state.unsent], [0, 0]);
    const stored = await server.api(alice, 'GET', `/tasks/${leaf}/`);
    assert.deepEqual([await name(top), stored.parent, stored.notes], ['Roof', top, parent], 'a text is no reference');
    assert.ok(![parent, child].includes(top) && leaf !== child);
    await client.close();
});

test('a new row stays if somebody else has changed it, or put rows below, seen or not', async () => {
    const { client, edits, name } = await start();
    const changes = ['Changed', 'Used', 'Booked', 'Free'].map(each => insert({ name: each }));
    const { ids: [changed, used, booked, free] } = await edits.apply({ name: 'Add four', changes });
    await client.sync();
    await theirs(changed, { notes: 'Theirs' });
    await server.task(bob, project, { id: `t-${++numbers}`, name: 'Below', parent: used });
    await server.api(bob, 'POST', `/projects/${project}/time_entries/`,
        { task: booked, minutes: 30, entry_date: '2026-03-01' });
    await client.sync();
    const report = await edits.undo();
    assert.deepEqual(whys(report).sort(), [[booked, 'hidden'], [changed, 'changed'], [used, 'used']].sort());
    assert.deepEqual([await name(changed), await name(used), await name(booked), await name(free)],
        ['Changed', 'Used', 'Booked', null]);
    assert.deepEqual((await edits.redo()).rows.length, 1);
    await client.close();
});

test('a deletion waits for ten seconds, hidden, and can be taken back until then', async () => {
    const { client, edits, ids: [id, child], name, waits } = await start(2);
    await client.update('tasks', child, { parent: id });
    await edits.apply({ name: 'Delete Old', changes: [remove(id)] });
    await until(() => edits.waiting.isHidden('tasks', child), 'what goes along is hidden');
    assert.deepEqual([edits.waiting.isHidden('tasks', id), waits[0].milliseconds, await name(id)], [true, 10_000, 'Old']);
    assert.deepEqual([...edits.waiting.all[0].cascade.goes], [['tasks', 1]]);
    assert.deepEqual((await edits.undo()).rows.map(each => each.id), [id]);
    assert.deepEqual([edits.waiting.isHidden('tasks', child), waits.length, edits.redoName], [false, 0, 'Delete Old']);
    await edits.redo();
    assert.equal(edits.waiting.isHidden('tasks', id), true);
    await client.sync();
    assert.equal(client.state.unsent, 0, 'a window that dies before has deleted nothing');
    waits[0].callback();
    await until(() => edits.waiting.all.length === 0, 'it is deleted');
    assert.equal(await name(id), null);
    assert.deepEqual(whys(await edits.undo()), [[id, 'deleted']]);
    assert.equal(await edits.undo(), null);
    await client.close();
});

test('a deletion that waits is taken back by itself, whatever was done since', async () => {
    const { client, edits, ids: [one, two], name } = await start(2);
    await edits.apply({ name: 'Delete', changes: [remove(one)] });
    await edits.apply({ name: 'Rename', changes: [update(two, { name: 'New' })] });
    const [deletion] = edits.waiting.all;
    assert.deepEqual([await edits.keep(deletion), await edits.keep(deletion)], [true, false]);
    assert.deepEqual([edits.waiting.isHidden('tasks', one), edits.undoName], [false, 'Rename']);
    await edits.undo();
    assert.deepEqual([await name(two), edits.undoName], ['Old', null]);
    await client.close();
});

test('of many rows what can\'t be stored or is refused is named, and the rest is taken back', async () => {
    const { client, edits, id } = await start();
    const rows = Array.from({ length: 620 }, (_, place) => insert({ name: `Row ${place}` }, `m-${numbers}-${place}`));
    rows[3].insert.duration = 'three';
    Object.assign(rows[7].insert, { optimistic_duration: 9, most_likely_duration: 5, pessimistic_duration: 1 });
    rows.push(update('nobody', { name: 'X' }), update(id, { name: 'New' }));
    const { ids, refused } = await edits.apply({ name: 'Paste', changes: rows });
    assert.deepEqual(refused.map(({ change, error }) => [rows.indexOf(change), error.code]),
        [[3, 'wrong_type'], [620, 'deleted']]);
    await client.sync();
    assert.deepEqual((await client.refused()).map(each => each.id), [ids[7]]);
    const report = await edits.undo();
    assert.deepEqual([report.left, report.rows.length], [[], 620]);
    await client.sync();
    assert.deepEqual((await client.rows('tasks')).filter(each => each.id.startsWith('m-')), []);
    assert.equal((await server.api(alice, 'GET', `/tasks/${id}/`)).name, 'Old');
    await client.close();
});

test('turns wait for the edits before them, and for each other', async () => {
    const { client, edits, id, name } = await start();
    for (const each of ['One', 'Two', 'Three']) edits.apply({ name: each, changes: [update(id, { name: each })] });
    const turns = await Promise.all([edits.undo(), edits.undo(), edits.redo(), edits.undo(), edits.undo(), edits.undo()]);
    assert.deepEqual(turns.map(report => report?.name), ['Three', 'Two', 'Two', 'Two', 'One', undefined]);
    assert.equal(await name(id), 'Old');
    await edits.redo();
    await edits.apply({ name: 'Other', changes: [update(id, { notes: 'New' })] });
    assert.deepEqual([edits.undoName, edits.redoName], ['Other', null]);
    edits.clear();
    assert.equal(await edits.undo(), null);
    await client.close();
});

test('an edit after an undo is stored after it, and does not wait while the server is asked', async () => {
    const { client, edits, id, name } = await start();
    await edits.apply({ name: 'One', changes: [update(id, { name: 'One' }, { name: 'Old' })] });
    const undone = edits.undo();
    const { left } = await edits.apply({ name: 'Two', changes: [update(id, { name: 'Two' }, { name: 'Old' })] });
    assert.deepEqual([left, (await undone).left, await name(id), edits.redoName], [[], [], 'Two', null]);

    const { ids: [added] } = await edits.apply({ name: 'Add', changes: [insert({ name: 'New' })] });
    await client.sync();
    const { request } = client;
    let answer;
    const asked = new Promise(resolve => {
        client.request = (...all) => {
            resolve();
            return new Promise(go => { answer = go; }).then(() => request.apply(client, all));
        };
    });
    const [back, again] = [edits.undo(), edits.undo()];
    await asked;
    await edits.apply({ name: 'Three', changes: [update(id, { notes: 'Three' })] });
    assert.equal((await client.row('tasks', id)).notes, 'Three');
    assert.notEqual(await name(added), null);
    answer();
    assert.deepEqual([(await back).name, (await again).name, await name(added)], ['Add', 'Three', null]);
    assert.deepEqual([edits.undoName, (await client.row('tasks', id)).notes], ['Two', 'Old']);
    await client.close();
});

test('what was edited before a step, and is none yet, is a step before it', async () => {
    const { client, edits, ids: [one, two], name } = await start(2);
    let pressed = () => edits.apply({ name: 'Pressed', changes: [update(one, { name: 'New' })] });
    edits.onTurn(() => {
        const press = pressed;
        pressed = () => {};
        press();
    });
    await edits.apply({ name: 'Dragged', changes: [update(two, { name: 'New' })] });
    assert.equal((await edits.undo()).name, 'Dragged');
    assert.deepEqual([await name(one), await name(two), edits.undoName], ['New', 'Old', 'Pressed']);
    await client.close();
});

test('nothing of a step is stored if the disk is full, and the step can be taken back later', async () => {
    const browser = new Browser();
    const tab = browser.tab();
    const { id } = await start().then(async each => (await each.client.close(), each));
    const client = await openIn(tab, server, { onConflict: 'merge' });
    await client.signIn({ token: alice });
    await client.sync();
    const edits = new Edits(client);
    await edits.apply({ name: 'Edit', changes: [update(id, { name: 'New' })] });
    tab.failCommit('QuotaExceededError');
    await assert.rejects(edits.undo(), { code: 'storage_full' });
    assert.equal(edits.undoName, 'Edit');
    await edits.undo();
    assert.equal((await client.row('tasks', id)).name, 'Old');
    await client.close();
});
