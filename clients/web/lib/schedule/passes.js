import { FF, FS, INTO, OUT, SF, SS } from './network.js';

// Boundaries between working days, in half steps: 2k is the beginning of the working day after boundary k, 2k + 1 the
// end of the one before it. Both are the same moment. Which of the two dates a milestone shows follows from what it
// waits for: after the end of a task it stands on that task's last day.

export const boundaryOf = place => Math.floor(place / 2);
const beginningOf = boundary => 2 * boundary;
const endOf = boundary => 2 * boundary + 1;

/**
 * Where each task begins and ends, from the first to the last, in half steps. `place(leaf, need)` says where a task
 * begins whose links want it no earlier than `need`, and null for one that has no dates.
 */
export function* forward(network, leaves, place, pace) {
    const found = new Places(network.size);
    for (const node of network.order) {
        if (isLeaf(network, node)) found.set(leaves, node, place(node, found.need(leaves, node)));
        found.follow(network, node);
        if (pace.step(network.first[node + 1] - network.first[node] + 1)) yield;
    }
    return found;
}

export const isLeaf = ({ tasks, isSummary }, node) => node < tasks.length && !isSummary[node];

/** Where nodes begin and end, and no earlier than when their links let them. */
export class Places {
    constructor(size) {
        this.starts = new Float64Array(size).fill(Infinity);
        this.ends = new Float64Array(size).fill(-Infinity);
        this.needStart = new Float64Array(size).fill(-Infinity);
        this.needEnd = new Float64Array(size).fill(-Infinity);
    }

    /** When a task may begin. */
    need({ length }, node) {
        return Math.max(this.needStart[node], this.needEnd[node] - 2 * length[node]);
    }

    set({ length }, node, start) {
        if (start === null) return;
        const isMoment = length[node] === 0;
        this.starts[node] = isMoment ? start : beginningOf(boundaryOf(start));
        this.ends[node] = isMoment ? start : endOf(boundaryOf(start) + length[node]);
    }

    /** Tells what waits for a node. */
    follow({ first, to, kinds, lags }, node) {
        const { starts, ends, needStart, needEnd } = this;
        for (let edge = first[node]; edge < first[node + 1]; edge += 1) {
            const [target, kind, lag] = [to[edge], kinds[edge], 2 * lags[edge]];
            if (kind === FS) needStart[target] = Math.max(needStart[target], ends[node] + lag);
            else if (kind === SS) needStart[target] = Math.max(needStart[target], starts[node] + lag);
            else if (kind === FF) needEnd[target] = Math.max(needEnd[target], ends[node] + lag);
            else if (kind === SF) needEnd[target] = Math.max(needEnd[target], starts[node] + lag);
            else if (kind === INTO) this._pass(node, target);
            else this._span(node, target);
        }
    }

    /** What a summary waits for, everything below it waits for. */
    _pass(summary, child) {
        const { needStart, needEnd } = this;
        needStart[child] = Math.max(needStart[child], needStart[summary]);
        needEnd[child] = Math.max(needEnd[child], needEnd[summary]);
    }

    /** A summary goes from its first child's start to its last child's end. */
    _span(child, summary) {
        this.starts[summary] = Math.min(this.starts[summary], this.starts[child]);
        this.ends[summary] = Math.max(this.ends[summary], this.ends[child]);
    }
}

/** A task stands where people put it, whatever its links want; one without dates stands as early as they allow. */
export const asPlanned = leaves => (node, need) =>
    leaves.hasDate[node] ? planned(leaves, node, need) : asEarly(leaves)(node, need);

function planned({ anchor, length, room }, node, need) {
    const isLate = length[node] === 0 && room[node] === 1 && boundaryOf(need) > anchor[node];
    return isLate ? endOf(anchor[node] + 1) : beginningOf(anchor[node]);
}

/** A task stands as early as its links and its planned start allow. What has begun stays. */
export const asEarly = leaves => (node, need) => {
    const { anchor, room, isFixed } = leaves;
    if (isFixed[node]) return planned(leaves, node, need);
    const boundary = boundaryOf(need);
    if (boundary <= anchor[node]) return beginningOf(anchor[node]);
    return room[node] === 1 && boundary === anchor[node] + 1 ? endOf(boundary) : need;
};

/**
 * The latest boundaries at which tasks may end without moving `end`: `latest`. `starts` and `ends` are what a node
 * allows those before it; what has begun moves for nobody, so it allows all. `early` is where the tasks are.
 */
export function* backward(network, leaves, early, end, pace) {
    const { order, first, to, kinds, lags, size } = network;
    const none = () => new Float64Array(size).fill(Infinity);
    const found = { starts: none(), ends: none(), latest: none(), early };
    const { starts, ends } = found;
    for (let index = order.length - 1; index >= 0; index -= 1) {
        const node = order[index];
        for (let edge = first[node]; edge < first[node + 1]; edge += 1) {
            const [target, kind, lag] = [to[edge], kinds[edge], lags[edge]];
            if (kind === FS) ends[node] = Math.min(ends[node], starts[target] - lag);
            else if (kind === SS) starts[node] = Math.min(starts[node], starts[target] - lag);
            else if (kind === FF) ends[node] = Math.min(ends[node], ends[target] - lag);
            else if (kind === SF) starts[node] = Math.min(starts[node], ends[target] - lag);
            else limit(found, node, target, kind);
        }
        if (pace.step(first[node + 1] - first[node] + 1)) yield;
        if (isLeaf(network, node)) endLeaf(found, leaves, node, end);
    }
    return found;
}

/** A summary may begin as late as each of its children may; its own start is that of those that begin first. */
function limit({ starts, ends, early }, node, target, kind) {
    ends[node] = Math.min(ends[node], ends[target]);
    if (kind === OUT && boundaryOf(early.starts[node]) !== boundaryOf(early.starts[target])) return;
    starts[node] = Math.min(starts[node], starts[target]);
}

function endLeaf({ starts, ends, latest }, { length, isFixed, isFinished }, node, end) {
    const begin = isFixed[node] ? Infinity : starts[node] + length[node];
    latest[node] = Math.min(end, ends[node], begin);
    const allows = isFixed[node] || isFinished[node] ? Infinity : latest[node];
    ends[node] = allows;
    starts[node] = allows - length[node];
}
