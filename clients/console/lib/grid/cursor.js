// The active cell of a grid: `{ row, column }`. Row -1 has the headings.

const STEPS = new Map([
    ['ArrowUp', ({ row, column }) => ({ row: row - 1, column })],
    ['ArrowDown', ({ row, column }) => ({ row: row + 1, column })],
    ['ArrowLeft', ({ row, column }) => ({ row, column: column - 1 })],
    ['ArrowRight', ({ row, column }) => ({ row, column: column + 1 })],
    ['PageUp', ({ row, column }, { page }) => ({ row: Math.max(Math.min(row, 0), row - page), column })],
    ['PageDown', ({ row, column }, { page }) => ({ row: row + page, column })],
    ['Home', ({ row }) => ({ row, column: 0 })],
    ['End', ({ row }) => ({ row, column: Infinity })],
]);
const ENDS = new Map([
    ['Home', ({ column }) => ({ row: 0, column })], ['End', ({ column }) => ({ row: Infinity, column })],
    ['ArrowUp', ({ column }) => ({ row: 0, column })], ['ArrowDown', ({ column }) => ({ row: Infinity, column })],
    ['ArrowLeft', ({ row }) => ({ row, column: 0 })], ['ArrowRight', ({ row }) => ({ row, column: Infinity })],
]);

/**
 * The cell to which a key leads, null if the key leads nowhere. With `isFar` (Ctrl or ⌘) it goes to the end. `size` has
 * the numbers of `rows` and `columns`, and the rows of a `page`.
 */
export function moved(cell, key, size, isFar = false) {
    const step = (isFar ? ENDS : STEPS).get(key);
    return step ? within(step(cell, size), size) : null;
}

/** The cell after this one, or with `-1` the one before, over the ends of rows; null at the end of all. */
export function next({ row, column }, { rows, columns }, step = 1) {
    const place = row * columns + column + step;
    return place < 0 || place >= rows * columns ? null : { row: Math.floor(place / columns), column: place % columns };
}

/** The nearest cell that there is. */
export const within = ({ row, column }, { rows, columns }) =>
    ({ row: clamped(row, -1, rows - 1), column: clamped(column, 0, columns - 1) });

const clamped = (value, least, most) => Math.max(least, Math.min(most, value));
