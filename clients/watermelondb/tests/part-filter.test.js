import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameFilter, textOf } from '../lib/common/filter-text.js';
import { covers, normalFilter, unionOf } from '../lib/common/part-filter.js';

const text = filter => textOf(normalFilter(filter));
const refusal = (work, detail) =>
    assert.throws(work, error => error.code === 'invalid_filter' && detail.test(error.detail));
const joined = (...filters) => unionOf(filters.map(each => normalFilter(each)));
const some = count => Array.from({ length: count }, (_, number) => `v-${number}`);
const alternatives = (count, from = 0) => some(count).map((_, number) => ({ sprint: `s-${from + number}` }));

test('a filter has one text, whatever the order of members and values', () => {
    const one = { tasks: [{ status: ['B', 'A', 'B'], assignee: ['@me'] }], risks: [{}], links: [] };
    assert.equal(text(one), '{"links":[],"risks":[{}],"tasks":[{"assignee":"@me","status":["A","B"]}]}');
    assert.equal(text({ projects: ['q', 'p', 'q'] }), '{"projects":["p","q"]}');
    assert.equal(text({ tasks: [{ a: 1 }, { a: [1] }, { b: { until: 2, from: 1 } }] }),
        '{"tasks":[{"a":1},{"b":{"from":1,"until":2}}]}');
    assert.equal(text({}), '{}');
});

test('the order of alternatives is kept, and makes no other filter', () => {
    const [one, other] = [text({ tasks: [{ a: 1 }, { b: 2 }] }), text({ tasks: [{ b: 2 }, { a: 1 }] })];
    assert.notEqual(one, other);
    assert.ok(isSameFilter(one, other) && isSameFilter('{}', '{}'));
    assert.ok(!isSameFilter(one, text({ tasks: [{ a: 1 }] })) && !isSameFilter(one, '{}'));
});

test('what is no filter is refused, with the place', () => {
    const cases = [
        [null, /must be an object by collection/], [[], /must be an object/],
        [{ tasks: {} }, /at \/tasks must be a list/],
        [{ tasks: ['t'] }, /at \/tasks\/0 must be an object of conditions/],
        [{ tasks: [{ a: {} }] }, /at \/tasks\/0\/a must be a value/],
        [{ tasks: [{ a: { above: 1 } }] }, /at \/tasks\/0\/a must/],
        [{ tasks: [{ a: { from: null } }] }, /at \/tasks\/0\/a\/from must be a value/],
        [{ tasks: [{ a: { prefix: ['x'] } }] }, /at \/tasks\/0\/a\/prefix/],
        [{ tasks: [{ a: [1, undefined] }] }, /at \/tasks\/0\/a\/1 must be a text/],
        [{ tasks: [{ a: { not: [{}] } }] }, /at \/tasks\/0\/a\/not\/0/],
        [{ projects: ['p', {}] }, /at \/projects\/0 must be an object/],
    ];
    for (const [filter, detail] of cases) refusal(() => normalFilter(filter), detail);
    refusal(() => normalFilter({ projects: ['p'] }, { isUserWide: false }), /only for a copy of all projects/);
    try {
        normalFilter({ tasks: [{ a: { from: null } }] });
    } catch ({ errors: [{ pointer, collection, field }] }) {
        assert.deepEqual([pointer, collection, field], ['/tasks/0/a/from', 'tasks', 'a']);
    }
});

test('each limit is named with what is beyond it', () => {
    normalFilter({ tasks: [{ a: some(50), b: 1, c: 1, d: 1 }] });
    refusal(() => normalFilter({ tasks: [{ a: some(51) }] }), /at \/tasks\/0\/a has 51 values; the limit is 50/);
    const five = { a: 1, b: 1, c: 1, d: 1, e: 1 };
    refusal(() => normalFilter({ tasks: [five] }), /at \/tasks\/0 has 5 conditions; the limit is 4/);
    assert.equal(joined({ tasks: alternatives(8) }).tasks.length, 8);
    refusal(() => joined({ tasks: alternatives(9) }), /at \/tasks has 9 alternatives/);
    refusal(() => joined({ tasks: alternatives(5) }, { tasks: alternatives(4, 5) }), /has 9 .*the limit is 8/);
    const twice = [{ tasks: alternatives(8) }, { tasks: alternatives(8) }];
    assert.equal(joined(...twice).tasks.length, 8, 'equal ones count once');
    refusal(() => joined({ projects: some(51) }), /at \/projects has 51 ids with all parts; the limit is 50/);
    const wide = name => ({ [name]: [{ a: some(40).map(each => `${each}-${'ä'.repeat(10)}`) }] });
    joined(wide('tasks'));
    refusal(() => joined(wide('tasks'), wide('risks')), /has \d+ bytes with all parts; the limit is 2048/);
});

