import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paintBar } from '../lib/plan/drawing/paint-bars.js';
import { dayOf } from '../lib/plan/model/days.js';
import { TimeScale } from '../lib/plan/view/time-scale.js';

/** What is written beside a bar. */
function written(bar, hasDates) {
    const texts = [];
    const known = { fillText: text => texts.push(text), measureText: () => ({ width: 10 }) };
    const context = new Proxy(known, { get: (target, name) => target[name] ?? (() => {}) });
    const scale = new TimeScale('week', { start: bar.start, end: bar.end }, 1000);
    const picture = { plan: {}, scale, palette: {}, today: dayOf('2026-03-02'), hasDates, x: 0, width: 2000 };
    paintBar(context, picture, { task: { name: 'Dig' }, bar: { percent: 0, ...bar } }, 0);
    return texts.join();
}

test('where the list has no room for dates, bars and milestones say when they end', () => {
    const task = { kind: 'task', start: dayOf('2026-03-02'), end: dayOf('2026-03-06') };
    assert.equal(written(task, false), 'Dig');
    assert.equal(written(task, true), 'Dig · Mar 6');
    assert.equal(written({ ...task, kind: 'milestone', start: task.end }, true), 'Dig · Mar 6');
});
