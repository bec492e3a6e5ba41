import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucket, failing, fakeSync, page, problem, SCHEMAS } from './support/fakes.js';
import { Database } from './support/standin.js';
import { synchronize } from './support/synchronize.js';

// Which drains count, and what several of them are together.

const PULL = { lastPulledAt: 5, schemaVersion: 1, migration: null };
const FIRST = { ...PULL, lastPulledAt: null };

const row = (id, version) => ({ id, server_version: version });
const tasks = (updated, deleted) => ({ tasks: bucket(updated, deleted) });

/** An adapter whose server answers by `since` and cursor: `{ 5: …, '5/c': … }`, streams by `since` and `/stream`. */
function scripted(answers, options) {
    const asked = [];
    const { sync, requests, waits } = fakeSync(({ path, query }) => {
        if (path.endsWith('/schemas/')) return SCHEMAS;
        const part = query.stream ? 'stream' : query.cursor;
        const key = part ? `${query.since}/${part}` : query.since;
        asked.push(key);
        const answer = answers[key];
        return (typeof answer === 'function' ? answer() : answer) ?? problem(500, `no ${key}`);
    }, options);
    return { sync, requests, waits, asked };
}

/** A drain of two pages, during which something is written up to `head`. */
const disturbed = (since, timestamp, head, first = {}, last = {}) =>
    ({ [since]: page(first, timestamp, 'c', head), [`${since}/c`]: page(last, timestamp, null, head) });

/** Drains of two pages from `from` on, each of which does not count. */
const restless = (from, to) =>
    Object.assign({}, ...Array.from({ length: to - from }, (_, index) =>
        disturbed(from + index, from + index + 1, from + index + 2, tasks([row('a', index)]))));

test('a drain of several pages counts if nothing was written meanwhile', async () => {
    const { sync, asked } = scripted(disturbed(5, 7, 7));
    assert.deepEqual(await sync.pullChanges(PULL), { changes: {}, timestamp: 7 });
    assert.deepEqual(asked, ['5', '5/c']);
});

test('if something was written, the pull goes on from where it is, until a drain counts', async () => {
    const { sync, asked } = scripted({
        ...disturbed(5, 7, 8, tasks([row('a', 1)]), tasks([row('b', 1)])),
        ...disturbed(7, 8, 9, tasks([row('c', 1)])), 8: page(tasks([row('d', 1)]), 9),
    });
    const answer = await sync.pullChanges(PULL);
    assert.deepEqual(answer, { changes: tasks(['a', 'b', 'c', 'd'].map(id => row(id, 1))), timestamp: 9 });
    assert.deepEqual(asked, ['5', '5/c', '7', '7/c', '8']);
});

test('a head that is no number counts as none', async () => {
    const { sync, asked } = scripted({ 5: { ...page({}, 7, 'c') }, '5/c': {
        ...page({}, 7), headers: { 'Tidemark-Head': 'seven' },
    }, 7: page({}, 7, null, null) });
    assert.equal((await sync.pullChanges(PULL)).settled, undefined);
    assert.deepEqual(asked, ['5', '5/c', '7']);
});

test('without the header, a drain of one page counts, and none of several', async () => {
    const { sync, asked } = scripted({ ...disturbed(5, 7, null), 7: page({}, 7, null, null) });
    assert.deepEqual(await sync.pullChanges(PULL), { changes: {}, timestamp: 7 });
    assert.deepEqual(asked, ['5', '5/c', '7']);
});

test('after three drains that do not count, a stream does, with or without the header', async () => {
    for (const head of [9, null]) {
        const answers = { ...restless(5, 8), '8/stream': page({}, 9, null, head) };
        const { sync, requests } = scripted(answers, { pageSize: 2 });
        assert.equal((await sync.pullChanges(PULL)).settled, undefined);
        const { page_size: size, ...query } = requests.at(-1).query;
        assert.deepEqual([query, size, requests.length],
            [{ since: '8', encoding: 'watermelondb', schema_version: '1', stream: 'true' }, undefined, 7]);
    }
});

