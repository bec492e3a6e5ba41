import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Digest } from '../../watermelondb/lib/common/digest.js';
import { Schema } from '../lib/rows/schema.js';
import { Copy } from './support/copy.js';
import { document, first, page, project, schema, task } from './support/documents.js';

const digestOf = (...rows) => {
    const digest = new Digest();
    for (const [id, version] of rows) digest.addRow(id, version);
    return { count: digest.count, digest: digest.text };
};
const lost = (...ids) => ids.map(id => ({ project_id: id, code: 'membership_revoked' }));

test('a page is stored with its cursor, and the last one with the watermark', async () => {
    const copy = await Copy.open();
    const { state } = await copy.page(first({ tasks: { updated: [task('t', 'p')] } }, 100));
    assert.deepEqual([state.drain.cursor, state.since, await copy.ids()], ['c-1', 0, ['t']]);
    const end = await copy.page(page({ tasks: { updated: [task('u', 'p')] } }, 100, { heads: { p: 5 } }));
    assert.deepEqual([end.state.drain, end.state.since, await copy.ids()], [null, 100, ['t', 'u']]);
});

test('a page is stored by one window only', async () => {
    const copy = await Copy.open();
    const other = await Copy.open(copy.browser);
    const known = await other.replica.state();
    await copy.start();
    assert.equal(await other.replica.apply({ changes: [], count: 0 }, known), null);
    assert.equal((await other.replica.state()).since, 100);
});

test('a row that comes twice in a drain breaks it, and nothing of the page is stored', async () => {
    const copy = await Copy.open();
    await copy.page(first({ tasks: { updated: [task('t', 'p')] } }, 100));
    const again = page({ tasks: { updated: [task('u', 'p'), task('t', 'p', 2)] } }, 100);
    await assert.rejects(copy.page(again), { code: 'drain_broken' });
    assert.deepEqual([await copy.ids(), (await copy.replica.state()).drain.cursor], [['t'], 'c-1']);
});

test('an older page does not undo an answer', async () => {
    const copy = await Copy.open();
    await copy.start();
    await copy.replica.update('tasks', 'p-1', { name: 'Mine' });
    await copy.answer(await copy.next(), { p: 7 }, { version: 3 });
    await copy.page(first({ tasks: { updated: [task('p-1', 'p', 2, { name: 'Older' })] } }, 110));
    assert.equal((await copy.row('p-1')).name, 'Mine');
});

test('rows of a lost project go when the drain is done, and unsent edits go aside', async () => {
    const copy = await Copy.open();
    await copy.start();
    await copy.replica.update('tasks', 'q-1', { name: 'Mine' });
    await copy.page(first({ tasks: { deleted: ['q-1'] } }, 110, { left_projects: lost('q') }));
    assert.deepEqual(await copy.ids(), ['p-1', 'q-1'], 'not before the end');
    const { left } = await copy.page(page({}, 110, { left_projects: undefined }));
    assert.deepEqual(left, [{ id: 'q', name: 'q', code: 'membership_revoked', setAside: 1 }]);
    assert.deepEqual([await copy.ids(), await copy.ids('projects')], [['p-1'], ['p']]);
    const [{ id, values, reason }] = await copy.replica.setAside();
    assert.deepEqual([id, values.name, reason], ['q-1', 'Mine', 'membership_revoked']);
});

test('a project that was left and given back keeps what the drain names', async () => {
    const copy = await Copy.open();
    await copy.start();
    await copy.page(page({
        projects: { updated: [project('q')] }, tasks: { updated: [task('q-2', 'q')], deleted: ['q-1'] },
    }, 110, { left_projects: lost('q'), heads: { q: 9 } }));
    assert.deepEqual([await copy.ids(), await copy.ids('projects')], [['p-1', 'q-2'], ['p', 'q']]);
});

test('a project that the drain brings back is not lost', async () => {
    const copy = await Copy.open();
    await copy.start();
    await copy.replica.update('tasks', 'q-1', { name: 'Mine' });
    await copy.replica.insert('tasks', { id: 'new', project_id: 'q', name: 'Mine' });
    const { left } = await copy.page(page({
        projects: { updated: [project('q')] }, tasks: { updated: [task('q-1', 'q'), task('q-2', 'q')] },
    }, 110, { left_projects: lost('q'), heads: { q: 9 } }));
    assert.deepEqual(left, []);
    assert.deepEqual([await copy.ids(), await copy.replica.setAside()], [['new', 'p-1', 'q-1', 'q-2'], []]);
});

