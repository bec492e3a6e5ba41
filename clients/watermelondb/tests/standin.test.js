import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Database } from './support/standin.js';
import { synchronize } from './support/synchronize.js';
import { bucket } from './support/fakes.js';

// The stand-in is as strict as measurements showed the real client to be.

const SCHEMA = {
    tasks: {
        name: { type: 'string', isOptional: false }, notes: { type: 'string', isOptional: true },
        percent: { type: 'number', isOptional: false }, isDone: { type: 'boolean', isOptional: false },
    },
    risks: { title: { type: 'string', isOptional: false } },
};

const ROW = { name: 'here', notes: null, percent: 0, isDone: false };

function pulled(database, answer, options = {}) {
    return synchronize({ database, pullChanges: async () => answer, sendCreatedAsUpdated: true, ...options });
}

const withTasks = (tasks, timestamp = 2) => ({ changes: { tasks }, timestamp });

/** A database that has the row `a` in a given state, at timestamp 1. */
async function having(state) {
    const database = new Database({ schema: SCHEMA });
    const isThere = state !== 'none' && state !== 'created';
    await pulled(database, withTasks(bucket(isThere ? [{ id: 'a', ...ROW }] : []), 1));
    if (state === 'created') database.create('tasks', { id: 'a', ...ROW });
    if (state === 'updated') database.update('tasks', 'a', { notes: 'mine' });
    if (state === 'deleted') database.remove('tasks', 'a');
    return database;
}

const stateOf = database => {
    const row = database.table('tasks').get('a');
    return row ? `${row._status} ${row.name} ${row.notes}` : 'gone';
};

for (const [remote, local, expected] of [
    ['created', 'none', 'synced there null'], ['created', 'synced', 'synced there null'],
    ['created', 'updated', 'updated there mine'], ['created', 'created', 'created there null'],
    ['created', 'deleted', 'synced there null'],
    ['updated', 'none', 'synced there null'], ['updated', 'synced', 'synced there null'],
    ['updated', 'updated', 'updated there mine'], ['updated', 'created', 'created there null'],
    ['updated', 'deleted', 'deleted here null'],
    ['deleted', 'none', 'gone'], ['deleted', 'synced', 'gone'], ['deleted', 'updated', 'gone'],
    ['deleted', 'created', 'gone'], ['deleted', 'deleted', 'gone'],
]) {
    test(`a row ${remote} there and ${local} here is then: ${expected}`, async () => {
        const database = await having(local);
        const row = { id: 'a', ...ROW, name: 'there' };
        const tasks = { ...bucket(), [remote]: [remote === 'deleted' ? 'a' : row] };
        await pulled(database, withTasks(tasks));
        assert.equal(stateOf(database), expected);
    });
}

for (const timestamp of [0, -1, '42', null, undefined, NaN, '2026-01-01']) {
    test(`the timestamp ${timestamp} is refused and nothing is stored`, async () => {
        const database = new Database({ schema: SCHEMA });
        await assert.rejects(pulled(database, { ...withTasks(bucket([{ id: 'a', ...ROW }])), timestamp }),
            /invalid timestamp/);
        assert.deepEqual([database.lastPulledAt, database.rows('tasks').size], [null, 0]);
    });
}

test('a timestamp that goes back is accepted, with an error in the log', async () => {
    const database = await having('synced');
    database.lastPulledAt = 1000;
    await pulled(database, withTasks(bucket(), 10.9));
    assert.deepEqual([database.lastPulledAt, database.errors.length], [10, 1]);
});

test('an id twice in one pull rolls everything back', async () => {
    const database = await having('none');
    await assert.rejects(pulled(database, withTasks(bucket([{ id: 'b' }, { id: 'b' }]))), /UNIQUE constraint/);
    assert.equal(database.rows('tasks').size, 0);
});

test('an id twice, of an existing row, blocks the row until the app restarts', async () => {
    const database = await having('synced');
    const twice = bucket([{ id: 'a', name: 'x' }, { id: 'a', name: 'y' }]);
    await assert.rejects(pulled(database, withTasks(twice)), /pending changes/);
    await assert.rejects(pulled(database, withTasks(bucket([{ id: 'a', name: 'x' }]))), /pending changes/);
    assert.throws(() => database.update('tasks', 'a', { name: 'z' }), /pending changes/);
    database.restart();
    await pulled(database, withTasks(bucket([{ id: 'a', name: 'x' }])));
});

