import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../index.js';
import { uuid } from '../lib/common/uuid.js';
import { SCHEMAS, accepted, bucket, failing, fakeSync, local, page, problem } from './support/fakes.js';

/** An adapter on a server that accepts everything, unless `handler` answers an upload instead. */
function pushing(handler = () => null, options = {}) {
    const made = fakeSync((request, count) => {
        if (request.path.endsWith('/schemas/')) return SCHEMAS;
        return handler(request, count) ?? (request.method === 'POST' ? accepted(request) : page({}, 7));
    }, options);
    return { ...made, uploads: () => made.requests.filter(({ method }) => method === 'POST').map(({ body }) => body) };
}

const tasks = (...names) => ({ tasks: bucket([], [], names.map(name => local(name, { name }))) });
const sent = upload => Object.values(upload.changes).flatMap(({ created, updated, deleted }) =>
    [...created, ...updated].map(({ id }) => id).concat(deleted));

test('the envelope is that of a batch', async () => {
    const { sync, uploads } = pushing(undefined, { deviceId: 'd-1' });
    await sync.pushChanges({ changes: tasks('a'), lastPulledAt: 5 });
    const { client_batch_id: id, ...rest } = uploads()[0];
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual(rest, {
        last_pulled_at: 5, encoding: 'watermelondb', on_conflict: 'overwrite', on_error: 'repair',
        device_id: 'd-1',
        changes: { tasks: { created: [{ id: 'a', _changed: '', name: 'a' }], updated: [], deleted: [] } },
    });
});

test('only uploadable collections are sent; the ids of all others stay unsent', async () => {
    const { sync, uploads } = pushing();
    const changes = {
        ...tasks('a'), risks: bucket([local('r1', {}, 'updated')], ['r2'], [local('r3')]), links: bucket(),
        drafts: bucket([], ['x']),
    };
    const { experimentalRejectedIds } = await sync.pushChanges({ changes, lastPulledAt: 5 });
    assert.deepEqual(experimentalRejectedIds, { risks: ['r3', 'r1', 'r2'], drafts: ['x'] });
    assert.deepEqual(Object.keys(uploads()[0].changes), ['tasks']);
});

test('if nothing may be sent, nothing is', async () => {
    const { sync, uploads } = pushing();
    const changes = { risks: bucket([], ['r']) };
    const { experimentalRejectedIds } = await sync.pushChanges({ changes, lastPulledAt: 5 });
    assert.deepEqual([experimentalRejectedIds, uploads()], [{ risks: ['r'] }, []]);
});

test('if the app says what is uploadable, the server is not asked', async () => {
    const { sync, requests } = pushing(undefined, { uploadable: ['risks'] });
    await sync.pushChanges({ changes: { risks: bucket([], ['r']) }, lastPulledAt: 5 });
    assert.deepEqual(requests.map(({ method }) => method), ['POST']);
});

test('the schemas are requested once', async () => {
    const { sync, requests } = pushing();
    for (const name of ['a', 'b']) await sync.pushChanges({ changes: tasks(name), lastPulledAt: 5 });
    assert.deepEqual(requests.map(({ method }) => method), ['GET', 'POST', 'POST']);
});

test('if the server no longer accepts a collection, the schemas are requested again', async () => {
    let isOld = true;
    const { sync } = fakeSync(request => {
        if (request.method === 'POST') {
            return request.body.changes.links ? problem(400, 'collection_not_uploadable') : accepted(request);
        }
        const { collections } = SCHEMAS.body;
        const answer = isOld ? collections : collections.filter(({ title }) => title !== 'links');
        isOld = false;
        return { body: { collections: answer } };
    });
    const changes = { ...tasks('a'), links: bucket([], ['l']) };
    assert.deepEqual(await sync.pushChanges({ changes, lastPulledAt: 5 }),
        { experimentalRejectedIds: { links: ['l'] } });
});

test('refused new rows stay unsent; everything else that was not applied is reported', async () => {
    const news = {
        skipped: {}, conflicts: {}, repaired: {},
        rejected: { tasks: [{ id: 'a', field: 'name', code: 'required', detail: 'x' }] },
    };
    const told = [];
    const { sync } = pushing(request =>
        (request.method === 'POST' ? accepted(request, { ...news, rejected_ids: { tasks: ['a'] } }) : null),
        { onReport: report => told.push(report) });
    const changes = { ...tasks('a', 'b'), risks: bucket([], ['r']) };
    assert.deepEqual(await sync.pushChanges({ changes, lastPulledAt: 5 }),
        { experimentalRejectedIds: { risks: ['r'], tasks: ['a'] } });
    assert.deepEqual(told, [news]);
});

