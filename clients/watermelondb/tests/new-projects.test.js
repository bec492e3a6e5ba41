import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { startHousehold } from './support/household.js';
import { NEW, NEW_TASK } from './support/rows.js';
import { synchronize } from './support/synchronize.js';

// Projects that are made, edited and deleted in the local database, against a real server.

let server, alice, schema, projects, phone;

before(async () => {
    ({ server, alice, schema, projects, phone } = await startHousehold({ TIDEMARK_SYNC_BATCH_MAX_ROWS: '20' }));
});
after(() => server.stop());

const uploads = phone => phone.requests.filter(({ method }) => method === 'POST')
    .map(({ body }) => JSON.parse(body).changes);
const project = (id, values = {}) =>
    ({ id, name: 'New', description: '', start_date: '2026-01-05', project_id: id, ...values });
const onServer = (collection, id) => server.api(alice, 'GET', `/${collection}/${id}/`);

/** Phones of alice's, each of which has synced. */
async function synced(...options) {
    const phones = options.map(each => phone(alice, each));
    for (const each of phones) await each.sync();
    return phones;
}

/** Makes a project with so many tasks, in the order in which an app may not make them. */
function make({ database }, id, count, values) {
    for (let number = 0; number < count; number++) {
        const parent = number ? `${id}-${number - 1}` : null;
        database.create('tasks', { ...NEW_TASK, id: `${id}-${number}`, name: `${number}`, parent, project_id: id });
    }
    database.create('projects', project(id, values));
}

test('a project that was made offline goes with its rows in one batch', async () => {
    const [one, other] = await synced({}, {});
    make(one, 'boat', 3);
    await one.sync();
    assert.deepEqual([uploads(one).length, one.database.hasChanges(), one.reports], [1, false, []]);
    for (const each of [one, other]) await each.sync();
    assert.equal((await onServer('projects', 'boat')).name, 'New');
    for (const name of Object.keys(schema)) assert.equal(one.snapshot(name), other.snapshot(name), name);
    const [role] = [...one.database.rows('memberships').values()].filter(row => row.project_id === 'boat');
    assert.equal(role.role, 400);
    const result = await one.adapter.compare({ synchronize, database: one.database });
    assert.deepEqual(result, { isSame: true, differing: [] });
});

for (const batchRows of [1, 2, 5]) {
    test(`in a push of ${batchRows} rows a batch, the project comes first`, async () => {
        const [one] = await synced({ batchRows });
        const id = `split-${batchRows}`;
        make(one, id, 7);
        await one.sync();
        assert.ok(uploads(one).length > 1);
        assert.equal(uploads(one)[0].projects.created[0].id, id);
        assert.deepEqual([one.database.hasChanges(), one.reports], [false, []]);
        assert.equal((await onServer('tasks', `${id}-6`)).parent, `${id}-5`);
    });
}

test('a new project brings its calendar with it even with one row a batch', async () => {
    const [one] = await synced({ batchRows: 1 });
    one.database.create('calendars', { ...NEW.calendars, id: 'single-c', name: 'Short week', project_id: 'single' });
    make(one, 'single', 2, { calendar: 'single-c' });
    await one.sync();
    assert.deepEqual([one.database.hasChanges(), one.reports, uploads(one).length], [false, [], 3]);
    assert.equal((await onServer('projects', 'single')).calendar, 'single-c');
});

test('a new project brings its calendar, also under the id of a default one', async () => {
    const [one] = await synced({ batchRows: 2 });
    const named = { ...NEW.calendars, id: 'named-calendar', name: 'Short week', project_id: 'named' };
    one.database.create('calendars', named);
    make(one, 'named', 2, { calendar: 'named-calendar' });
    const id = `c-${createHash('sha256').update('calendar:plain').digest('hex').slice(0, 32)}`;
    one.database.create('calendars', { ...NEW.calendars, id, name: 'Long week', project_id: 'plain' });
    make(one, 'plain', 1);
    await one.sync();
    assert.deepEqual([one.database.hasChanges(), one.reports], [false, []]);
    assert.equal((await onServer('projects', 'named')).calendar, 'named-calendar');
    assert.equal((await onServer('projects', 'plain')).calendar, id);
    assert.equal((await onServer('calendars', id)).name, 'Long week');
    await one.sync();
    const calendars = [...one.database.rows('calendars').values()].filter(row => /named|plain/.test(row.project_id));
    assert.deepEqual(calendars.map(({ name }) => name).sort(), ['Long week', 'Short week']);
});

test('the rows of a refused project stay unsent with it, until the app mends it', async () => {
    const [one] = await synced({ batchRows: 3, onError: 'reject_rows' });
    make(one, 'bad', 5, { start_date: 'soon' });
    for (let round = 0; round < 2; round++) {
        await one.sync();
        const statuses = [...one.database.rows('tasks').values()].filter(row => row.project_id === 'bad');
        assert.ok(statuses.every(({ _status }) => _status === 'created'));
    }
    one.database.update('projects', 'bad', { start_date: '2026-01-05' });
    await one.sync();
    assert.equal(one.database.hasChanges(), false);
    assert.equal((await onServer('tasks', 'bad-4')).name, '4');
});

test('a project is renamed and deleted offline', async () => {
    const [id, other] = await projects(2, 'Dig');
    const told = [];
    const [one, two] = await synced({}, { onAccessLost: (...lost) => void told.push(lost) });
    one.database.update('projects', id, { name: 'Shed' });
    one.database.remove('projects', other);
    await one.sync();
    assert.deepEqual([one.database.hasChanges(), one.reports], [false, []]);
    await two.sync();
    assert.equal(two.database.rows('projects').get(id).name, 'Shed');
    assert.deepEqual([two.task(`${other}-0`), told], [undefined, [[other, 'project_deleted']]]);
    await one.sync();
    assert.equal(one.task(`${other}-0`), undefined);
});

test('the loss of a project that was deleted from this phone is no news to it', async () => {
    const ids = await projects(4, 'Dig');
    const told = [[], []];
    const losing = { retry: { attempts: 1 }, onAccessLost: project => void told[0].push(project) };
    const [one, two] = await synced(losing, { onAccessLost: project => void told[1].push(project) });
    one.database.remove('projects', ids[0]);
    await one.sync();
    await one.adapter.request('DELETE', `/projects/${ids[1]}/`);
    one.database.remove('projects', ids[2]);
    one.onAnswer = ({ method }) => { if (method === 'POST') throw new TypeError('the answer is lost'); };
    await assert.rejects(one.sync());
    const again = phone(alice, { former: one, ...losing });
    await server.api(alice, 'DELETE', `/projects/${ids[3]}/`);
    for (const each of [again, again, two]) await each.sync();
    assert.deepEqual(told, [[ids[3]], told[1]]);
    assert.deepEqual(told[1].filter(id => ids.includes(id)).sort(), [...ids].sort());
    for (const id of ids) assert.equal(again.task(`${id}-0`), undefined);
});

test('a project whose answer was lost is made once', async () => {
    const [one] = await synced({ retry: { attempts: 1 } });
    make(one, 'lost', 2);
    one.onAnswer = init => {
        if (init.method === 'POST') throw new TypeError('the answer is lost');
    };
    await assert.rejects(one.sync());
    await server.api(alice, 'PATCH', '/projects/lost/', { name: 'Newer' });
    const again = phone(alice, { former: one });
    await again.sync();
    assert.equal((await onServer('projects', 'lost')).name, 'Newer');
    assert.deepEqual([again.database.rows('projects').get('lost').name, again.database.hasChanges()], ['Newer', false]);
});
