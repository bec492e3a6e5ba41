// Where things are within the chart, in pixels from its upper left end, below the two lines of dates.

/** Of fine pointers. `row` is the height of a row, `bar` of a task's bar. */
export const SIZES = { row: 28, bar: 14, summary: 6, milestone: 7, edge: 6, stub: 8, head: 44 };

/** The box of a node's bar in the row at `index`; null if it has no dates. A milestone's is round its day's middle. */
export function boxOf({ bar }, index, scale) {
    if (bar.start === null) return null;
    const middle = index * SIZES.row + SIZES.row / 2;
    if (bar.kind === 'milestone') {
        const x = scale.x(bar.start) + scale.pixels / 2;
        const half = SIZES.milestone;
        return { left: x - half, right: x + half, top: middle - half, bottom: middle + half };
    }
    const half = SIZES.bar / 2;
    const [left, right] = [scale.x(bar.start), scale.x(bar.end + 1)];
    return { left, right: Math.max(right, left + 3), top: middle - half, bottom: middle + half };
}

/**
 * What is at a place: `{ node, part }`. `part` is `bar`, `start` or `end` for a task's bar and its two edges, or `row`
 * for what is beside it. Null below the last row. The edges of a short bar reach outwards, so it can still be moved.
 */
export function hit(rows, scale, { x, y }) {
    const index = Math.floor(y / SIZES.row);
    const node = rows[index];
    if (!node || y < 0) return null;
    const box = boxOf(node, index, scale);
    return { node, part: box ? partAt(node.bar, box, x) : 'row' };
}

/** The ends of a bar. */
export const ENDS = ['start', 'finish'];

const REACH = 20;

/**
 * The end of a bar that a link would be pulled to at a place: `{ node, end }`, null for none. It is the end that is
 * nearer, of what is in sight of the bar: from `left` to `right`. A task without a bar takes links anywhere in its row.
 */
export function targetAt(rows, scale, { x, y }, { left, right }) {
    const index = Math.floor(y / SIZES.row);
    const node = y < 0 ? null : rows[index];
    if (!node) return null;
    const box = boxOf(node, index, scale);
    if (!box) return { node, end: 'start' };
    if (x < box.left - REACH || x > box.right + REACH) return null;
    const middle = (Math.max(left, box.left) + Math.min(right, box.right)) / 2;
    return { node, end: x < middle ? 'start' : 'finish' };
}

const [EDGE, SPEED] = [24, 8];

/** How far to scroll while something is held at a place: none in the middle, some pixels a frame near the edges. */
export const edgeStep = (place, size) => place < EDGE ? -SPEED : place > size - EDGE ? SPEED : 0;

function partAt({ kind }, { left, right }, x) {
    const inner = kind === 'task' ? Math.min(SIZES.edge, (right - left) / 4) : 0;
    const outer = kind === 'task' ? SIZES.edge - inner : 2;
    if (x < left - outer || x > right + outer) return 'row';
    if (kind !== 'task') return 'bar';
    if (x > right - inner) return 'end';
    return x < left + inner ? 'start' : 'bar';
}