test('the changes from WatermelonDB are not modified', async () => {
    const { sync } = pushing();
    const changes = tasks('a\u0000');
    const before = structuredClone(changes);
    await sync.pushChanges({ changes, lastPulledAt: 5 });
    assert.deepEqual(changes, before);
});

test('text that no server can store does not hold up the batch', async () => {
    const { sync, uploads } = pushing();
    const row = local('a', { name: 'x\u0000y\ud800z \u{1f600}' });
    await sync.pushChanges({ changes: { tasks: bucket([], [], [row]) }, lastPulledAt: 5 });
    assert.equal(uploads()[0].changes.tasks.created[0].name, 'xy\ufffdz \u{1f600}');
});

// Batch ids.

test('a retry after a network error has the same batch id', async () => {
    const { sync, uploads } = pushing(({ method }, count) => {
        if (method === 'POST' && count < 4) throw new TypeError('the answer is lost');
        return null;
    });
    await sync.pushChanges({ changes: tasks('a'), lastPulledAt: 5 });
    assert.equal(uploads().length, 3);
    assert.equal(new Set(uploads().map(body => body.client_batch_id)).size, 1);
});

test('a batch is sent unchanged until it is answered, even after a restart; then what is new', async () => {
    const storage = memoryStorage();
    const sent = [];
    for (const [run, name] of ['a', 'b', 'b', 'c'].entries()) {
        const { sync, uploads } = pushing(({ method }) => (method === 'POST' && run < 2 ? { status: 502 } : null),
            { storage, retry: { attempts: 1 } });
        const changes = { tasks: bucket([local('t', { name, _changed: 'name' }, 'updated')]) };
        await sync.pushChanges({ changes, lastPulledAt: 5 }).catch(() => {});
        sent.push(uploads().map(body => [body.client_batch_id, body.changes.tasks.updated[0].name]));
    }
    const [[first]] = sent;
    assert.deepEqual(sent.slice(0, 2), [[first], [first]]);
    assert.deepEqual([sent[2][0], sent[2][1][1]], [first, 'b']);
    assert.deepEqual(sent[3].map(([, name]) => name), ['c']);
    assert.equal(new Set(sent.flat().map(([id]) => id)).size, 3);
});

test('rows that were not in the lost batch wait for the next push', async () => {
    let isLost = true;
    const { sync, uploads } = pushing(({ method }) => {
        if (method !== 'POST' || !isLost) return null;
        isLost = false;
        return { status: 502 };
    }, { retry: { attempts: 1 } });
    await assert.rejects(sync.pushChanges({ changes: tasks('a'), lastPulledAt: 5 }));
    assert.deepEqual(await sync.pushChanges({ changes: tasks('a', 'b'), lastPulledAt: 5 }),
        { experimentalRejectedIds: { tasks: ['b'] } });
    await sync.pushChanges({ changes: tasks('b'), lastPulledAt: 5 });
    assert.deepEqual(uploads().map(sent), [['a'], ['a'], ['b']]);
});

test('a lost batch that is refused now is given up, and its rows are sent like any other', async () => {
    let count = 0;
    const { sync, uploads } = pushing(({ method }) => {
        if (method !== 'POST') return null;
        return [{ status: 502 }, problem(409, 'conflict')][count++] ?? null;
    }, { retry: { attempts: 1 } });
    await assert.rejects(sync.pushChanges({ changes: tasks('a'), lastPulledAt: 5 }));
    await sync.pushChanges({ changes: tasks('a'), lastPulledAt: 6 });
    const ids = uploads().map(body => body.client_batch_id);
    assert.deepEqual([ids[0] === ids[1], ids[1] === ids[2], ids.length], [true, false, 3]);
});

for (const status of [401, 403, 404]) {
    test(`another program's ${status} proves nothing about a lost batch`, async () => {
        let count = 0;
        const { sync, uploads } = pushing(({ method }) => {
            if (method !== 'POST') return null;
            return [{ status: 502 }, { status, body: '<html>' }][count++] ?? null;
        }, { retry: { attempts: 1 } });
        for (let push = 0; push < 3; push++) {
            await sync.pushChanges({ changes: tasks('a'), lastPulledAt: 5 }).catch(() => {});
        }
        assert.equal(new Set(uploads().map(body => body.client_batch_id)).size, 1);
    });
}

