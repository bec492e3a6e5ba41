import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../index.js';
import { PATH, SCHEMAS, bucket, failing, fakeSync, page, problem } from './support/fakes.js';

const PULL = { lastPulledAt: 5, schemaVersion: 3, migration: null };

/** Pages by cursor; `null` is page 1. */
const served = pages => ({ query }) => pages[query.cursor ?? 'null'];

test('the request is one for WatermelonDB', async () => {
    const { sync, requests } = fakeSync(() => page({}, 7), { pageSize: 50 });
    await sync.pullChanges(PULL);
    assert.equal(requests[0].path, PATH);
    assert.deepEqual(requests[0].query, { since: '5', encoding: 'watermelondb', page_size: '50', schema_version: '3' });
});

test('pages are combined, with their timestamp', async () => {
    const { sync, requests } = fakeSync(served({
        null: page({ tasks: bucket([{ id: 'a' }]), risks: bucket() }, 7, 'c1'),
        c1: page({ tasks: bucket([], ['b']), risks: bucket() }, 7, 'c2'),
        c2: page({ tasks: bucket([{ id: 'c' }]), risks: bucket([{ id: 'a' }]) }, 7),
    }));
    assert.deepEqual(await sync.pullChanges(PULL), {
        changes: { tasks: bucket([{ id: 'a' }, { id: 'c' }], ['b']), risks: bucket([{ id: 'a' }]) }, timestamp: 7,
    });
    assert.deepEqual(requests.map(({ query }) => query.cursor), [undefined, 'c1', 'c2']);
    assert.ok(requests.every(({ query }) => query.since === '5'));
});

test('progress is reported after every page', async () => {
    const told = [];
    const { sync } = fakeSync(served({
        null: page({ tasks: bucket([{ id: 'a' }]) }, 7, 'c1'), c1: page({ tasks: bucket([{ id: 'b' }]) }, 7),
    }), { onProgress: step => told.push(step) });
    await sync.pullChanges(PULL);
    assert.deepEqual(told.map(({ phase, rows, pages }) => [phase, rows, pages]), [['pull', 1, 1], ['pull', 2, 2]]);
});

for (const [what, body] of Object.entries({
    'without changes': { timestamp: 7, has_more: false, next_cursor: null },
    'with changes that are null': { changes: null, timestamp: 7, has_more: false, next_cursor: null },
    'without a timestamp': { changes: {}, has_more: false, next_cursor: null },
    'with a timestamp of 0': { changes: {}, timestamp: 0, has_more: false, next_cursor: null },
    'with a timestamp that is a text': { changes: {}, timestamp: '7', has_more: false, next_cursor: null },
    'with a timestamp below the watermark': { changes: {}, timestamp: 4, has_more: false, next_cursor: null },
    'that does not say whether there is more': { changes: {}, timestamp: 7 },
    'with more and no cursor': { changes: {}, timestamp: 7, has_more: true, next_cursor: null },
    'with a bucket that lacks a list': { changes: { tasks: { updated: [], deleted: [] } }, timestamp: 7,
        has_more: false, next_cursor: null },
    'with a row without id': { changes: { tasks: bucket([{ name: 'x' }]) }, timestamp: 7, has_more: false,
        next_cursor: null },
    'with a row that has a _status': { changes: { tasks: bucket([{ id: 'a', _status: 'x' }]) }, timestamp: 7,
        has_more: false, next_cursor: null },
    'with a deleted object': { changes: { tasks: bucket([], [{ id: 'a' }]) }, timestamp: 7, has_more: false,
        next_cursor: null },
    'that is null': null,
})) {
    test(`an answer ${what} is an error and never adopted`, async () => {
        const { sync } = fakeSync(() => ({ body: body === null ? 'null' : body }));
        await assert.rejects(sync.pullChanges(PULL), failing({ code: 'invalid_answer' }));
    });
}

