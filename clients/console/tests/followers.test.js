import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Followers } from '../lib/plan/followers/followers.js';
import { followersText } from '../lib/plan/followers/words.js';
import { dateOf, dayOf } from '../lib/plan/model/days.js';
import { Plan } from '../lib/plan/model/plan.js';
import { schedule } from '../tidemark/lib/schedule/index.js';

const task = (id, planned_start, duration = 1, values = {}) =>
    ({ id, name: id, parent: null, planned_start, duration, ...values });
const TASKS = [
    task('dig', '2026-03-02', 3), task('pour', '2026-03-05', 2), task('frame', '2026-03-09', 2),
    task('roof', '2026-03-20', 1), task('paint', '2026-03-02', 1),
];
const LINKS = [['dig', 'pour'], ['pour', 'frame'], ['frame', 'roof']].map(([predecessor, successor]) =>
    ({ id: `${predecessor}-${successor}`, predecessor, successor, dep_type: 'FS', lag: 0 }));

function begin({ tasks = TASKS, isPart = false } = {}) {
    const plan = new Plan();
    plan.setTasks(tasks);
    plan.setDependencies(LINKS);
    const [stored, waits] = [[], []];
    const followers = new Followers(plan, {
        onShown: () => {}, schedule: () => schedule(plan.scheduled(dayOf('2026-03-02'))), isPart: () => isPart,
        editing: { change: (node, values, before, others) =>
            stored.push({ id: node.task.id, values, shown: node.task.planned_start, before: before.planned_start, others }) },
        wait: callback => {
            waits.push(callback);
            return () => waits.splice(waits.indexOf(callback), 1);
        },
    });
    followers.isOn = true;
    const starts = () => Object.fromEntries(tasks.map(({ id }) => [id, dateOf(plan.node(id).bar.start).slice(5)]));
    return { plan, followers, stored, waits, starts, node: plan.node('dig') };
}
const STARTS = { dig: '03-02', pour: '03-05', frame: '03-09', roof: '03-20', paint: '03-02' };

afterEach(() => { begin().followers.isOn = false; });

test('a preview shows what would move, and where it stands', () => {
    const { plan, followers, starts, node } = begin();
    followers.preview(node, { planned_start: '2026-03-04', duration: 3 });
    assert.deepEqual(starts(), { ...STARTS, dig: '03-04', pour: '03-09', frame: '03-11' });
    assert.deepEqual([...plan.former].map(([id, { start }]) => [id, dateOf(start).slice(5)]),
        [['pour', '03-05'], ['frame', '03-09']]);
    assert.equal(followersText(followers.shown, plan), '2 more tasks move with it.');
});

test('a preview that goes back moves its followers back, and pulls nothing', () => {
    const { plan, followers, starts, node } = begin();
    followers.preview(node, { planned_start: '2026-03-09', duration: 3 });
    followers.preview(node, { planned_start: '2026-03-03', duration: 3 });
    assert.deepEqual(starts(), { ...STARTS, dig: '03-03', pour: '03-06', frame: '03-10' });
    followers.preview(node, { planned_start: '2026-02-23', duration: 3 });
    assert.deepEqual(starts(), { ...STARTS, dig: '02-23' });
    followers.preview(node, { planned_start: '2026-03-02', duration: 3 });
    assert.deepEqual([starts(), plan.former, followers.shown], [STARTS, null, null]);
});

test('rows that come meanwhile are shown with the preview, and stand as they came once it is over', () => {
    for (const isOn of [true, false]) {
        const { plan, followers, starts, node } = begin();
        followers.isOn = isOn;
        followers.preview(node, { planned_start: '2026-03-04' });
        plan.setTasks(TASKS.map(each => each.id === 'frame' ? { ...each, planned_start: '2026-03-10' } : each));
        followers.renew();
        const stands = { ...STARTS, frame: '03-10' };
        assert.deepEqual(starts(), { ...stands, dig: '03-04', ...isOn && { pour: '03-09', frame: '03-11' } });
        followers.preview(node, null);
        assert.deepEqual([starts(), plan.former, followers.shown], [stands, null, null]);
    }
});

test('presses of keys are stored though rows have come between them', () => {
    const { plan, followers, stored, waits, starts, node } = begin();
    followers.nudge(node, { planned_start: '2026-03-03' });
    plan.setTasks(TASKS.map(each => ({ ...each })));
    followers.renew();
    assert.deepEqual(starts(), { ...STARTS, dig: '03-03', pour: '03-06', frame: '03-10' });
    followers.nudge(plan.node('dig'), { planned_start: '2026-03-04' });
    waits[0]();
    assert.deepEqual(stored.map(({ values, others }) => [values.planned_start, others.length]), [['2026-03-04', 2]]);
    assert.deepEqual(starts(), STARTS);
});