test('a batch is no longer than a storage can read', async () => {
    const { sync, uploads } = pushing();
    const rows = Array.from({ length: 6 }, (_, index) => local(`t${index}`, { name: 'x'.repeat(200_000) }));
    await sync.pushChanges({ changes: { tasks: bucket([], [], rows) }, lastPulledAt: 5 });
    assert.deepEqual(uploads().map(body => sent(body).length), [2, 1, 2, 1]);
});

test('after the answer an equal edit gets a new id and is not mistaken for a repetition', async () => {
    const { sync, uploads } = pushing();
    for (let push = 0; push < 2; push++) await sync.pushChanges({ changes: tasks('a'), lastPulledAt: 5 });
    const [first, second] = uploads().map(body => body.client_batch_id);
    assert.notEqual(first, second);
});

test('an id that the server knows with another body is replaced, once', async () => {
    const { sync, uploads } = pushing(({ method }, count) =>
        (method === 'POST' && count === 2 ? problem(422, 'batch_id_reused') : null));
    await sync.pushChanges({ changes: tasks('a'), lastPulledAt: 5 });
    assert.equal(new Set(uploads().map(body => body.client_batch_id)).size, 2);
    const other = pushing(({ method }) => (method === 'POST' ? problem(422, 'batch_id_reused') : null));
    await assert.rejects(other.sync.pushChanges({ changes: tasks('a'), lastPulledAt: 5 }),
        failing({ code: 'batch_id_reused' }));
    assert.equal(other.uploads().length, 2);
});

test('nothing is left in the storage after everything is answered', async () => {
    const keys = new Map();
    const storage = {
        get: async key => keys.get(key),
        set: async (key, value) => void keys.set(key, value),
        remove: async key => void keys.delete(key),
    };
    const { sync } = pushing(undefined, { storage });
    await sync.pushChanges({ changes: tasks('a'), lastPulledAt: 5 });
    assert.deepEqual([...keys.keys()], ['tidemark:p-1:device', 'tidemark:p-1:owner', 'tidemark:projects']);
});

test('ids are UUIDs even without crypto', () => {
    const crypto = Object.getOwnPropertyDescriptor(globalThis, 'crypto');
    Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true });
    const ids = Array.from({ length: 100 }, uuid);
    if (crypto) Object.defineProperty(globalThis, 'crypto', crypto);
    assert.ok(ids.every(id => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)));
    assert.equal(new Set(ids).size, 100);
});

// Answers that are not valid.

for (const [what, answer] of Object.entries({
    'a page, as after a redirect': page({}, 7).body, 'an empty object': {}, null: null,
    'the answer to another batch': accepted({ body: { client_batch_id: uuid() } }).body,
})) {
    test(`a 200 with ${what} is an error`, async () => {
        const { sync } = pushing(({ method }) =>
            (method === 'POST' ? { body: answer === null ? 'null' : answer } : null));
        await assert.rejects(sync.pushChanges({ changes: tasks('a'), lastPulledAt: 5 }),
            failing({ code: 'invalid_answer' }));
    });
}

test('an empty 200 is an error', async () => {
    const { sync } = pushing(({ method }) => (method === 'POST' ? { body: '' } : null));
    await assert.rejects(sync.pushChanges({ changes: tasks('a'), lastPulledAt: 5 }),
        failing({ code: 'invalid_answer' }));
});

// Large pushes.

test('more rows than the limit are sent in parts, parents before children, deletions last', async () => {
    const { sync, uploads } = pushing(undefined, { batchRows: 2 });
    const changes = {
        links: bucket([], [], [local('l', { task: 'c', others: '["b","x"]' })]),
        tasks: bucket([local('a', { parent: 'b' }, 'updated')], ['z'],
            [local('c', { parent: 'a' }), local('b', { parent: null })]),
    };
    await sync.pushChanges({ changes, lastPulledAt: 5 });
    assert.deepEqual(uploads().map(sent), [['b', 'a'], ['c', 'l'], ['z']]);
    assert.equal(new Set(uploads().map(body => body.client_batch_id)).size, 3);
});

