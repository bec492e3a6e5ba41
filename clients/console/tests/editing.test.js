import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Editing } from '../lib/plan/editing.js';
import { Plan } from '../lib/plan/model/plan.js';

const TASK = {
    id: 'a', parent: null, name: 'a', wbs_path: null, short_id: 'a', duration: 1, percent_complete: 0,
    planned_start: '2026-03-02', is_critical: null, is_milestone: false,
};

/** A plan of one task over a copy that stores an edit when it is told to. */
function edited() {
    const plan = new Plan();
    const writes = [];
    const apply = ({ changes: [{ collection, id, update }] }) => new Promise((resolve, reject) => writes.push({
        write: [collection, id, update], resolve: () => resolve({ left: [] }), reject,
    }));
    const waits = [];
    const wait = callback => {
        waits.push(callback);
        return () => waits.splice(waits.indexOf(callback), 1);
    };
    const editing = new Editing({ apply }, plan, () => {}, wait);
    plan.setTasks([TASK, { ...TASK, id: 'b' }]);
    return { plan, writes, waits, editing, start: tasks => editing.applied(tasks)[0].planned_start };
}

test('an edit is shown before it is stored', () => {
    const { plan, writes, editing } = edited();
    editing.change(plan.node('a'), { planned_start: '2026-03-09' });
    assert.equal(plan.node('a').task.planned_start, '2026-03-09');
    assert.deepEqual(writes[0].write, ['tasks', 'a', { planned_start: '2026-03-09' }]);
});

test('rows that were read before the edit was stored don\'t take it back', async () => {
    const { plan, writes, editing, start } = edited();
    const done = editing.change(plan.node('a'), { planned_start: '2026-03-09' });
    assert.equal(start([TASK]), '2026-03-09');
    writes[0].resolve();
    await done;
    assert.equal(start([TASK]), '2026-03-09', 'a query that was under way');
    const others = { ...TASK, planned_start: '2026-04-01' };
    assert.equal(start([others]), '2026-04-01', 'then somebody else\'s edit is shown');
});

test('a task that was edited again is shown with the last edit until that is stored', async () => {
    const plan = new Plan();
    const stored = [];
    const apply = () => new Promise(resolve => stored.push(() => resolve({ refused: [], left: [] })));
    const editing = new Editing({ apply }, plan, () => {});
    plan.setTasks([TASK]);
    const done = ['R', 'S', 'T'].map(rank => editing.go('Move “a”', [{ id: 'a', values: { rank } }]));
    stored[0]();
    await done[0];
    for (const rank of ['R', 'R', 'S']) {
        assert.equal(editing.applied([{ ...TASK, rank }])[0].rank, 'T', `when the rows have ${rank}`);
    }
    stored[1]();
    stored[2]();
    await Promise.all(done);
    assert.equal(editing.applied([{ ...TASK, rank: 'S' }])[0].rank, 'T', 'a query that was under way');
    assert.equal(editing.applied([{ ...TASK, rank: 'U' }])[0].rank, 'U', 'then somebody else\'s edit is shown');
});

test('once the rows have the edit, they count', async () => {
    const { plan, writes, editing, start } = edited();
    const done = editing.change(plan.node('a'), { planned_start: '2026-03-09' });
    writes[0].resolve();
    await done;
    assert.equal(start([{ ...TASK, planned_start: '2026-03-09' }]), '2026-03-09');
    assert.equal(start([TASK]), '2026-03-02', 'taken back by the server');
});

test('several edits of a task are shown together', () => {
    const { plan, editing } = edited();
    editing.change(plan.node('a'), { planned_start: '2026-03-09' });
    editing.change(plan.node('a'), { duration: 4 });
    const [{ planned_start: start, duration }] = editing.applied([TASK]);
    assert.deepEqual([start, duration], ['2026-03-09', 4]);
});

test('presses of a key are one edit, and shown one by one', () => {
    const { plan, writes, waits, editing, start } = edited();
    editing.nudge(plan.node('a'), { planned_start: '2026-03-03' });
    editing.nudge(plan.node('a'), { planned_start: '2026-03-04' });
    editing.nudge(plan.node('a'), { duration: 2 });
    assert.equal(plan.node('a').task.planned_start, '2026-03-04');
    assert.equal(start([TASK]), '2026-03-04');
    assert.deepEqual([writes.length, waits.length], [0, 1]);
    waits[0]();
    assert.deepEqual(writes.map(({ write }) => write), [['tasks', 'a', { planned_start: '2026-03-04', duration: 2 }]]);
    assert.equal(waits.length, 0);
});

