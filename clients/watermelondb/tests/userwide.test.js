import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted, bucket, fakeSync, local, page, problem } from './support/fakes.js';
import { Database } from './support/standin.js';
import { synchronize } from './support/synchronize.js';

// The user-wide scope, with answers that a real server does not give on request.

const SYNC = '/api/v1/sync/';
const NEWEST = 2 ** 52 + 7;
const PULL = { lastPulledAt: 2 ** 52 + 5, schemaVersion: 1, migration: null };

const ref = collection => ({ type: 'string', 'x-ref': { collection, 'on-delete': 'clear' } });
const document = (title, properties = {}, rest = { 'x-uploadable': true }) => ({ title, properties, ...rest });

/** The schema of a server that takes new projects, or does not. */
const schemas = (takesProjects = true) => ({
    body: {
        collections: [
            document('projects', { name: { type: 'string' }, calendar: ref('calendars') },
                { 'x-uploadable': false, ...takesProjects ? { 'x-uploadable-user-wide': true } : {} }),
            document('memberships', {}, {}), document('calendars'),
            document('tasks', { name: { type: 'string' }, parent: ref('tasks') }),
        ],
    },
});

/** An adapter without a project. `answer` answers pulls and pushes. */
function allProjects(answer, { takesProjects, ...options } = {}) {
    return fakeSync(request => (request.path.endsWith('/schemas/') ? schemas(takesProjects) : answer(request)),
        { project: null, retry: { attempts: 1 }, ...options });
}

/** A page of all projects. */
const userPage = (changes, left, { cursor = null, ...rest } = {}) => {
    const { body, headers } = page(changes, NEWEST, cursor);
    return { headers, body: { ...body, left_projects: left, replaced: [], ...rest } };
};
const lost = (project, code = 'membership_revoked') => ({ project_id: project, code });

/** The answer to an upload over several projects. */
const applied = (request, rest) => accepted(request, { timestamp: null, timestamps: { 'p-1': 9, 'p-2': 3 }, ...rest });

test('pulls and pushes go to the address of all projects', async () => {
    const { sync, requests } = allProjects(request => (request.method === 'GET' ? userPage({}, []) : applied(request)));
    await sync.pullChanges(PULL);
    const rows = [local('a', { project_id: 'p-1' }), local('b', { project_id: 'p-2' })];
    const changes = { tasks: bucket([], ['c'], rows) };
    const answer = await sync.pushChanges({ changes, lastPulledAt: NEWEST });
    assert.deepEqual(answer, { experimentalRejectedIds: {} });
    const [pull, , push] = requests;
    assert.deepEqual([pull.path, push.path, push.body.last_pulled_at], [SYNC, SYNC, NEWEST]);
    assert.deepEqual(push.body.changes.tasks.created.map(row => row.project_id), ['p-1', 'p-2']);
});

test('keys of the storage can\'t be those of a project', async () => {
    const keys = new Map();
    const storage = {
        get: key => keys.get(key), set: (key, value) => void keys.set(key, value), remove: key => void keys.delete(key),
    };
    const { sync } = allProjects(request => (request.method === 'GET' ? userPage({}, []) : problem(500, 'x')),
        { storage, collections: ['tasks'] });
    await sync.pullChanges({ ...PULL, lastPulledAt: null });
    await assert.rejects(sync.pushChanges({ changes: { tasks: bucket([], ['a']) }, lastPulledAt: NEWEST }));
    // An id begins with a letter or a digit.
    assert.ok(keys.size > 3);
    for (const key of keys.keys()) assert.match(key, /^tidemark:_all:/);
    await sync.forget();
    assert.deepEqual([...keys.keys()], []);
});

test('losses are told one by one, when the whole drain is here and before the pull returns', async () => {
    const steps = [];
    const { sync } = allProjects(({ query }) => {
        steps.push(query.cursor ?? 'first');
        return query.cursor ? userPage({ tasks: bucket([], ['a']) }, [])
            : userPage({}, [lost('p-2'), lost('p-3', 'project_deleted')], { cursor: 'second' });
    }, {
        onAccessLost: async (...args) => {
            await new Promise(resolve => setImmediate(resolve));
            steps.push(args.join());
        },
    });
    await sync.pullChanges(PULL);
    steps.push('returned');
    assert.deepEqual(steps, ['first', 'second', 'p-2,membership_revoked', 'p-3,project_deleted', 'returned']);
});