test('with the schema, a field that can not be filtered by is refused', () => {
    const collections = [
        { title: 'tasks', properties: { sprint: { 'x-filterable': true }, name: {} } },
        { title: 'links', properties: { url: {} } },
    ];
    const document = { schema_version: 'v', collections };
    const refused = (filter, detail) => refusal(() => normalFilter(filter, { document }), detail);
    normalFilter({ tasks: [{ sprint: 's' }], links: [{}] }, { document });
    refused({ tasks: [{ name: 'x' }] }, /at \/tasks\/0\/name is no field that tasks .*: sprint\./);
    refused({ links: [{ url: 'x' }] }, /it has no such fields; use \[{}\] or \[\]/);
    refused({ other: [{}] }, /at \/other names no collection; there are: tasks, links/);
    const older = { collections: [{ title: 'tasks', properties: { sprint: {} } }] };
    normalFilter({ tasks: [{ sprint: 's' }], other: [] }, { document: older });
});

test('a union joins alternatives, and narrows what one part names', () => {
    assert.deepEqual(joined(), {});
    assert.deepEqual(joined({ tasks: [{ a: 1 }] }, { risks: [] }, { tasks: [{ b: 1 }, { a: [1] }] }),
        { risks: [], tasks: [{ a: 1 }, { b: 1 }] });
    assert.deepEqual(joined({ projects: ['q'] }, { projects: [] }, { projects: ['p', 'q'] }), { projects: ['p', 'q'] });
    const alternatives = joined({ projects: [{ is_archived: false }] }, { projects: [{ start_date: null }] });
    assert.equal(alternatives.projects.length, 2);
    assert.deepEqual(joined({ projects: [] }, { tasks: [] }), { projects: [], tasks: [] });
    refusal(() => joined({ projects: ['p'] }, { projects: [{}] }), /ids in one part and of alternatives in another/);
});

test('a filter covers a part if it has each of its alternatives', () => {
    const covered = (filter, part) => covers(normalFilter(filter), normalFilter(part));
    const mine = { tasks: [{ assignee: '@me' }] };
    assert.ok(covered({}, mine) && covered(mine, mine) && covered(mine, {}));
    assert.ok(covered({ tasks: [{ a: 1 }, { assignee: '@me' }], risks: [] }, mine));
    assert.ok(!covered({ risks: [] }, mine), 'tasks might follow risks');
    assert.ok(!covered({ tasks: [] }, mine) && !covered({ tasks: [{ a: 1 }] }, mine));
    assert.ok(covered({ tasks: [{}] }, mine) && !covered(mine, { tasks: [{}] }));
    assert.ok(covered({ tasks: [{ s: ['a', 'b'] }] }, { tasks: [{ s: 'a', t: 1 }] }));
    assert.ok(!covered({ tasks: [{ s: 'a', t: 1 }] }, { tasks: [{ s: 'a' }] }));
    assert.ok(covered({ risks: [{ t: { has: ['a', 'b'] } }] }, { risks: [{ t: { has: 'b' } }] }));
    assert.ok(!covered({ risks: [{ t: { has: ['a'] } }] }, { risks: [{ t: 'a' }] }));
    assert.ok(!covered({ tasks: [{ s: { not: 'a' } }] }, { tasks: [{ s: { not: 'b' } }] }));
    assert.ok(covered({ projects: ['p', 'q'] }, { projects: ['q'] }));
    assert.ok(!covered({ projects: ['p'] }, { projects: ['q'] }));
    assert.ok(covered(mine, { ...mine, projects: ['q'] }), 'all projects');
});