test('a replaced project loses what the drain does not name', async () => {
    const copy = await Copy.open();
    await copy.start();
    await copy.replica.insert('tasks', { id: 'new', project_id: 'q', name: 'Mine' });
    await copy.page(page({
        projects: { updated: [project('q')] }, tasks: { updated: [task('q-2', 'q')] },
    }, 110, { replaced: ['q'], heads: { q: 9 } }));
    assert.deepEqual(await copy.ids(), ['new', 'p-1', 'q-2']);
});

test('a drain that begins again drops what it had of new projects', async () => {
    const copy = await Copy.open(undefined, { mostKept: 0 });
    await copy.start();
    await copy.page(first({ projects: { updated: [project('r')] }, tasks: { updated: [task('r-1', 'r')] } }, 110));
    assert.deepEqual(await copy.ids(), ['p-1', 'q-1', 'r-1']);
    await copy.replica.reset(false, await copy.replica.state());
    assert.deepEqual([await copy.ids(), await copy.ids('projects')], [['p-1', 'q-1'], ['p', 'q']]);
});

test('a drain from 0 replaces everything but what is unsent and new', async () => {
    const copy = await Copy.open();
    await copy.start();
    await copy.replica.insert('tasks', { id: 'new', project_id: 'p', name: 'Mine' });
    await copy.replica.update('tasks', 'q-1', { name: 'Mine' });
    await copy.replica.reset(true, await copy.replica.state());
    const { dropped } = await copy.page(page({ projects: { updated: [project('p')] } }, 200, { heads: { p: 9 } }));
    assert.deepEqual([await copy.ids(), await copy.ids('projects'), dropped], [['new'], ['p'], 3]);
    assert.deepEqual((await copy.replica.setAside()).map(({ id, reason }) => [id, reason]), [['q-1', 'not_found']]);
});

test('digests are kept with each write, and what differs is named', async () => {
    const copy = await Copy.open();
    await copy.start();
    await copy.replica.insert('tasks', { id: 'new', project_id: 'p', name: 'Not counted' });
    await copy.replica.update('tasks', 'p-1', { name: 'Counted as before' });
    const tasks = digestOf(['p-1', 1], ['p-2', 4]);
    const rest = { heads: { p: 6 }, digest: { p: { tasks } } };
    assert.equal((await copy.page(page({ tasks: { updated: [task('p-2', 'p', 4)] } }, 110, rest))).differing, null);
    assert.equal((await copy.replica.state()).compared, 'same');
    const other = page({}, 120, { heads: { p: 7 }, digest: { p: { tasks: digestOf(['p-1', 1]) }, q: null } });
    const asked = { collections: ['tasks'], projects: ['p'] };
    assert.deepEqual((await copy.page(other)).differing, asked);
    const again = page({ tasks: { updated: [task('p-1', 'p', 1)] } }, 120,
        { heads: { p: 7 }, digest: { p: { tasks: digestOf(['p-1', 1]) } } });
    const { differing, dropped } = await copy.page(again, { asked });
    assert.deepEqual([differing, dropped, await copy.ids()], [null, 1, ['new', 'p-1', 'q-1']]);
});

test('a row of another project with the id of one here takes its place', async () => {
    const copy = await Copy.open();
    await copy.start();
    await copy.replica.update('tasks', 'p-1', { name: 'Mine' });
    await copy.page(page({ tasks: { updated: [task('p-1', 'q', 1)] } }, 110, { heads: { q: 7 } }));
    assert.deepEqual([(await copy.row('p-1')).project_id, (await copy.row('p-1'))._status], ['q', 'synced']);
    assert.equal((await copy.replica.setAside())[0].values.name, 'Mine');
});

test('with a new field everything is read again, and edits stay', async () => {
    const copy = await Copy.open();
    await copy.start();
    await copy.replica.update('tasks', 'p-1', { name: 'Mine' });
    const grown = schema('v2', { cost: { type: 'number', default: 0 } });
    const { since } = await copy.replica.adopt(grown);
    assert.deepEqual([since, (await copy.row('p-1')).name], [0, 'Mine']);
    assert.equal((await copy.replica.adopt(schema('v3', { cost: { type: 'number', default: 1 } }))).since, 0);
    assert.equal((await copy.replica.schema()).version, 'v3');
    assert.equal(document('v2').schema_version, 'v2');
});

