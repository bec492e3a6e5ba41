import { EVERYTHING, isSameFilter } from '../common/filter-text.js';
import { filterOf, keptOf, positionOf } from '../store/state.js';

/** A query has at most 8 KiB, and other parameters too. */
const MOST_QUERY = 7000;
/** A digest of a part costs the server a look at all of its rows. */
const COMPARED = 16;

/**
 * Which part a pull asks for. A drain that was begun is finished, or begun again, with the same two filters before
 * another filter is asked for: its rows are of neither alone. Only from 0 any filter will do.
 */
export class PartAsked {
    /** The server is older and knows no parts: nothing is asked of it until the next sync. */
    isOlder = false;

    /** `wanted` is the text of the union of all parts; `mustCompare`: the digest is worth its cost in any drain. */
    constructor(wanted = EVERYTHING, mustCompare = false) {
        Object.assign(this, { _wanted: wanted, mustCompare });
    }

    /** What the copy is to hold. In other words for the same, these are those that the watermark knows. */
    wanted(state) {
        const wanted = this.isOlder ? EVERYTHING : this._wanted;
        const { filter } = positionOf(state);
        return isSameFilter(wanted, filter) ? filter : wanted;
    }

    /** Whether the drain that has begun has to be dropped: it asks for something else, and that does not matter. */
    isObsolete(state) {
        const { since, drain, target } = positionOf(state);
        if (drain === null || isSameFilter(target, this.wanted(state))) return false;
        return since === 0 || keptOf(state) !== null;
    }

    /** Whether the last drain was of what is wanted. */
    isReached(state) {
        return positionOf(state).filter === this.wanted(state);
    }

    /** Whether the next page is one of the former part, which has to be finished first. */
    isOfBefore(state) {
        return positionOf(state).since > 0 && !isSameFilter(this.goal(state), this.wanted(state));
    }

    /** The filter of the next page. */
    goal(state) {
        const { since, target } = positionOf(state);
        return since === 0 ? this.wanted(state) : target ?? this.wanted(state);
    }

    /**
     * The parameters of the next page: none if it is of everything, and nothing else was before. `mustCompare`: see
     * there. Null if both filters are too long for one request.
     */
    query(state, mustCompare = this.mustCompare) {
        const { since, filter, drain, number } = positionOf(state);
        const goal = this.goal(state);
        const was = since === 0 ? EVERYTHING : filter;
        if (goal === EVERYTHING && was === EVERYTHING) return {};
        const isOther = !isSameFilter(goal, was);
        const isDue = mustCompare || since === 0 || isOther || number % COMPARED === 0;
        const isCompared = drain ? drain.digest === true : isDue;
        const query = {
            filter: goal === EVERYTHING ? null : goal, filter_was: since === 0 ? null : isOther ? was : 'same',
            digest: isCompared || null,
        };
        const both = encodeURIComponent(`${query.filter ?? ''}${query.filter_was ?? ''}`);
        return both.length > MOST_QUERY ? null : query;
    }

    /** Whether an answer without `filtered` to a page of a part is of use: as one of everything. */
    isOfEverything(state) {
        const { since, filter, drain, target } = positionOf(state);
        if (drain !== null) return false;
        return since === 0 || (filter === EVERYTHING && (target ?? EVERYTHING) === EVERYTHING);
    }

    /** The parameters of a pull that waits for news of the part; of everything, while another part is to be pulled. */
    waiting(state) {
        const filter = filterOf(state);
        const isPart = filter !== EVERYTHING && isSameFilter(filter, this._wanted);
        return isPart ? { filter, filter_was: 'same', left: 'deleted' } : {};
    }
}
