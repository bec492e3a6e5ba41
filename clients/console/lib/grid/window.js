// Which rows of a long table are in sight. Only these are in the document.

/** Rows above and below those in sight, so a quick scroll does not show holes. */
const SPARE = 8;

/** The rows from `first` up to but not including `last`. `top` is where the first row begins. */
export function windowOf({ scrollTop, height, rowHeight, count, top = 0 }) {
    const above = Math.max(0, scrollTop - top);
    const first = Math.min(count, Math.max(0, Math.floor(above / rowHeight) - SPARE));
    const last = Math.min(count, Math.ceil((above + Math.max(0, height)) / rowHeight) + SPARE);
    return { first, last: Math.max(first, last) };
}

/**
 * Where to scroll to so that a part from `start` to `end` is in sight of what shows `size` from `scroll` on, of which
 * `covered` at the beginning is behind something that stays.
 */
export function scrolledTo({ start, end, scroll, size, covered = 0 }) {
    if (start < scroll + covered) return Math.max(0, start - covered);
    return end > scroll + size ? Math.max(start - covered - Math.max(0, size - covered - (end - start)), 0) : scroll;
}