for (const [what, rest] of Object.entries({
    heads: { heads: { 'p-2': 4 } }, digest: { digest: { 'p-2': null } },
    rows: { changes: { tasks: bucket([{ id: 'a', project_id: 'p-2' }]) } },
})) {
    test(`a project that the drain has in its ${what} is not lost`, async () => {
        const { sync } = allProjects(() => userPage({}, [lost('p-2')], rest),
            { onAccessLost: () => assert.fail('it is here') });
        await sync.pullChanges(PULL);
    });
}

test('a drain that begins again tells a loss once', async () => {
    const told = [];
    let isRefused = true;
    const { sync } = allProjects(({ query }) => {
        if (!query.cursor) return userPage({}, [lost('p-2')], { cursor: 'c' });
        if (!isRefused) return userPage({}, []);
        isRefused = false;
        return problem(400, 'invalid_cursor');
    }, { onAccessLost: project => void told.push(project) });
    await sync.pullChanges(PULL);
    assert.deepEqual(told, ['p-2']);
});

test('a pull that WatermelonDB did not store tells the loss again', async () => {
    const told = [];
    const { sync } = allProjects(() => userPage({}, [lost('p-2')]),
        { onAccessLost: project => void told.push(project) });
    for (let round = 0; round < 2; round++) await sync.pullChanges(PULL);
    assert.deepEqual(told, ['p-2', 'p-2']);
});

test('if the app can\'t save what it loses, the pull fails', async () => {
    const { sync } = allProjects(() => userPage({}, [lost('p-2')]),
        { onAccessLost: () => { throw new Error('the disk is full'); } });
    await assert.rejects(sync.pullChanges(PULL), /disk/);
});

test('a page with a loss that is not one is never adopted', async () => {
    for (const left of [{}, [{ project_id: 'p-2' }], [null]]) {
        const { sync } = allProjects(() => userPage({}, left));
        await assert.rejects(sync.pullChanges(PULL), { code: 'invalid_answer' });
    }
});

test('all rows of a project that can\'t be written to stay unsent, deletes too', async () => {
    const { sync } = allProjects(request => applied(request, {
        rejected: { tasks: ['a', 'b', 'c'].map(id => ({ id, field: null, code: 'project_archived', detail: 'x' })) },
        rejected_ids: { tasks: ['a', 'b', 'c'] },
    }));
    const database = new Database();
    for (const id of ['b', 'c', 'd']) database.table('tasks').set(id, local(id, { project_id: 'p-1' }, 'synced'));
    database.create('tasks', { id: 'a', project_id: 'p-1' });
    database.update('tasks', 'b', { name: 'x' });
    for (const id of ['c', 'd']) database.remove('tasks', id);
    await synchronize({
        database, pullChanges: () => ({ changes: {}, timestamp: NEWEST }), pushChanges: sync.pushChanges,
    });
    const statuses = [...database.table('tasks').values()].map(({ id, _status }) => `${id} ${_status}`);
    assert.deepEqual(statuses.sort(), ['a created', 'b updated', 'c deleted']);
});

test('an edit that was refused with its project is sent again whole, though a column was unknown before', async () => {
    let isArchived = false;
    const names = [];
    const { sync } = allProjects(request => {
        const { _changed, name } = request.body.changes.tasks.updated[0];
        names.push([_changed, name]);
        if (isArchived) return applied(request, { rejected_ids: { tasks: ['a'] } });
        return applied(request, { skipped: { tasks: [{ id: 'a', field: 'colour', code: 'unknown_field' }] } });
    });
    const edit = (name, _changed) =>
        ({ tasks: bucket([{ id: 'a', project_id: 'p-1', name, colour: 'red', _changed, _status: 'updated' }]) });
    const push = changes => sync.pushChanges({ changes, lastPulledAt: NEWEST });
    await push(edit('One', 'name,colour'));
    isArchived = true;
    await push(edit('Two', 'name,colour'));
    isArchived = false;
    await push(edit('Two', 'name,colour'));
    assert.deepEqual(names, [['name,colour', 'One'], ['name', 'Two'], ['name', 'Two']]);
});