test('a preview ends with its task', () => {
    const { plan, followers, node } = begin();
    followers.preview(node, { planned_start: '2026-03-04' });
    plan.setTasks(TASKS.filter(({ id }) => id !== 'dig'));
    followers.renew();
    assert.deepEqual([plan.former, followers.shown], [null, null]);
    followers.preview(node, null);
    followers.drop(node, { planned_start: '2026-03-04' }, node.task);
});

test('what was dragged is stored with its followers, in one go', () => {
    const { followers, stored, node } = begin();
    const before = node.task;
    followers.preview(node, { planned_start: '2026-03-04', duration: 3 });
    followers.preview(node, { planned_start: '2026-03-02', duration: 3 });
    followers.drop(node, { planned_start: '2026-03-04' }, before);
    assert.deepEqual(stored.map(({ others }) => others.map(({ id, values }) => [id, values.planned_start])),
        [[['pour', '2026-03-09'], ['frame', '2026-03-11']]]);
});

test('a bar that gets longer pushes, too', () => {
    const { followers, starts, node } = begin();
    followers.preview(node, { planned_start: '2026-03-02', duration: 5 });
    assert.deepEqual(starts(), { ...STARTS, pour: '03-09', frame: '03-11' });
});

test('presses of keys that follow soon are one step with all that moved', () => {
    const { followers, stored, waits, starts, node } = begin();
    followers.nudge(node, { planned_start: '2026-03-03' });
    followers.nudge(node, { planned_start: '2026-03-04' });
    assert.deepEqual([starts().pour, stored.length, waits.length], ['03-09', 0, 1]);
    waits[0]();
    const [{ values, shown, before, others }] = stored;
    assert.deepEqual([values, shown, before], [{ planned_start: '2026-03-04' }, '2026-03-02', '2026-03-02']);
    assert.equal(others.length, 2);
    assert.deepEqual(starts(), STARTS, 'until the edit shows them');
});

test('another task stores what keys have moved before', () => {
    const { plan, followers, stored, node } = begin();
    followers.nudge(node, { planned_start: '2026-03-03' });
    followers.nudge(plan.node('paint'), { planned_start: '2026-03-03' });
    assert.deepEqual(stored.map(({ id }) => id), ['dig']);
});

test('a drag, of the same task or of another, stores what keys have moved before', () => {
    for (const id of ['dig', 'paint']) {
        const { plan, followers, stored, waits, starts, node } = begin();
        followers.nudge(node, { planned_start: '2026-03-03' });
        followers.preview(plan.node(id), { planned_start: '2026-03-10' });
        assert.deepEqual([stored.length, stored[0]?.others.length, waits.length], [1, 2, 0]);
        assert.equal(starts()[id], '03-10');
    }
});

test('what has begun stays, and is named', () => {
    const tasks = TASKS.map(each => each.id === 'pour' ? { ...each, actual_start: '2026-03-05' } : each);
    const { plan, followers, starts, node } = begin({ tasks });
    followers.preview(node, { planned_start: '2026-03-04', duration: 3 });
    assert.deepEqual(starts(), { ...STARTS, dig: '03-04' });
    assert.equal(followersText(followers.shown, plan), '“pour” has begun and stays.');
});

test('over a part of a project it moves nothing and says so', () => {
    const { plan, followers, starts, stored, node } = begin({ isPart: true });
    followers.preview(node, { planned_start: '2026-03-09', duration: 3 });
    assert.deepEqual(starts(), { ...STARTS, dig: '03-09' });
    assert.match(followersText(followers.shown, plan), /^Only a part/);
    followers.preview(node, { planned_start: '2026-03-02', duration: 3 });
    followers.drop(node, { planned_start: '2026-03-09' }, node.task);
    assert.deepEqual(stored[0].others, []);
});

test('without the option, and for other fields, nothing follows', () => {
    const { followers, starts, node } = begin();
    assert.deepEqual(followers.of('dig', { name: 'Dig', percent_complete: 50 }).moves, []);
    followers.isOn = false;
    followers.preview(node, { planned_start: '2026-03-09' });
    assert.deepEqual(starts(), { ...STARTS, dig: '03-09' });
});
