import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Copy } from './support/copy.js';
import { page } from './support/documents.js';

const started = async () => {
    const copy = await Copy.open();
    await copy.start();
    return copy;
};

test('nothing can be edited before the first pull has brought the schema', async () => {
    const copy = await Copy.open();
    await copy.replica.wipe();
    await assert.rejects(copy.replica.insert('tasks', { id: 't', project_id: 'p', name: 'T' }), { code: 'not_pulled' });
});

test('an edit that can\'t be right is refused, and changes nothing', async () => {
    const { replica } = await started();
    const wrong = {
        unknown_collection: () => replica.insert('nothing', { id: 'a' }),
        collection_not_uploadable: () => replica.insert('memberships', { id: 'a', project_id: 'p', user: 1 }),
        invalid_id: () => replica.insert('tasks', { id: 'a b', project_id: 'p', name: 'T' }),
        row_exists: () => replica.insert('tasks', { id: 'p-1', project_id: 'p', name: 'T' }),
        unknown_project: () => replica.insert('tasks', { id: 'a', project_id: 'z', name: 'T' }),
        unknown_field: () => replica.update('tasks', 'p-1', { colour: 'red' }),
        read_only_field: () => replica.update('tasks', 'p-1', { short_id: 'T-9' }),
        wrong_type: () => replica.update('tasks', 'p-1', { name: 7 }),
        unknown_row: () => replica.update('tasks', 'z-1', { name: 'T' }),
        fixed_project: () => replica.update('tasks', 'p-1', { project_id: 'q' }),
        required: () => replica.insert('tasks', { id: 'a', project_id: 'p' }),
    };
    for (const [code, edit] of Object.entries(wrong)) await assert.rejects(edit, { code });
    await assert.rejects(replica.update('tasks', 'p-1', { name: null }), { code: 'wrong_type' });
    await assert.rejects(replica.update('tasks', 'p-1', { name: undefined }), { code: 'wrong_type' });
    await assert.rejects(replica.insert('tasks', { id: 'a', name: 'T' }), { code: 'required' });
    assert.equal((await replica.status()).unsent, 0);
});

test('only what really changes is unsent', async () => {
    const { replica } = await started();
    await replica.update('tasks', 'p-1', { name: 'p-1', notes: '' });
    assert.equal((await replica.row('tasks', 'p-1'))._status, 'synced');
    await replica.update('tasks', 'p-1', { name: 'p-1', notes: 'N' });
    assert.deepEqual((await replica.row('tasks', 'p-1'))._changed, ['notes']);
});

test('a project and its rows are made in one go', async () => {
    const copy = await started();
    await copy.replica.insert('projects', { id: 'new', name: 'New' });
    await copy.replica.insert('tasks', { id: 'first', project_id: 'new', name: 'First' });
    const { body } = await copy.next();
    const [project] = body.changes.projects.created;
    const [task] = body.changes.tasks.created;
    assert.deepEqual([project.project_id, task.project_id], ['new', 'new']);
});

test('a batch is stored before anybody can send it, and comes again until it is answered', async () => {
    const copy = await started();
    await copy.replica.update('tasks', 'p-1', { name: 'One' });
    const batch = await copy.next();
    await copy.replica.update('tasks', 'p-1', { name: 'Two' });
    const other = await Copy.open(copy.browser);
    const again = await other.next();
    assert.deepEqual([again.id, again.body], [batch.id, batch.body]);
    assert.deepEqual(await copy.answer(batch, { p: 8 }), { applied: 1, setAside: 0, refused: 0 });
    assert.equal(await other.answer(again, { p: 8 }), null, 'it is settled once');
    const next = await copy.next();
    assert.deepEqual([next.body.changes.tasks.updated[0].name, next.id === batch.id], ['Two', false]);
});

test('a new row that never left takes along what refers to it', async () => {
    const copy = await started();
    const { replica } = copy;
    await replica.insert('tasks', { id: 'top', project_id: 'p', name: 'Top' });
    await replica.insert('tasks', { id: 'child', project_id: 'p', name: 'Child', parent: 'top' });
    await replica.insert('tasks', { id: 'leaf', project_id: 'p', name: 'Leaf', parent: 'child' });
    await replica.insert('risks', { id: 'r', project_id: 'p', task_ids: ['leaf', 'p-1'] });
    await replica.update('tasks', 'p-1', { parent: 'top' });
    await replica.delete('tasks', 'top');
    assert.deepEqual(await copy.ids(), ['p-1', 'q-1']);
    assert.deepEqual((await copy.row('r', 'risks')).task_ids, ['p-1']);
    assert.equal((await copy.row('p-1'))._status, 'synced');
    await replica.insert('projects', { id: 'new', name: 'New' });
    await replica.insert('tasks', { id: 'first', project_id: 'new', name: 'First' });
    await replica.delete('projects', 'new');
    assert.deepEqual([await copy.ids('projects'), await copy.ids()], [['p', 'q'], ['p-1', 'q-1']]);
});

