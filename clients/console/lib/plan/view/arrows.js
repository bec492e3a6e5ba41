import { SIZES } from './geometry.js';

// Which ends a link joins: F is the finish, at the right, and S is the start, at the left.
const ENDS = { FS: ['right', 'left'], SS: ['left', 'left'], FF: ['right', 'right'], SF: ['left', 'right'] };

/**
 * The corners of an arrow from one box to another, right-angled, as `[x, y]`. It leaves and enters at the ends that the
 * kind says; the last step goes into the box.
 */
export function arrow(kind, from, to) {
    const [out, into] = ENDS[kind] ?? ENDS.FS;
    const [x1, y1, x2, y2] = [from[out], middleOf(from), to[into], middleOf(to)];
    const away = out === 'right' ? x1 + SIZES.stub : x1 - SIZES.stub;
    const near = into === 'left' ? x2 - SIZES.stub : x2 + SIZES.stub;
    const turn = straightTurn(out, into, away, near);
    if (turn !== null) return [[x1, y1], [turn, y1], [turn, y2], [x2, y2]];
    const between = y2 > y1 ? y2 - SIZES.row / 2 : y2 + SIZES.row / 2;
    return [[x1, y1], [away, y1], [away, between], [near, between], [near, y2], [x2, y2]];
}

/** Where one vertical line is enough; null if the arrow has to go back. */
function straightTurn(out, into, away, near) {
    if (out === into) return out === 'right' ? Math.max(away, near) : Math.min(away, near);
    const isFree = out === 'right' ? near >= away : near <= away;
    return isFree ? near : null;
}

const NEAR = 6;

/**
 * The one of these arrows, `{ link, path }`, that passes nearest to a place, if it passes near. The last ones were
 * drawn above the others.
 */
export function arrowAt(arrows, { x, y }) {
    let [found, least] = [null, NEAR];
    for (const arrow of arrows) {
        const lines = arrow.path.slice(1).map((corner, place) => [arrow.path[place], corner]);
        const away = Math.min(...lines.map(line => distance(line, { x, y })));
        if (away <= least) [found, least] = [arrow, away];
    }
    return found;
}

/** How far a place is from a line that runs along the rows or the days. */
function distance([[x1, y1], [x2, y2]], { x, y }) {
    const beside = (one, other, place) => Math.max(Math.min(one, other) - place, place - Math.max(one, other), 0);
    return Math.hypot(beside(x1, x2, x), beside(y1, y2, y));
}

const middleOf = ({ top, bottom }) => (top + bottom) / 2;