test('a refused cursor restarts the drain', async () => {
    let isRefused = true;
    const { sync, requests } = fakeSync(({ query }) => {
        if (!query.cursor) return page({ tasks: bucket([{ id: 'a' }]) }, isRefused ? 7 : 8, 'c');
        const answer = isRefused ? problem(400, 'invalid_cursor') : page({ tasks: bucket([{ id: 'b' }]) }, 8);
        isRefused = false;
        return answer;
    });
    const { changes, timestamp } = await sync.pullChanges(PULL);
    assert.deepEqual([changes.tasks.updated.map(({ id }) => id), timestamp], [['a', 'b'], 8]);
    assert.equal(requests.length, 4);
});

test('a drain does not restart without end', async () => {
    const { sync, requests } = fakeSync(({ query }) =>
        (query.cursor ? problem(400, 'invalid_cursor') : page({}, 7, 'c')));
    await assert.rejects(sync.pullChanges(PULL), failing({ code: 'invalid_cursor' }));
    assert.equal(requests.length, 8);
});

test('an id that comes twice is never passed on', async () => {
    const { sync } = fakeSync(served({
        null: page({ tasks: bucket([{ id: 'a' }]) }, 7, 'c1'), c1: page({ tasks: bucket([], ['a']) }, 7),
    }));
    await assert.rejects(sync.pullChanges(PULL), failing({ code: 'drain_broken' }));
});

test('pages with different timestamps are never passed on', async () => {
    const { sync } = fakeSync(served({ null: page({}, 7, 'c1'), c1: page({}, 8) }));
    await assert.rejects(sync.pullChanges(PULL), failing({ code: 'drain_broken' }));
});

test('a page that leads to itself ends the pull', async () => {
    const { sync } = fakeSync(served({ null: page({}, 7, 'c'), c: page({}, 7, 'c') }));
    await assert.rejects(sync.pullChanges(PULL), failing({ code: 'invalid_answer' }));
});

for (const [status, code] of [[409, 'since_ahead'], [410, 'since_expired']]) {
    test(`${code} is answered by a replacement`, async () => {
        const { sync, requests } = fakeSync(({ query }) =>
            (query.since === '0' ? page({ tasks: bucket([{ id: 'a' }]) }, 3) : problem(status, code)));
        assert.deepEqual(await sync.pullChanges(PULL), {
            changes: { tasks: bucket([{ id: 'a' }]) }, timestamp: 3, experimentalStrategy: 'replacement',
        });
        assert.equal(requests.length, 2);
    });
}

test('the first pull replaces what an earlier try stored without its timestamp', async () => {
    const { sync } = fakeSync(() => page({}, 7));
    const { experimentalStrategy } = await sync.pullChanges({ ...PULL, lastPulledAt: null });
    assert.equal(experimentalStrategy, 'replacement');
    assert.equal((await sync.pullChanges(PULL)).experimentalStrategy, undefined);
});

test('so is a watermark that expires in the middle of a drain', async () => {
    const { sync } = fakeSync(({ query }) => {
        if (query.since === '0') return page({}, 9);
        return query.cursor ? problem(410, 'since_expired') : page({}, 8, 'c');
    });
    assert.equal((await sync.pullChanges(PULL)).experimentalStrategy, 'replacement');
});

test('the same status with another code causes no resync', async () => {
    const { sync } = fakeSync(() => problem(410, 'project_deleted'));
    await assert.rejects(sync.pullChanges(PULL), failing({ isAccessLost: true, isResync: false }));
});

test('a migration is sent without what only the app has', async () => {
    const migration = {
        from: 2, tables: ['risks', 'drafts'],
        columns: [{ table: 'tasks', columns: ['name', 'colour', 'server_version'] },
            { table: 'drafts', columns: ['x'] }],
    };
    const { sync, requests } = fakeSync(({ path }) => (path.endsWith('/schemas/') ? SCHEMAS : page({}, 7)));
    await sync.pullChanges({ ...PULL, migration });
    assert.deepEqual(JSON.parse(requests[1].query.migration), {
        from: 2, tables: ['risks'], columns: [{ table: 'tasks', columns: ['name', 'server_version'] }],
    });
});

