import { counter, numberOf, power, textOf } from './digits.js';
import { ceilingOf, orderKey } from './key.js';

/** The most characters of a rank. */
const LONGEST = 128;
/** From how many places one is drawn. Two devices draw the same one of a place once in a thousand million times. */
const CHOICES = power(5);
/** How many choices are left free behind the last row, or before the first, so that adding at an end is cheap. */
const ROOM = power(7);

/**
 * Ranks for rows that are put among their siblings in one go: that are pasted, or moved together, or typed one after
 * another without leaving the place. Rows of one go share a random middle, so they don't mix with what another device
 * puts in the same place meanwhile. Make a new `Placing` for each go.
 */
export class Placing {
    /** The last rank of each block that this go has made. */
    _ends = new Map();

    constructor({ random = Math.random } = {}) {
        this._random = random;
    }

    /**
     * Ranks for `count` rows that are put before `siblings[index]`; at the end if there is no such row. `siblings` are
     * all rows with the parent, in their order, without those that are being moved.
     *
     * Returns `{ ranks, reranked }`. `reranked` are the siblings that need another rank as well, `{ id, rank }` each, to
     * be written in the same edit: a row between two equal keys has no place otherwise. It is nearly always empty.
     */
    put(siblings, index, count = 1) {
        const gap = new Gap(siblings, index);
        if (this._continues(gap, count)) return { ranks: this._block(this._ends.get(gap.low), count), reranked: [] };
        for (let step = 1; ; step *= 2) {
            const start = { stem: gap.stem(this._random), count: 0 };
            const total = gap.from < gap.to ? count + gap.to - gap.from : count;
            if (start.stem !== null && start.stem.length + counter(total).length <= LONGEST) {
                return divided(this._block(start, total), siblings, gap, count);
            }
            gap.widen(step);
        }
    }

    /** Whether the row before the gap ends a block of this go, and the block can go on. */
    _continues({ low, high, from, to }, count) {
        const end = this._ends.get(low);
        if (!end || from < to) return false;
        const last = end.stem + counter(end.count + count);
        return last.length <= LONGEST && (high === null || last < high) && !high?.startsWith(end.stem);
    }

    _block({ stem, count: before }, count) {
        const ranks = Array.from({ length: count }, (_, place) => stem + counter(before + place + 1));
        if (count > 0) this._ends.set(ranks.at(-1), { stem, count: before + count });
        return ranks;
    }
}

/** The ranks of a block for the new rows, and for the siblings before and behind them. */
function divided(ranks, siblings, { from, to, index }, count) {
    const before = index - from;
    const given = [...ranks.slice(0, before), ...ranks.slice(before + count)];
    const reranked = siblings.slice(from, to).map(({ id }, place) => ({ id, rank: given[place] }));
    return { ranks: ranks.slice(before, before + count), reranked };
}

/** A place among siblings. Those from `from` to before `to` get other ranks: at first none. */
class Gap {
    constructor(siblings, index) {
        Object.assign(this, { siblings, index, from: index, to: index });
        this._leaveEquals();
    }

    get low() {
        return this._key(this.from - 1);
    }

    get high() {
        return this._key(this.to);
    }

    widen(step) {
        this.from = Math.max(0, this.from - step);
        this.to = Math.min(this.siblings.length, this.to + step);
        this._leaveEquals();
    }

    /** Between equal keys there is no place: those on one side join, on that of which there are fewer. */
    _leaveEquals() {
        const { low, high } = this;
        if (low === null || high === null || low < high) return;
        let { from, to } = this;
        while (from > 0 && this._key(from - 1) >= high) from -= 1;
        while (to < this.siblings.length && this._key(to) <= low) to += 1;
        if (this.from - from < to - this.to) this.from = from;
        else this.to = to;
    }

    _key(index) {
        const row = this.siblings[index];
        return row ? orderKey(row) : null;
    }

    /** A random text of which all that begin with it lie in the gap. */
    stem(random) {
        const [low, high] = [this.low, this.high];
        const draw = many => BigInt(Math.floor(random() * 2 ** 48)) * many >> 48n;
        if (high !== null && low !== null) return between(low, { below: high }, inTheMiddle(draw));
        if (low !== null) return between(low, ceilingOf(low), { least: ROOM, choose: () => draw(CHOICES) });
        if (high === null) return between('', { below: 'W' }, inTheMiddle(draw));
        return between('', { below: high }, { least: ROOM, choose: many => many - 1n - draw(CHOICES) });
    }
}

/** Away from both ends, so that there is as much room on either side. */
const inTheMiddle = draw => ({ least: 2n * CHOICES, choose: many => many / 4n + draw(many / 2n) });

/**
 * The shortest stems between a key and a ceiling of which there are at least `least`, and of these the chosen one. Null
 * if they are longer than a rank may be.
 */
function between(low, { below = null, stem = null }, { least, choose }) {
    for (let length = 1; length < LONGEST; length += 1) {
        if (stem !== null && length <= stem.length) continue;
        const first = numberOf(low, length) + 1n;
        const end = stem === null ? numberOf(below, length)
            : (numberOf(stem, stem.length) + 1n) * power(length - stem.length);
        const many = end - first;
        if (many >= least) return textOf(first + choose(many), length);
    }
    return null;
}

/** Ranks for the rows of a file, in its order, for a project in which there are no others yet. */
export const spread = count => Array.from({ length: count }, (_, place) => `H${counter(place + 1)}`);