/** The schema without risks. */
const withoutRisks = version => {
    const { collections, ...rest } = document(version);
    return new Schema({ ...rest, collections: collections.filter(({ title }) => title !== 'risks') }, true);
};

test('what is unsent in a collection that the server has removed goes aside', async () => {
    const copy = await Copy.open();
    const risk = id => ({ id, project_id: 'p', server_version: 1, title: 'Old', task_ids: [] });
    await copy.start();
    await copy.page(page({ risks: { updated: ['edited', 'gone', 'kept', 'sent'].map(risk) } }, 110, { heads: { p: 6 } }));
    await copy.replica.delete('risks', 'sent');
    await copy.answer(await copy.next(), { p: 7 });
    await copy.replica.update('risks', 'edited', { title: 'Mine' });
    await copy.replica.delete('risks', 'gone');
    await copy.replica.insert('risks', { id: 'new', project_id: 'p', title: 'New' });
    await copy.replica.hold(await copy.next(), { field: null, code: 'forbidden', detail: 'No.', existing: null });
    await copy.replica.update('tasks', 'p-1', { name: 'Mine' });
    const { since } = await copy.replica.adopt(withoutRisks('v2'));
    const aside = await copy.replica.setAside();
    assert.deepEqual(aside.map(({ id, reason, status, values }) => [id, reason, status, values.title]), [
        ['edited', 'collection_removed', 'updated', 'Mine'], ['gone', 'collection_removed', 'deleted', 'Old'],
        ['new', 'collection_removed', 'created', 'New'],
    ]);
    const status = await copy.replica.status();
    assert.deepEqual([since, status.unsent, status.refused, await copy.ids('risks')], [110, 1, [], []]);
    assert.deepEqual((await copy.next()).rows.map(({ id }) => id), ['p-1']);
    assert.equal((await copy.replica.adopt(schema('v3'))).since, 0, 'when it comes back, so do its rows');
});

test('so does what an earlier version of this module has left there', async () => {
    const copy = await Copy.open();
    await copy.start();
    await copy.replica.insert('risks', { id: 'new', project_id: 'p', title: 'New' });
    await copy.database.write(async transaction => {
        await transaction.put('meta', withoutRisks('v2').document, 'schema');
        await transaction.put('meta', { ...await transaction.get('meta', 'state'), schemaVersion: 'v2' }, 'state');
    });
    assert.deepEqual([(await copy.replica.status()).unsent, await copy.next()], [1, null]);
    const [{ id, reason }] = await copy.replica.setAside();
    assert.deepEqual([id, reason, (await copy.replica.status()).unsent], ['new', 'collection_removed', 0]);
});

// Another history: docs/decisions/0013-answers-of-another-history.md.

test('an answer that no drain has covered, and that the server has lost, is sent again', async () => {
    const copy = await Copy.open();
    await copy.start();
    await copy.replica.update('tasks', 'p-1', { name: 'Mine' });
    await copy.replica.insert('tasks', { id: 'new', project_id: 'p', name: 'New' });
    await copy.answer(await copy.next(), { p: 8 });
    const { state } = await copy.page(page({}, 110, { heads: { p: 6 } }));
    assert.equal(state.since, 0, 'the drain ends below the answer');
    await copy.page(page({
        projects: { updated: [project('p'), project('q')] },
        tasks: { updated: [task('p-1', 'p', 1), task('q-1', 'q')] },
    }, 210, { heads: { p: 6, q: 6 } }));
    const { rows } = await copy.next();
    assert.deepEqual(rows.map(({ id, bucket }) => [id, bucket]).sort(), [['new', 'created'], ['p-1', 'updated']]);
});

test('a batch is forgotten when a drain has reached it and the digest agrees', async () => {
    const copy = await Copy.open();
    await copy.start();
    await copy.replica.delete('tasks', 'p-1');
    await copy.answer(await copy.next(), { p: 8 });
    const stored = () => copy.database.read(transaction => transaction.all('batches'));
    await copy.page(page({}, 110, { heads: { p: 8 } }));
    assert.equal((await stored()).length, 1, 'nothing was compared');
    const digest = { p: { projects: digestOf(['p', 1]), tasks: digestOf() } };
    await copy.page(page({ tasks: { deleted: ['p-1'] } }, 120, { heads: { p: 9 }, digest }));
    assert.equal((await stored()).length, 0);
});
