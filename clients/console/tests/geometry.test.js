import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateOf, dayOf } from '../lib/plan/model/days.js';
import { arrow } from '../lib/plan/view/arrows.js';
import { boxOf, hit, SIZES } from '../lib/plan/view/geometry.js';
import { nextZoom, TimeScale, ZOOMS } from '../lib/plan/view/time-scale.js';

const [START, END] = [dayOf('2026-03-02'), dayOf('2026-06-30')];
const scaleOf = zoom => new TimeScale(zoom, { start: START, end: END }, 1000);
const node = (kind, start, end = start) => ({ bar: { kind, start, end } });

for (const zoom of Object.keys(ZOOMS)) {
    test(`${zoom}: a day lies where it is drawn, from its first pixel to its last one`, () => {
        const scale = scaleOf(zoom);
        for (let day = START; day <= END; day += 1) {
            assert.equal(scale.day(scale.x(day)), day);
            assert.equal(scale.day(scale.x(day + 1) - .01), day);
        }
    });

    test(`${zoom}: the plan is within the chart, with room at both ends`, () => {
        const scale = scaleOf(zoom);
        assert.ok(scale.x(START) >= 400 && scale.width - scale.x(END + 1) >= 390);
    });

    test(`${zoom}: units cover what is in sight without a gap`, () => {
        const scale = scaleOf(zoom);
        for (const unit of [scale.upper, scale.lower]) {
            const units = scale.units(unit, 137, 901);
            assert.ok(scale.x(units[0].start) <= 137 && scale.x(units.at(-1).end) > 901);
            for (const [place, { start }] of units.slice(1).entries()) assert.equal(start, units[place].end);
        }
    });
}

test('an empty plan still fills the width', () => {
    const scale = new TimeScale('quarter', { start: START, end: START }, 5000);
    assert.ok(scale.width >= 5000);
});

test('zooming ends at both ends', () => {
    assert.equal(nextZoom('week', 1), 'day');
    assert.equal(nextZoom('day', 1), 'day');
    assert.equal(nextZoom('week', -1), 'month');
    assert.equal(nextZoom('quarter', -1), 'quarter');
});

test('a hit is the bar, its ends, or the row beside it', () => {
    const scale = scaleOf('day');
    const rows = [
        node('task', START, START + 4), node('summary', START, START + 4), node('milestone', START), node('none', null),
    ];
    const part = (row, x) => hit(rows, scale, { x, y: row * SIZES.row + 14 })?.part;
    const [left, right] = [scale.x(START), scale.x(START + 5)];
    assert.deepEqual([left - 3, left + 3, left + 20, right - 3, right + 3].map(x => part(0, x)),
        ['row', 'start', 'bar', 'end', 'row']);
    assert.deepEqual([left + 1, right - 1, right + 9].map(x => part(1, x)), ['bar', 'bar', 'row']);
    assert.deepEqual([left + 16, left + 40].map(x => part(2, x)), ['bar', 'row']);
    assert.equal(part(3, left), 'row');
    assert.equal(part(4, left), undefined);
    assert.equal(hit(rows, scale, { x: left, y: -1 }), null);
});

test('a short bar can be moved and pulled at both ends, at every zoom', () => {
    for (const zoom of Object.keys(ZOOMS)) {
        const scale = scaleOf(zoom);
        const short = node('task', START);
        const { left, right } = boxOf(short, 0, scale);
        const parts = new Set();
        for (let x = left - 8; x <= right + 8; x += .25) parts.add(hit([short], scale, { x, y: 14 }).part);
        assert.deepEqual([...parts].sort(), ['bar', 'end', 'row', 'start'], zoom);
    }
});

test('arrows leave and enter at the ends of their kind, in right angles', () => {
    const box = (left, row) => ({ left, right: left + 100, top: row * 28 + 7, bottom: row * 28 + 21 });
    const ends = { FS: ['right', 'left'], SS: ['left', 'left'], FF: ['right', 'right'], SF: ['left', 'right'] };
    for (const [kind, [out, into]] of Object.entries(ends)) {
        for (const place of [-300, -100, -40, 0, 40, 100, 300]) {
            for (const row of [0, 9]) {
                const [from, to] = [box(500, 4), box(500 + place, row)];
                const path = arrow(kind, from, to);
                assert.equal(path[0][0], from[out]);
                assert.equal(path.at(-1)[0], to[into]);
                const isOutside = (side, [x], box) => side === 'left' ? x < box.left : x > box.right;
                assert.ok(isOutside(into, path.at(-2), to), 'it enters from outside');
                assert.ok(isOutside(out, path[1], from), 'it leaves outwards');
                for (const [number, [x, y]] of path.slice(1).entries()) {
                    assert.ok(x === path[number][0] || y === path[number][1], 'right angles');
                }
            }
        }
    }
});