test('a row that was sent is deleted on the server', async () => {
    const copy = await started();
    await copy.replica.insert('tasks', { id: 'new', project_id: 'p', name: 'New' });
    const batch = await copy.next();
    await copy.replica.delete('tasks', 'new');
    await copy.answer(batch, { p: 8 });
    assert.equal(await copy.row('new'), null);
    assert.deepEqual((await copy.next()).body.changes.tasks.deleted, ['new']);
});

test('a refused row waits with its reasons, goes again after an edit, and can be given up', async () => {
    const copy = await started();
    await copy.replica.insert('tasks', { id: 'new', project_id: 'p', name: 'New' });
    const refuse = async batch => copy.answer(batch, { p: 8 }, {
        applied: {}, rejected: { tasks: [{ id: 'new', field: 'name', code: 'too_long', detail: 'Too long.' }] },
        rejected_ids: { tasks: ['new'] },
    });
    assert.deepEqual(await refuse(await copy.next()), { applied: 0, setAside: 0, refused: 1 });
    const { refused, unsent } = await copy.replica.status();
    assert.deepEqual([refused[0].id, refused[0].reasons[0].code, unsent], ['new', 'too_long', 1]);
    assert.equal(await copy.next(), null, 'it is held back');
    await copy.replica.update('tasks', 'new', { name: 'Short' });
    await refuse(await copy.next());
    await copy.replica.giveUp('tasks', 'new');
    const after = await copy.replica.status();
    assert.deepEqual([await copy.ids(), after.unsent, after.refused], [['p-1', 'q-1'], 0, []]);
});

test('what is unsent can be listed, with the server\'s values, until the server has it', async () => {
    const copy = await started();
    const { replica } = copy;
    await replica.update('tasks', 'p-1', { notes: 'N' });
    await replica.delete('tasks', 'q-1');
    await replica.insert('tasks', { id: 'new', project_id: 'p', name: 'New' });
    const listed = async () => (await replica.unsent()).map(({ id, status, changed, values, base }) =>
        [id, status, changed, values.notes, base?.notes ?? null]);
    const [made, gone] = [['new', 'created', [], '', null], ['q-1', 'deleted', [], '', '']];
    assert.deepEqual(await listed(), [made, ['p-1', 'updated', ['notes'], 'N', ''], gone]);
    await copy.answer(await copy.next(), { p: 8, q: 9 });
    assert.deepEqual(await listed(), [], 'a deletion that was answered is not unsent');
    assert.notEqual(await copy.row('p-1'), null);
});

test('rows refer to each other both ways', async () => {
    const { replica } = await started();
    await replica.insert('tasks', { id: 'child', project_id: 'p', name: 'Child', parent: 'p-1' });
    await replica.insert('risks', { id: 'r', project_id: 'p', task_ids: ['p-1', 'child'] });
    const refersTo = { collection: 'tasks', id: 'p-1' };
    assert.deepEqual((await replica.rows('tasks', { refersTo })).map(({ id }) => id), ['child']);
    assert.deepEqual((await replica.rows('risks', { refersTo })).map(({ id }) => id), ['r']);
    assert.deepEqual((await replica.rows('tasks', { project: 'q' })).map(({ id }) => id), ['q-1']);
});

test('a full disk changes nothing, and says so', async () => {
    const copy = await started();
    copy.tab.failCommit('QuotaExceededError');
    await assert.rejects(copy.replica.update('tasks', 'p-1', { name: 'Mine' }), { code: 'storage_full' });
    copy.tab.failCommit('QuotaExceededError');
    const last = page({ tasks: { deleted: ['p-1'] } }, 110, { heads: { p: 7 } });
    await assert.rejects(copy.page(last), { code: 'storage_full' });
    assert.deepEqual([(await copy.row('p-1')).name, (await copy.replica.state()).since], ['p-1', 100]);
});

test('a row can\'t be written that was not read in the same transaction', async () => {
    const copy = await started();
    await assert.rejects(copy.replica._write(unit => unit.rows.put({ collection: 'tasks', id: 'p-1' })), TypeError);
});

test('another user\'s edits are not lost unasked', async () => {
    const copy = await started();
    const session = id => ({ access: 'a', refresh: null, expiresAt: null, isOver: false, user: { id } });
    await copy.replica.begin(session(1));
    await copy.replica.update('tasks', 'p-1', { name: 'Mine' });
    await copy.replica.begin(session(1));
    await assert.rejects(copy.replica.begin(session(2)), { code: 'unsent_edits' });
    assert.equal((await copy.row('p-1')).name, 'Mine');
    const { life, device } = await copy.replica.state();
    await copy.replica.begin(session(2), { discard: true });
    const state = await copy.replica.state();
    assert.deepEqual([await copy.ids(), state.owner.id, state.since], [[], 2, 0]);
    assert.notEqual(state.life, life);
    assert.notEqual(state.device, device);
});