test('an id updated and deleted in one pull stays, or blocks the row', async () => {
    const fresh = await having('none');
    await pulled(fresh, withTasks(bucket([{ id: 'a', ...ROW }], ['a'])));
    assert.equal(stateOf(fresh), 'synced here null');
    const known = await having('synced');
    await assert.rejects(pulled(known, withTasks(bucket([{ id: 'a', name: 'x' }], ['a']))), /destroy permanently/);
});

test('a bucket without one of its lists is a TypeError, in unknown tables as well', async () => {
    const database = await having('none');
    await assert.rejects(pulled(database, { changes: { unknown: {} }, timestamp: 2 }), TypeError);
    await assert.rejects(pulled(database, { changes: { tasks: { updated: [], deleted: [] } }, timestamp: 2 }),
        TypeError);
    await pulled(database, { changes: { unknown: bucket([{ id: 'x' }]) }, timestamp: 2 });
});

test('missing changes lose data: the timestamp is adopted', async () => {
    const database = await having('none');
    await pulled(database, { timestamp: 9 });
    assert.equal(database.lastPulledAt, 9);
});

for (const [what, row] of [['null', null], ['without id', {}], ['with _status', { id: 'a', _status: 'synced' }],
    ['with __proto__', JSON.parse('{"id": "a", "__proto__": {}}')]]) {
    test(`a row that is ${what} is refused`, async () => {
        await assert.rejects(pulled(await having('none'), withTasks(bucket([row]))), /Invalid raw record/);
    });
}

test('values get the type of their column', async () => {
    const database = await having('none');
    await pulled(database, withTasks(bucket([
        { id: 'a', name: 5, notes: [1], percent: '5.50', isDone: 'true', other: 'x' },
        { id: 'b', percent: true, isDone: 1 },
    ])));
    const row = id => { const { _status, _changed, ...rest } = database.table('tasks').get(id); return rest; };
    assert.deepEqual(row('a'), { id: 'a', name: '', notes: null, percent: 0, isDone: false });
    assert.deepEqual(row('b'), { id: 'b', name: '', notes: null, percent: 0, isDone: true });
});

test('columns that are not sent keep their value', async () => {
    const database = await having('synced');
    await pulled(database, withTasks(bucket([{ id: 'a', percent: 7 }])));
    assert.deepEqual({ ...database.table('tasks').get('a') },
        { id: 'a', ...ROW, percent: 7, _status: 'synced', _changed: '' });
});

test('a replacement removes the rows that it does not contain, except new ones, in its tables', async () => {
    for (const strategy of ['replacement', { default: 'incremental', override: { tasks: 'replacement' } }]) {
        const database = new Database({ schema: SCHEMA });
        await pulled(database, {
            changes: { tasks: bucket('abcd'.split('').map(id => ({ id }))), risks: bucket([{ id: 'r' }]) },
            timestamp: 1,
        });
        database.update('tasks', 'b', { name: 'x' });
        database.remove('tasks', 'c');
        database.create('tasks', { id: 'new' });
        await pulled(database, { ...withTasks(bucket([{ id: 'd' }])), experimentalStrategy: strategy });
        assert.deepEqual([...database.table('tasks').keys()].sort(), ['d', 'new']);
        assert.equal(database.rows('risks').size, 1);
    }
});

test('an unknown strategy is an error, and override is required', async () => {
    const database = await having('none');
    await assert.rejects(pulled(database, { ...withTasks(bucket()), experimentalStrategy: 'all' }),
        /Invalid pull strategy/);
    await assert.rejects(pulled(database, { ...withTasks(bucket()), experimentalStrategy: { default: 'incremental' } }),
        TypeError);
});