test('a migration of only the app\'s own tables is not sent', async () => {
    const { sync, requests } = fakeSync(({ path }) => (path.endsWith('/schemas/') ? SCHEMAS : page({}, 7)));
    await sync.pullChanges({ ...PULL, migration: { from: 2, tables: ['drafts'], columns: [] } });
    assert.equal(requests[1].query.migration, undefined);
});

/** The requests of an adapter that remembers what an earlier one did. */
function filtered(collections, storage) {
    const { sync, requests } = fakeSync(({ path, query }) =>
        (path.endsWith('/schemas/') ? SCHEMAS : page({}, query.since === '0' ? 5 : 7)), { collections, storage });
    return { sync, pulls: () => requests.filter(({ path }) => path === PATH).map(({ query }) => query) };
}

test('a collection new in the filter is requested whole, until it is stored', async () => {
    const storage = memoryStorage();
    await filtered(['tasks'], storage).sync.pullChanges({ ...PULL, lastPulledAt: null });
    const wider = filtered(['tasks', 'risks'], storage);
    await wider.sync.pullChanges(PULL);
    await wider.sync.pullChanges(PULL); // the first was not stored
    await wider.sync.pullChanges({ ...PULL, lastPulledAt: 7 });
    const migrations = wider.pulls().map(({ migration }) => migration && JSON.parse(migration).tables);
    assert.deepEqual(migrations, [['risks'], ['risks'], undefined]);
    assert.deepEqual(wider.pulls().map(({ collections }) => collections), Array(3).fill('risks,tasks'));
});

test('the rows of such a collection replace its local rows, and no others', async () => {
    const storage = memoryStorage();
    await filtered(['tasks'], storage).sync.pullChanges({ ...PULL, lastPulledAt: null });
    const { sync } = filtered(['tasks', 'risks', 'unknown'], storage);
    const strategy = async since => (await sync.pullChanges({ ...PULL, lastPulledAt: since })).experimentalStrategy;
    const replaced = { default: 'incremental', override: { risks: 'replacement' } };
    assert.deepEqual([await strategy(5), await strategy(5), await strategy(7)], [replaced, replaced, undefined]);
});

test('when the filter is removed, everything that it left out is requested whole', async () => {
    const storage = memoryStorage();
    await filtered(['tasks'], storage).sync.pullChanges({ ...PULL, lastPulledAt: null });
    const all = filtered(null, storage);
    await all.sync.pullChanges(PULL);
    assert.deepEqual(JSON.parse(all.pulls()[0].migration).tables, ['risks', 'links']);
});

test('what a filter left out for a while is requested whole', async () => {
    const storage = memoryStorage();
    await filtered(['tasks', 'risks'], storage).sync.pullChanges({ ...PULL, lastPulledAt: null });
    await filtered(['tasks'], storage).sync.pullChanges(PULL);
    const again = filtered(['tasks', 'risks'], storage);
    await again.sync.pullChanges({ ...PULL, lastPulledAt: 7 });
    assert.deepEqual(JSON.parse(again.pulls()[0].migration).tables, ['risks']);
});

test('turbo passes the first answer on as unchanged text', async () => {
    const text = '{"changes": {}, "timestamp": 7}\n';
    const { sync, requests } = fakeSync(() => ({ body: text }), { pageSize: 10 });
    assert.deepEqual(await sync.pullChangesTurbo({ lastPulledAt: null, schemaVersion: 1 }), { syncJson: text });
    assert.deepEqual(requests[0].query, { since: '0', encoding: 'watermelondb', schema_version: '1', stream: 'true' });
});

test('turbo refuses a truncated text', async () => {
    const { sync } = fakeSync(() => ({ body: '{"changes": {"tasks": {"upd' }));
    await assert.rejects(sync.pullChangesTurbo({ lastPulledAt: null }), failing({ code: 'invalid_answer' }));
});