test('several edits are one transaction, and what can\'t be edited leaves the others alone', async () => {
    const copy = await started();
    const { replica } = copy;
    const changes = [];
    replica.onChange = change => changes.push(change);
    const done = await replica.edit([
        { collection: 'tasks', id: 'new', insert: { project_id: 'p', name: 'New' } },
        { collection: 'tasks', id: 'p-1', update: { name: 'Mine', parent: 'new' } },
        { collection: 'tasks', id: 'z-1', update: { name: 'Nobody' } },
        { collection: 'tasks', id: 'q-1', delete: true },
    ]);
    assert.deepEqual(done.map(({ id, before, after, error }) => [id, before?.name, after?.name, error?.code]), [
        ['new', undefined, 'New', undefined], ['p-1', 'p-1', 'Mine', undefined],
        ['z-1', undefined, undefined, 'unknown_row'], ['q-1', 'q-1', undefined, undefined],
    ]);
    assert.equal(changes.length, 1);
    copy.tab.failCommit('QuotaExceededError');
    await assert.rejects(replica.edit([{ collection: 'tasks', id: 'p-1', update: { name: 'X' } }]),
        { code: 'storage_full' });
    assert.deepEqual([(await copy.row('p-1')).name, await copy.ids()], ['Mine', ['new', 'p-1']]);
});

test('an edit leaves alone what is not as expected', async () => {
    const copy = await started();
    const { replica } = copy;
    await replica.update('tasks', 'p-1', { notes: 'Theirs' });
    const expected = { name: 'p-1', notes: '', parent: null };
    const [{ left, after }] = await replica.edit([
        { collection: 'tasks', id: 'p-1', update: { name: 'Mine', notes: 'Mine' }, expected },
    ]);
    assert.deepEqual([left, after.name, after.notes], [['notes'], 'Mine', 'Theirs']);
    const same = { collection: 'tasks', id: 'p-1', update: { notes: 'Theirs' }, expected };
    assert.deepEqual((await replica.edit([same]))[0].left, [], 'both wrote the same');
    const [kept] = await replica.edit([{ collection: 'tasks', id: 'p-1', delete: true, expected }]);
    assert.deepEqual([kept.left, kept.after.name], [['name', 'notes'], 'Mine']);
    await replica.edit([{ collection: 'tasks', id: 'p-1', delete: true, expected: { name: 'Mine' } }]);
    assert.equal(await copy.row('p-1'), null);
});

test('an edit of fields that belong together is made as a whole, or not at all', async () => {
    const copy = await started();
    const { replica } = copy;
    await replica.update('tasks', 'p-1', { parent: 'q-1' });
    const edit = (expected, update) =>
        replica.edit([{ collection: 'tasks', id: 'p-1', update, expected, isWhole: true }]);
    const [{ left, after, error }] = await edit({ parent: null }, { parent: 'r-1', notes: 'Mine' });
    assert.deepEqual([left, after.parent, after.notes, error], [['parent', 'notes'], 'q-1', '', null]);
    const [done] = await edit({ parent: 'q-1' }, { parent: null, notes: 'Mine' });
    assert.deepEqual([done.left, done.after.parent, done.after.notes], [[], null, 'Mine']);
});

test('a row that must be unused is deleted with those that use it, or not at all', async () => {
    const copy = await started();
    const { replica } = copy;
    await replica.insert('tasks', { id: 'top', project_id: 'p', name: 'Top' });
    await replica.insert('tasks', { id: 'leaf', project_id: 'p', name: 'Leaf', parent: 'top' });
    const unused = (...ids) => ids.map(id => ({ collection: 'tasks', id, delete: true, isUnused: true }));
    const codes = async (...ids) => (await replica.edit(unused(...ids))).map(({ error }) => error?.code ?? null);
    await replica.update('tasks', 'p-1', { parent: 'leaf' });
    assert.deepEqual(await codes('top', 'leaf'), ['in_use', 'in_use']);
    await replica.update('tasks', 'p-1', { parent: null });
    assert.deepEqual(await codes('top', 'leaf'), [null, null]);
    assert.deepEqual(await copy.ids(), ['p-1', 'q-1']);
    await replica.insert('projects', { id: 'new', name: 'New' });
    await replica.insert('tasks', { id: 'first', project_id: 'new', name: 'First' });
    const [{ error }] = await replica.edit([{ collection: 'projects', id: 'new', delete: true, isUnused: true }]);
    assert.equal(error.code, 'in_use');
});

test('edits of one row are made in their order, also beside others', async () => {
    const copy = await started();
    const names = ['One', 'Two', 'Three'];
    const edits = names.flatMap(name => [
        { collection: 'tasks', id: 'p-1', update: { name } },
        { collection: 'tasks', id: name, insert: { project_id: 'p', name } },
    ]);
    const done = await copy.replica.edit([...edits,
        { collection: 'tasks', id: 'One', delete: true }, { collection: 'tasks', id: 'One', update: { name: 'X' } }]);
    assert.deepEqual(done.map(({ before, after }) => [before?.name, after?.name]), [
        ['p-1', 'One'], [undefined, 'One'], ['One', 'Two'], [undefined, 'Two'], ['Two', 'Three'], [undefined, 'Three'],
        ['One', undefined], [undefined, undefined],
    ]);
    assert.equal(done.at(-1).error.code, 'unknown_row');
});