for (const [what, answer] of Object.entries({
    'is refused': { ...problem(503, 'busy'), headers: { 'Retry-After': '60' } },
    'is cut': { body: '{"changes": {"tasks": {"upd' },
    'has a row twice': page(tasks([row('a', 1), row('a', 1)]), 9),
    'comes as a page': page({}, 9, 'c'),
    'breaks off': () => {
        throw new TypeError('terminated');
    },
})) {
    test(`where a stream ${what}, pages follow at once`, async () => {
        const { sync, asked, waits } = scripted({ ...restless(5, 8), '8/stream': answer, 8: page({}, 9) });
        assert.equal((await sync.pullChanges(PULL)).settled, undefined);
        assert.deepEqual([asked.slice(-2), waits], [['8/stream', '8'], []]);
    });
}

test('what a stream is refused for good ends the pull', async () => {
    const { sync } = scripted({ ...restless(5, 8), '8/stream': problem(403, 'membership_revoked') });
    await assert.rejects(sync.pullChanges(PULL), failing({ isAccessLost: true }));
});

test('after eight rounds the app gets what there is, and is told that it is not settled', async () => {
    const { sync, asked } = scripted({ ...restless(5, 20),
        ...Object.fromEntries([8, 9, 10, 11, 12].map(since => [`${since}/stream`, problem(503, 'busy')])) });
    const answer = await sync.pullChanges(PULL);
    assert.deepEqual(answer, { changes: tasks([row('a', 7)]), timestamp: 13, settled: false });
    assert.equal(asked.filter(key => !key.includes('/')).length, 8);
    const database = new Database();
    database.lastPulledAt = 5;
    let told = null;
    await sync.sync({ synchronize, database, onDidPullChanges: rest => (told = rest) });
    assert.deepEqual([told, database.rows('tasks').size], [{ timestamp: 13, settled: false }, 1]);
});

test('of each row the last word counts, and no id comes twice', async () => {
    const { sync } = scripted({
        ...disturbed(5, 7, 8, tasks([row('a', 1), row('b', 1)], ['x', 'y'])),
        ...disturbed(7, 8, 9, tasks([row('a', 2), row('x', 5)], ['b'])),
        8: page(tasks([row('c', 1)], ['a']), 9),
    });
    assert.deepEqual((await sync.pullChanges(PULL)).changes, tasks([row('x', 5), row('c', 1)], ['y', 'b', 'a']));
});

test('ids are those of a table', async () => {
    const { sync } = scripted({
        ...disturbed(5, 7, 8, { tasks: bucket([row('a', 1)]), risks: bucket([row('a', 1)]) }),
        7: page({ tasks: bucket([], ['a']), risks: bucket(), links: bucket([row('a', 1)]) }, 8),
    });
    assert.deepEqual((await sync.pullChanges(PULL)).changes,
        { tasks: bucket([], ['a']), risks: bucket([row('a', 1)]), links: bucket([row('a', 1)]) });
});

test('in an answer from 0, rows that went meanwhile are left out', async () => {
    const { sync } = scripted({
        ...disturbed(0, 7, 8, tasks([row('a', 1)]), tasks([row('b', 1)])), 7: page(tasks([row('b', 2)], ['a', 'x']), 8),
    });
    assert.deepEqual(await sync.pullChanges(FIRST),
        { changes: tasks([row('b', 2)]), timestamp: 8, experimentalStrategy: 'replacement' });
});

for (const [status, code] of [[409, 'since_ahead'], [410, 'since_expired']]) {
    test(`after ${code} in a later round nothing of the rounds is left, and a replacement begins`, async () => {
        const { sync, asked } = scripted({
            ...disturbed(5, 7, 8, tasks([row('a', 1)])), 7: problem(status, code),
            ...disturbed(0, 9, 10, tasks([row('b', 1)])), 9: page(tasks([row('c', 1)]), 10),
        });
        assert.deepEqual(await sync.pullChanges(PULL), {
            changes: tasks([row('b', 1), row('c', 1)]), timestamp: 10, experimentalStrategy: 'replacement',
        });
        assert.deepEqual(asked, ['5', '5/c', '7', '0', '0/c', '9']);
    });
}

test('refusals in later rounds do not go on without end', async () => {
    const { sync, asked } = scripted({ ...disturbed(0, 7, 8, tasks([row('a', 1)])), 7: problem(410, 'since_expired'),
        '7/stream': problem(410, 'since_expired') });
    assert.deepEqual(await sync.pullChanges(FIRST), {
        changes: tasks([row('a', 1)]), timestamp: 7, experimentalStrategy: 'replacement', settled: false,
    });
    assert.equal(asked.filter(key => key === '0').length, 8);
});

