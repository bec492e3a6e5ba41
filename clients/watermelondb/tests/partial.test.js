import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SCHEMAS, accepted, bucket, failing, fakeSync, local, page, problem } from './support/fakes.js';
import { NEW_TASK } from './support/rows.js';
import { Database } from './support/standin.js';
import { synchronize } from './support/synchronize.js';
import { names, startTeam } from './support/team.js';

// Pushes of many batches, first syncs into databases that are not empty, and rows that
// were created and deleted offline.

let server, alice, project, phones;

before(async () => {
    ({ server, alice, project, phones } = await startTeam({ TIDEMARK_SYNC_BATCH_MAX_ROWS: '2' }));
});
after(() => server.stop());

/** A phone with five new tasks. From its third upload on, `fail` answers. */
async function failing5(fail) {
    const id = await project();
    const [phone] = phones(id, { batchRows: 2, retry: { attempts: 1 } });
    await phone.sync();
    for (let task = 0; task < 5; task++) {
        phone.database.create('tasks', { ...NEW_TASK, id: `${id}-${task}`, name: `task ${task}` });
    }
    let uploads = 0;
    phone.onRequest = init => {
        if (init.method === 'POST' && ++uploads === 3) return fail();
    };
    return { id, phone };
}

const unsent = ({ database }) => [...database.rows('tasks').values()].filter(row => row._status !== 'synced').length;

test('if the last batch of a push fails, the others count as synced and the error is thrown', async () => {
    const { phone } = await failing5(() => { throw new TypeError('no network'); });
    await assert.rejects(phone.sync(), failing({ code: 'network', isTemporary: true }));
    assert.equal(unsent(phone), 1);
    phone.onRequest = null;
    await phone.sync();
    assert.equal(unsent(phone), 0);
    assert.equal(names(phone).length, 5);
});

test('so they do when the server refuses the last batch', async () => {
    const { id, phone } = await failing5(() => server.api(alice, 'POST', `/projects/${id}/archive/`));
    await assert.rejects(phone.sync(), failing({ code: 'project_archived' }));
    assert.equal(unsent(phone), 1);
    phone.onRequest = null;
    await server.api(alice, 'POST', `/projects/${id}/unarchive/`);
    await phone.sync();
    assert.equal(unsent(phone), 0);
});

test('a conflict in a later batch is resolved by a pull', async () => {
    let uploads = 0;
    const { sync } = fakeSync(request => {
        if (request.path.endsWith('/schemas/')) return SCHEMAS;
        if (request.method === 'POST') return ++uploads === 2 ? problem(409, 'conflict') : accepted(request);
        return page({ tasks: bucket() }, 7);
    }, { batchRows: 1 });
    const database = new Database();
    for (const id of ['a', 'b', 'c']) database.create('tasks', { id });
    await sync.sync({ synchronize, database });
    assert.deepEqual([uploads, database.hasChanges()], [4, false]);
});

test('a row that was created and deleted offline is not reported', async () => {
    const id = await project('Dig');
    const [phone] = phones(id);
    await phone.sync();
    phone.database.create('tasks', { ...NEW_TASK, id: `${id}-brief`, name: 'Brief' });
    phone.database.remove('tasks', `${id}-brief`);
    await phone.sync();
    assert.deepEqual([phone.reports, phone.database.hasChanges()], [[], false]);
});

test('turbo is not used if the database is not empty', async () => {
    const id = await project('Dig', 'Pour');
    const [phone] = phones(id);
    const streams = () => phone.requests.filter(({ address }) => address.includes('stream=true')).length;
    await phone.sync({ unsafeTurbo: true });
    assert.equal(streams(), 1);
    await phone.sync({ unsafeTurbo: true });
    assert.equal(streams(), 1);
    // A first sync that stored its rows and was interrupted before it stored its watermark.
    const [cut] = phones(id);
    cut.database.create('tasks', { ...NEW_TASK, id: `${id}-0`, name: 'Dig' });
    await cut.sync({ unsafeTurbo: true });
    assert.deepEqual(names(cut), ['Dig', 'Pour']);
});

test('a refused deletion is undone by the next pull, and pushes go on', async () => {
    const deleted = [];
    const { sync } = fakeSync(request => {
        if (request.path.endsWith('/schemas/')) return SCHEMAS;
        if (request.method === 'POST') {
            const { changes } = request.body;
            deleted.push(...changes.tasks.deleted);
            const entry = { id: 'a', field: null, code: 'in_use', detail: 'A link still uses it.' };
            return accepted(request, { rejected: changes.tasks.deleted.includes('a') ? { tasks: [entry] } : {} });
        }
        const isBack = deleted.length > 0;
        return page({ tasks: bucket(isBack || request.query.since === '0' ? [{ id: 'a', name: 'Dig' }] : []) },
            isBack ? 9 : 7);
    }, { onReport: ({ rejected }) => told.push(rejected.tasks[0].code) });
    const told = [];
    const database = new Database();
    await sync.sync({ synchronize, database });
    database.remove('tasks', 'a');
    database.create('tasks', { id: 'b', name: 'Roof' });
    await sync.sync({ synchronize, database });
    assert.deepEqual([told, database.hasChanges()], [['in_use'], false]);
    await sync.sync({ synchronize, database });
    assert.equal(database.rows('tasks').get('a').name, 'Dig');
    database.update('tasks', 'a', { name: 'Dug' });
    await sync.sync({ synchronize, database });
    assert.deepEqual([deleted, database.hasChanges()], [['a'], false]);
});
