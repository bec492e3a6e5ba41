import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inPlanOrder, treeOf, visibleNodes } from '../lib/plan/model/tree.js';

const task = (id, parent = null, more = {}) => ({ id, parent, wbs_path: null, short_id: null, ...more });
const shown = (tasks, collapsed = []) => visibleNodes(treeOf(tasks).roots, new Set(collapsed))
    .map(({ task: { id }, depth }) => `${'·'.repeat(depth)}${id}`).join(' ');

test('tasks stand below their parents', () => {
    const tasks = [task('c', 'b'), task('b', 'a'), task('a'), task('d', 'a')];
    assert.equal(shown(tasks), 'a ·b ··c ·d');
    assert.equal(shown(tasks, ['b']), 'a ·b ·d');
    assert.equal(shown(tasks, ['a', 'b']), 'a');
});

test('a task whose parent is missing is a root', () => {
    assert.equal(shown([task('a', 'gone'), task('b', 'a')]), 'a ·b');
});

test('loops are cut, and no task is lost', () => {
    const tasks = [task('a', 'c'), task('b', 'a'), task('c', 'b'), task('d', 'd'), task('e', 'c')];
    const { nodes, roots } = treeOf(tasks);
    assert.equal(visibleNodes(roots, new Set()).length, tasks.length);
    assert.equal(nodes.size, tasks.length);
});

test('siblings are ordered by the numbers of their codes', () => {
    const tasks = ['1.10', '1.9', '1', '1.9.1'].map((code, place) => task(`t${place}`, null, { wbs_path: code }));
    assert.equal(shown(tasks), 't2 t1 t3 t0');
});

test('a rank comes first, then a code with numbers, then creation, and what is unsent comes last', () => {
    const tasks = [
        task('new'), task('z', null, { wbs_path: 'A', short_id: '0000000C' }),
        task('x', null, { wbs_path: 'A.2', short_id: '0000000B' }), task('r', null, { rank: 'V', wbs_path: '3' }),
        task('y', null, { wbs_path: 'A', short_id: '0000000A' }), task('also-new'), task('q', null, { rank: 'Ub' }),
    ];
    assert.equal(shown(tasks), 'q r x y z also-new new');
});

test('a new task without a code turns nothing over', () => {
    const coded = ['2', '1', '3'].map((code, place) =>
        task(`t${place}`, null, { wbs_path: code, short_id: `0000000${place}` }));
    assert.equal(shown([...coded, task('new')]), 't1 t0 t2 new');
});

test('a list has the tasks in the order of the plan', () => {
    const tasks = [task('c', 'b'), task('b', 'a'), task('a', null, { rank: 'V' }), task('d', null, { rank: 'B' })];
    assert.deepEqual(inPlanOrder(tasks).map(({ id }) => id), ['d', 'a', 'b', 'c']);
});

test('ten thousand tasks below each other are no problem', () => {
    const tasks = Array.from({ length: 10_000 }, (_, place) => task(`t${place}`, place ? `t${place - 1}` : null));
    const { roots } = treeOf(tasks);
    assert.equal(visibleNodes(roots, new Set()).at(-1).depth, 9999);
});