test('pushed rows are synced, except refused rows and rows edited meanwhile', async () => {
    const database = await having('synced');
    for (const id of ['b', 'c']) database.create('tasks', { id, ...ROW });
    database.update('tasks', 'a', { notes: 'mine' });
    const pushes = [];
    const pushChanges = async ({ changes }) => {
        pushes.push(changes);
        database.update('tasks', 'a', { name: 'later' });
        return { experimentalRejectedIds: { tasks: ['b'], unknown: ['x'] } };
    };
    await pulled(database, withTasks(bucket()), { pushChanges });
    const states = [...database.table('tasks').values()].map(({ id, _status, _changed }) => [id, _status, _changed]);
    assert.deepEqual(states, [['a', 'updated', 'notes,name'], ['b', 'created', ''], ['c', 'synced', '']]);
    assert.deepEqual(Object.keys(pushes[0]), ['tasks', 'risks']);
});

test('an answer moves no column: a version is always one that was pulled', async () => {
    const database = new Database();
    await pulled(database, withTasks(bucket([{ id: 'a', ...ROW, server_version: 5 }]), 1));
    database.update('tasks', 'a', { notes: 'mine' });
    const applied = { tasks: { updated: [{ id: 'a', server_version: 6 }] } };
    const answer = { changes: {}, timestamp: 2 };
    await pulled(database, answer, { pushChanges: async () => ({ applied, experimentalRejectedIds: {} }) });
    const { server_version: version, _status } = database.table('tasks').get('a');
    assert.deepEqual([version, _status], [5, 'synced']);
});

test('nothing is pushed if nothing is unsent', async () => {
    await pulled(await having('synced'), withTasks(bucket()), { pushChanges: async () => assert.fail('pushed') });
});

for (const [answer, isSynced] of [[undefined, true], [null, true], [{}, true],
    [{ experimentalRejectedIds: ['a'] }, true],
    [{ experimentalRejectedIds: { tasks: ['a'] } }, false]]) {
    test(`after the answer ${JSON.stringify(answer)} to a push rows are ${isSynced ? '' : 'not '}synced`, async () => {
        const database = await having('updated');
        await pulled(database, withTasks(bucket()), { pushChanges: async () => answer });
        assert.equal(database.hasChanges(), !isSynced);
    });
}

test('a failed push leaves everything unsent', async () => {
    const database = await having('updated');
    await assert.rejects(pulled(database, withTasks(bucket()),
        { pushChanges: async () => { throw new Error('no'); } }));
    assert.deepEqual([database.hasChanges(), database.lastPulledAt], [true, 2]);
});

test('of two at the same time the later one is refused if the timestamp moved', async () => {
    const database = await having('none');
    let other = null;
    const pullChanges = async () => {
        other ??= pulled(database, withTasks(bucket(), 7));
        await other;
        return withTasks(bucket(), 8);
    };
    await assert.rejects(synchronize({ database, pullChanges }), /Concurrent/);
});

test('a migration is requested until one sync succeeds', async () => {
    const database = await having('synced');
    const columns = [{ table: 'tasks', columns: ['isDone'] }];
    Object.assign(database, { version: 2, migrations: [{ toVersion: 2, tables: ['risks'], columns }] });
    const asked = [];
    const sync = fails => synchronize({
        database, migrationsEnabledAtVersion: 1, pullChanges: async ({ migration }) => {
            asked.push(migration);
            if (fails) throw new Error('lost');
            return withTasks(bucket());
        },
    });
    await assert.rejects(sync(true));
    await sync(false);
    await sync(false);
    const migration = { from: 1, tables: ['risks'], columns: [{ table: 'tasks', columns: ['isDone'] }] };
    assert.deepEqual(asked, [migration, migration, null]);
});

test('turbo takes one text, only as the first sync, without deletions', async () => {
    const text = tasks => JSON.stringify({ changes: { tasks }, timestamp: 4 });
    const turbo = (database, answer) => pulled(database, answer, { unsafeTurbo: true });
    const database = new Database({ schema: SCHEMA });
    await assert.rejects(turbo(database, { changes: {}, timestamp: 4 }), /missing syncJson/);
    await assert.rejects(turbo(database, { syncJson: text(bucket([], ['x'])) }), /deleted field to be empty/);
    await turbo(database, { syncJson: text(bucket([{ id: 'a' }])) });
    assert.deepEqual([database.lastPulledAt, database.rows('tasks').size], [4, 1]);
    await assert.rejects(turbo(database, { syncJson: text(bucket()) }), /first sync/);
});