test('a key in another task ends the edit of the one before', () => {
    const { plan, writes, editing } = edited();
    editing.nudge(plan.node('a'), { duration: 2 });
    editing.nudge(plan.node('b'), { duration: 3 });
    assert.deepEqual(writes.map(({ write }) => write), [['tasks', 'a', { duration: 2 }]]);
    editing.flush();
    editing.flush();
    assert.deepEqual(writes.slice(1).map(({ write }) => write), [['tasks', 'b', { duration: 3 }]]);
});

test('members edit, viewers and readers of archives do not', () => {
    const { editing } = edited();
    const allowed = (role, isArchived = false) => Object.assign(editing, { role, isArchived }).isAllowed;
    assert.deepEqual([null, 1, 100, 200, 400].map(role => allowed(role)), [false, false, true, true, true]);
    assert.equal(allowed(400, true), false);
});

/** The same, with the rows of the copy, and answers to the questions about others' values. */
function asked(...answers) {
    const parts = edited();
    const questions = [];
    parts.editing._ask = async (field, theirs, mine) => {
        questions.push([field.name, theirs, mine]);
        return answers.shift();
    };
    return { ...parts, questions, rows: tasks => parts.plan.setTasks(parts.editing.applied(tasks)) };
}

const settled = () => new Promise(resolve => setImmediate(resolve));

test('a value that somebody else wrote since the drag began is not overwritten without a question', async () => {
    const { plan, writes, editing, questions, rows } = asked(false, true);
    rows([TASK]);
    const pressed = plan.node('a').task;
    rows([{ ...TASK, planned_start: '2026-04-01' }]);
    editing.change(plan.node('a'), { planned_start: '2026-03-09', duration: 2 }, pressed);
    await settled();
    assert.deepEqual(questions, [['planned_start', '2026-04-01', '2026-03-09']]);
    assert.deepEqual(writes.map(({ write }) => write[2]), [{ duration: 2 }], 'the other field is theirs');
    assert.equal(plan.node('a').task.planned_start, '2026-04-01');
    editing.change(plan.node('a'), { planned_start: '2026-03-09' }, pressed);
    await settled();
    assert.deepEqual(writes.at(-1).write[2], { planned_start: '2026-03-09' }, 'the user wants it');
});

test('a value that somebody else has taken away counts as theirs, too', async () => {
    const { plan, writes, editing, questions, rows } = asked(false);
    rows([{ ...TASK, planned_start: null }]);
    await editing.change(plan.node('a'), { planned_start: '2026-03-09' }, TASK);
    assert.deepEqual(questions, [['planned_start', null, '2026-03-09']]);
    assert.equal(writes.length, 0);
});

test('one\'s own edits that are under way are nobody else\'s', async () => {
    const { plan, writes, editing, questions, rows } = asked();
    rows([TASK]);
    editing.change(plan.node('a'), { planned_start: '2026-03-09' });
    editing.change(plan.node('a'), { planned_start: '2026-03-10' });
    rows([{ ...TASK, planned_start: '2026-03-09' }]);
    editing.change(plan.node('a'), { planned_start: '2026-03-11' });
    await settled();
    assert.deepEqual(questions, []);
    assert.equal(writes.length, 3);
});

test('keys that follow one another are asked about once, when they are stored', async () => {
    const { plan, writes, waits, editing, questions, rows } = asked(true);
    rows([TASK]);
    editing.nudge(plan.node('a'), { planned_start: '2026-03-03' });
    rows([{ ...TASK, planned_start: '2026-04-01' }]);
    editing.nudge(plan.node('a'), { planned_start: '2026-03-04' });
    waits[0]();
    await settled();
    assert.deepEqual(questions, [['planned_start', '2026-04-01', '2026-03-04']]);
    assert.deepEqual(writes.map(({ write }) => write[2]), [{ planned_start: '2026-03-04' }]);
});