test('a pull from 0 that is refused so ends', async () => {
    const { sync, asked } = scripted({ 0: problem(410, 'since_expired') });
    await assert.rejects(sync.pullChanges(FIRST), failing({ code: 'since_expired' }));
    assert.deepEqual(asked, ['0']);
});

test('an error in a later round fails the whole pull', async () => {
    const { sync } = scripted({ ...disturbed(5, 7, 8, tasks([row('a', 1)])), 7: problem(500, 'internal') });
    await assert.rejects(sync.pullChanges(PULL), failing({ code: 'internal' }));
});

test('later rounds do not name the device, which has not stored yet where they begin', async () => {
    const { sync, requests } = scripted({ ...disturbed(5, 7, 8), 7: page({}, 8) }, { deviceId: 'd-1' });
    await sync.pullChanges(PULL);
    const named = requests.map(({ query, headers }) => [query.since, headers['Tidemark-Device-Id']]);
    assert.deepEqual(named, [['5', 'd-1'], ['5', 'd-1'], ['7', undefined]]);
});

test('a migration is part of the first round alone', async () => {
    const { sync, requests } = scripted({ ...disturbed(5, 7, 8), 7: page({}, 8) });
    await sync.pullChanges({ ...PULL, migration: { from: 1, tables: ['risks'], columns: [] } });
    const pulls = requests.filter(({ path }) => !path.endsWith('/schemas/'));
    assert.deepEqual(pulls.map(({ query }) => 'migration' in query), [true, true, false]);
});

test('progress goes on from round to round', async () => {
    const told = [];
    const { sync } = scripted({ ...disturbed(5, 7, 8, tasks([row('a', 1)]), tasks([row('b', 1)])),
        7: page(tasks([row('a', 2)]), 8) }, { onProgress: step => told.push([step.rows, step.pages]) });
    await sync.pullChanges(PULL);
    assert.deepEqual(told, [[1, 1], [2, 2], [3, 3]]);
});

/** An adapter with all projects, whose drains lose and serve these; what it tells the app, and when. */
function losing(...drains) {
    const [number, steps] = [since => 2 ** 52 + since, []];
    const answers = drains.map(({ left = [], served = [], changes = {} }, index) => {
        const head = 6 + Math.min(index + 1, drains.length - 1);
        const { body, headers } = page(changes, number(6 + index), null, number(head));
        const heads = Object.fromEntries(served.map(project => [project, 9]));
        return { headers, body: { ...body, left_projects: left.map(id => ({ project_id: id, code: 'gone' })), heads } };
    });
    const { sync } = fakeSync(({ query }) => {
        steps.push(`from ${query.since - number(0)}`);
        return answers[query.since - number(5)];
    }, { project: null, onAccessLost: project => steps.push(project) });
    return { pull: () => sync.pullChanges({ ...PULL, lastPulledAt: number(5) }), steps };
}

test('losses are told once, after the last round', async () => {
    const { pull, steps } = losing({ left: ['p-1'] }, { left: ['p-1', 'p-2'] }, {});
    await pull();
    assert.deepEqual(steps, ['from 5', 'from 6', 'from 7', 'p-1', 'p-2']);
});

test('a project that was lost and is served again is not lost, and one that was served and lost is', async () => {
    const { pull, steps } = losing({ left: ['back'], served: ['gone'] }, { left: ['gone'], served: ['back'] });
    await pull();
    assert.deepEqual(steps, ['from 5', 'from 6', 'gone']);
});

test('nothing is told of rounds that are dropped', async () => {
    const told = [];
    const { sync } = fakeSync(({ query }) => {
        if (query.since === '0') return page({}, 2 ** 52 + 9);
        if (query.since !== `${2 ** 52 + 5}`) return problem(410, 'since_expired');
        const { body } = page({}, 2 ** 52 + 6);
        const left = [{ project_id: 'p-1', code: 'membership_revoked' }];
        return { body: { ...body, left_projects: left }, headers: { 'Tidemark-Head': `${2 ** 52 + 7}` } };
    }, { project: null, onAccessLost: project => told.push(project) });
    await sync.pullChanges({ ...PULL, lastPulledAt: 2 ** 52 + 5 });
    assert.deepEqual(told, []);
});
