import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Database } from './support/standin.js';
import { synchronize } from './support/synchronize.js';
import { SCHEMAS, accepted, bucket, failing, fakeSync, page, problem } from './support/fakes.js';

/** An adapter whose pulls are empty. `push` answers its pushes. */
function syncing(push = () => null, options = {}) {
    let pulls = 0;
    const made = fakeSync(request => {
        if (request.path.endsWith('/schemas/')) return SCHEMAS;
        if (request.method === 'POST') return push(request) ?? accepted(request);
        return page({ tasks: bucket() }, ++pulls);
    }, options);
    return { ...made, pulls: () => pulls };
}

function edited() {
    const database = new Database();
    database.create('tasks', { id: 't', name: 'Paint' });
    return database;
}

for (const [status, code] of [[409, 'conflict'], [409, 'since_ahead'], [410, 'since_expired']]) {
    test(`after ${code} of a push it pulls and pushes again, once`, async () => {
        let isRefused = false;
        const { sync, pulls } = syncing(() => {
            if (isRefused) return null;
            isRefused = true;
            return problem(status, code);
        });
        const database = edited();
        await sync.sync({ synchronize, database });
        assert.deepEqual([pulls(), database.hasChanges()], [2, false]);

        const always = syncing(() => problem(status, code));
        await assert.rejects(always.sync.sync({ synchronize, database: edited() }), failing({ code }));
        assert.equal(always.pulls(), 2);
    });
}

test('after another error it does not', async () => {
    const { sync, pulls } = syncing(() => problem(403, 'forbidden'));
    const database = edited();
    await assert.rejects(sync.sync({ synchronize, database }), failing({ code: 'forbidden' }));
    assert.deepEqual([pulls(), database.hasChanges()], [1, true]);
});

test('syncs run one at a time, and waiting ones share one run', async () => {
    const { sync } = syncing();
    let running = 0;
    let runs = 0;
    const slow = async () => {
        assert.equal(++running, 1);
        runs++;
        await new Promise(resolve => setImmediate(resolve));
        running--;
    };
    await Promise.all(Array.from({ length: 5 }, () => sync.sync({ synchronize: slow, database: null })));
    assert.equal(runs, 2);
    await sync.sync({ synchronize: slow, database: null });
    assert.equal(runs, 3);
});

test('a sync that fails does not hold up the one that waits', async () => {
    const { sync } = syncing();
    let runs = 0;
    const first = sync.sync({ synchronize: async () => { throw new Error(`run ${++runs}`); }, database: null });
    const second = sync.sync({ synchronize: async () => { runs++; }, database: null });
    await assert.rejects(first, /run 1/);
    await second;
    assert.equal(runs, 2);
});

test('arguments of synchronize are passed on', async () => {
    const { sync } = syncing();
    let seen;
    await sync.sync({
        synchronize: async args => { seen = args; }, database: null, migrationsEnabledAtVersion: 2, log: {},
    });
    assert.deepEqual([seen.migrationsEnabledAtVersion, seen.sendCreatedAsUpdated, seen.log], [2, true, {}]);
});

for (const [status, code] of [[403, 'membership_revoked'], [410, 'project_deleted']]) {
    test(`${code} is reported before it is thrown, and nothing is lost by then`, async () => {
        const database = edited();
        const saved = [];
        const { sync } = fakeSync(() => problem(status, code), {
            onAccessLost: async error => saved.push(error.code, ...database.rows('tasks').keys()),
        });
        await assert.rejects(sync.sync({ synchronize, database }), failing({ code, isAccessLost: true }));
        assert.deepEqual(saved, [code, 't']);
    });
}

test('if edits cannot be saved, the app gets that error instead', async () => {
    const { sync } = fakeSync(() => problem(410, 'project_deleted'), {
        onAccessLost: async () => { throw new Error('disk full'); },
    });
    await assert.rejects(sync.sync({ synchronize, database: edited() }), failing({ message: 'disk full' }));
});

test('a signal applies to one sync', async () => {
    const abort = new AbortController();
    abort.abort();
    const { sync } = syncing();
    await assert.rejects(sync.sync({ synchronize, database: edited(), signal: abort.signal }),
        failing({ code: 'aborted' }));
    await sync.sync({ synchronize, database: edited() });
});

test('with unsafeTurbo the first pull is one document', async () => {
    const body = { changes: { tasks: bucket([{ id: 'a', name: 'x' }]) }, timestamp: 4, has_more: false,
        next_cursor: null };
    const { sync, requests } = fakeSync(() => ({ body }));
    const database = new Database();
    await sync.sync({ synchronize, database, unsafeTurbo: true });
    assert.deepEqual([requests[0].query.stream, database.lastPulledAt, database.rows('tasks').size], ['true', 4, 1]);
});

test('without a database, or without WatermelonDB\'s function, nothing is synced, and a sentence says what lacks', async () => {
    const { sync, requests } = syncing();
    const database = edited();
    for (const call of ['sync', 'compare', 'unsent']) {
        for (const [args, lacks] of [[undefined, 'synchronize'], [{ database }, 'synchronize'], [{ synchronize }, 'database']]) {
            const error = { name: 'TypeError', message: `${call}() needs ${lacks}: see index.d.ts.` };
            await assert.rejects(async () => sync[call](args), error);
        }
    }
    assert.deepEqual(requests, []);
});