test('a row whose unique key is freed by a later part waits for the next push, without a report', async () => {
    const told = [];
    const isTaken = { a: 'gone', b: 'stays', c: 'gone' };
    const refused = ids => ids.filter(id => isTaken[id])
        .map(id => ({ id, field: null, code: 'not_unique', detail: 'x', existing: isTaken[id] }));
    const { sync, uploads } = pushing(({ method, body }) => (method === 'POST'
        ? accepted({ body }, { rejected: { tasks: refused(sent(body)) }, rejected_ids: { tasks: ['c'] } }) : null),
        { batchRows: 3, onReport: ({ rejected }) => told.push(...rejected.tasks.map(({ id }) => id)) });
    const changes = { tasks: bucket([local('a', {}, 'updated'), local('b', {}, 'updated')], ['gone'], [local('c')]) };
    const { experimentalRejectedIds } = await sync.pushChanges({ changes, lastPulledAt: 5 });
    assert.deepEqual([uploads().map(sent), told], [[['c', 'a', 'b'], ['gone']], ['b']]);
    assert.deepEqual(experimentalRejectedIds.tasks.sort(), ['a', 'c']);
});

test('the limit that the server sends is kept', async () => {
    const limit = 3;
    const { sync, uploads } = pushing(({ method, body }) =>
        (method === 'POST' && sent(body).length > limit
            ? problem(400, 'batch_too_large', { limit, rows: sent(body).length }) : null));
    await sync.pushChanges({ changes: tasks(...'abcdefgh'), lastPulledAt: 5 });
    assert.deepEqual(uploads().slice(1).map(sent), [['a', 'b', 'c'], ['d', 'e', 'f'], ['g', 'h']]);
});

test('a 413 halves the batch, even one from a proxy', async () => {
    const { sync, uploads } = pushing(({ method, body }) =>
        (method === 'POST' && sent(body).length > 2 ? { status: 413, body: '<html>' } : null));
    await sync.pushChanges({ changes: tasks(...'abcdef'), lastPulledAt: 5 });
    assert.deepEqual(uploads().map(body => sent(body).length), [6, 3, 2, 1, 3, 2, 1]);
    assert.equal(new Set(uploads().flatMap(sent)).size, 6);
});

test('a single row that is too large stays unsent and does not hold up others', async () => {
    const told = [];
    const { sync } = pushing(({ method, body }) =>
        (method === 'POST' && sent(body).includes('c') ? problem(413, 'body_too_large') : null),
        { onReport: report => told.push(report.rejected.tasks.map(({ id, code }) => [id, code])) });
    const { experimentalRejectedIds } = await sync.pushChanges({ changes: tasks(...'abcd'), lastPulledAt: 5 });
    assert.deepEqual([experimentalRejectedIds, told], [{ tasks: ['c'] }, [[['c', 'body_too_large']]]]);
});

test('a row that fails every batch stays unsent and does not hold up others', async () => {
    const { sync, uploads } = pushing(({ method, body }) => (method === 'POST' && sent(body).includes('c')
        ? problem(400, 'invalid_rows', { errors: [{ pointer: '/changes', code: 'duplicate_id', detail: 'x' }] })
        : null));
    const { experimentalRejectedIds } = await sync.pushChanges({ changes: tasks(...'abcdefgh'), lastPulledAt: 5 });
    assert.deepEqual(experimentalRejectedIds, { tasks: ['c'] });
    assert.ok(uploads().length < 8);
    const all = pushing(({ method }) => (method === 'POST' ? problem(400, 'invalid_rows', { errors: [{}] }) : null),
        { onError: 'reject_batch' });
    await assert.rejects(all.sync.pushChanges({ changes: tasks('a'), lastPulledAt: 5 }),
        failing({ code: 'invalid_rows' }));
    assert.equal(all.uploads().length, 1);
});

test('pushChanges called by the app throws after a failed part, and everything stays unsent', async () => {
    const { sync } = pushing(({ method, body }) =>
        (method === 'POST' && sent(body).includes('c') ? problem(403, 'forbidden') : null),
        { batchRows: 2 });
    await assert.rejects(sync.pushChanges({ changes: tasks(...'abcd'), lastPulledAt: 5 }),
        failing({ code: 'forbidden' }));
});

test('a chain longer than the stack, and a circle, are put in order', async () => {
    const { sync, uploads } = pushing(undefined, { batchRows: 10_000 });
    const chain = Array.from({ length: 20_000 }, (_, index) =>
        local(`t${index}`, { parent: index ? `t${index - 1}` : 't19999' }));
    await sync.pushChanges({ changes: { tasks: bucket([], [], chain.reverse()) }, lastPulledAt: 5 });
    assert.equal(new Set(uploads().flatMap(sent)).size, 20_000);
});
