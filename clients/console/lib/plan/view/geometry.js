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

function partAt({ kind }, { left, right }, x) {
    const inner = kind === 'task' ? Math.min(SIZES.edge, (right - left) / 4) : 0;
    const outer = kind === 'task' ? SIZES.edge - inner : 2;
    if (x < left - outer || x > right + outer) return 'row';
    if (kind !== 'task') return 'bar';
    if (x > right - inner) return 'end';
    return x < left + inner ? 'start' : 'bar';
}