test('new projects go with their rows, and so do edits and deletes of projects', async () => {
    const { sync, requests } = allProjects(request => applied(request));
    const changes = {
        tasks: bucket([], [], [local('t', { project_id: 'p-9' })]),
        projects: bucket([local('p-1', { name: 'x', project_id: 'p-1', _changed: 'name' }, 'updated')], ['p-2'],
            [local('p-9', { name: 'New', project_id: 'p-9' })]),
        memberships: bucket([local('m', { role: 1, _changed: 'role' }, 'updated')]),
    };
    const { experimentalRejectedIds } = await sync.pushChanges({ changes, lastPulledAt: NEWEST });
    assert.deepEqual(experimentalRejectedIds, { memberships: ['m'] });
    const sent = requests.at(-1).body.changes;
    assert.deepEqual([sent.projects.created[0].id, sent.projects.updated[0].id, sent.projects.deleted],
        ['p-9', 'p-1', ['p-2']]);
    assert.equal(sent.tasks.created[0].project_id, 'p-9');
});

test('with one project, projects are not uploaded', async () => {
    const { sync, requests } = fakeSync(request => (request.path.endsWith('/schemas/') ? schemas() : applied(request)));
    const changes = { projects: bucket([], [], [local('p-9')]), tasks: bucket([], ['a']) };
    const { experimentalRejectedIds } = await sync.pushChanges({ changes, lastPulledAt: 5 });
    assert.deepEqual([experimentalRejectedIds, Object.keys(requests.at(-1).body.changes)],
        [{ projects: ['p-9'] }, ['tasks']]);
});

for (const [what, options] of Object.entries({
    'the server does not take': { takesProjects: false }, 'the app does not upload': { uploadable: ['tasks'] },
})) {
    test(`rows of a new project that ${what} wait with it`, async () => {
        const { sync, requests } = allProjects(request => applied(request), options);
        const changes = {
            projects: bucket([], [], [local('p-9', { project_id: 'p-9' })]),
            tasks: bucket([], [], [local('a', { project_id: 'p-9' }), local('sub', { project_id: 'p-9', parent: 'a' }),
                local('b', { project_id: 'p-1' })]),
        };
        const { experimentalRejectedIds } = await sync.pushChanges({ changes, lastPulledAt: NEWEST });
        assert.deepEqual(experimentalRejectedIds, { projects: ['p-9'], tasks: ['a', 'sub'] });
        assert.deepEqual(requests.at(-1).body.changes.tasks.created.map(({ id }) => id), ['b']);
    });
}

for (const [batchRows, before] of [[1, 0], [2, 0], [2, 1], [3, 1], [3, 2], [4, 3], [5, 0]]) {
    test(`${batchRows} rows a batch, ${before} others first: a new project and its calendar precede its rows`, async () => {
        const { sync, requests } = allProjects(request => applied(request), { batchRows });
        const project = (id, calendar) => local(id, { project_id: id, calendar });
        const changes = {
            tasks: bucket([], [], [
                ...Array.from({ length: before }, (_, n) => local(`before-${n}`, { project_id: 'p-7' })),
                ...[1, 2, 3].map(n => local(`t${n}`, { project_id: `p-${n % 2}` })),
            ]),
            calendars: bucket([], [], [local('c', { project_id: 'p-1' }), local('d', { project_id: 'p-5' })]),
            projects: bucket([local('p-5', { project_id: 'p-5', calendar: 'd', _changed: 'calendar' }, 'updated')], [],
                [project('p-0', 'elsewhere'), project('p-1', 'c')]),
        };
        await sync.pushChanges({ changes, lastPulledAt: NEWEST });
        const batches = requests.filter(({ method }) => method === 'POST').map(({ body }) => body.changes);
        const seen = new Set();
        for (const { projects, calendars, tasks } of batches) {
            const ids = [...projects?.created ?? [], ...calendars?.created ?? []].map(({ id }) => id);
            for (const id of ids) seen.add(id);
            assert.equal(ids.includes('p-1'), ids.includes('c'));
            if (projects?.updated.length) assert.ok(seen.has('d'));
            for (const row of tasks?.created ?? []) assert.ok(row.project_id === 'p-7' || seen.has(row.project_id));
        }
        assert.ok(batches.length >= (batchRows === 1 ? 7 : 8 / batchRows));
    });
}

test('createSync refuses an empty project', () => {
    assert.throws(() => allProjects(() => null, { project: '' }), TypeError);
});

test('a project that is not known yet, and an option that there is not, are refused by name', () => {
    for (const project of [undefined, 7, {}, ['p-1']]) {
        assert.throws(() => allProjects(() => null, { project }), /^TypeError: The option project of createSync is /);
    }
    for (const name of ['projectID', 'Project', 'onconflict', 'collection']) {
        assert.throws(() => allProjects(() => null, { [name]: 'p-1' }), new RegExp(`createSync has no option ${name}\\.`));
    }
});
