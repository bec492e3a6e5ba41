/** How a link binds its two tasks: the end of the predecessor that counts, and the end of the successor. */
export const KINDS = ['FS', 'SS', 'FF', 'SF'];
export const [FS, SS, FF, SF] = [0, 1, 2, 3];
/** From a summary to what is below it, and from what is below it to the summary. */
export const [INTO, OUT] = [4, 5];

/**
 * The tasks of a project and their links as a graph without cycles.
 *
 * A task is a node. A summary is two: what its links bind goes in by one and down to all its children; the ends of its
 * children come together in the other. So a link between two summaries of n tasks costs 2n edges and not n².
 */
export class Network {
    /** Links that can't be followed, by id: `cycle`, or `ancestor` for one between a task and a summary above it. */
    faults = new Map();
    /** Links that can be followed: `{ id, from, to, kind, lag }`, with the numbers of their tasks. */
    links = [];

    /** A generator: it pauses each time that `pace.step()` says so. */
    static *of(tasks, dependencies, pace) {
        const network = new Network();
        yield* network._addTasks(tasks, pace);
        yield* network._addLinks(dependencies, pace);
        yield* network._sort(pace);
        return network;
    }

    *_addTasks(tasks, pace) {
        this.tasks = tasks;
        this.places = new Map();
        for (let place = 0; place < tasks.length; place += 1) {
            this.places.set(tasks[place].id, place);
            if (pace.step()) yield;
        }
        yield* this._setParents(pace);
        this.out = new Int32Array(tasks.length);
        this.isSummary = new Uint8Array(tasks.length);
        for (const parent of this.parents) if (parent >= 0) this.isSummary[parent] = 1;
        /** Tasks that a link names, whether or not it can be followed. */
        this.isLinked = new Uint8Array(tasks.length);
        /** The task of each node. */
        this.owners = Array.from(tasks, (_, place) => place);
        for (let place = 0; place < tasks.length; place += 1) {
            this.out[place] = this.isSummary[place] ? this.owners.push(place) - 1 : place;
        }
        this.size = this.owners.length;
    }

    /** As the tree is shown: a loop of parents is cut at its last task. */
    *_setParents(pace) {
        const { tasks, places } = this;
        this.parents = Int32Array.from(tasks, ({ parent }) => places.get(parent) ?? -1);
        const seen = new Int32Array(tasks.length).fill(-1);
        for (let first = 0; first < tasks.length; first += 1) {
            let each = first;
            for (; each >= 0 && seen[each] < 0; each = this.parents[each]) {
                seen[each] = first;
                if (pace.step()) yield;
            }
            if (each >= 0 && seen[each] === first) this._cut(each);
        }
    }

    _cut(start) {
        let last = start;
        for (let each = this.parents[start]; each !== start; each = this.parents[each]) last = Math.max(last, each);
        this.parents[last] = -1;
    }

    *_addLinks(dependencies, pace) {
        this._edges = new Edges(dependencies.length + 2 * this.tasks.length);
        for (const { id, predecessor, successor, dep_type: kind = 'FS', lag = 0 } of dependencies) {
            const [from, to] = [this.places.get(predecessor), this.places.get(successor)];
            if (from !== undefined && to !== undefined) this._addLink({ id, from, to, kind: KINDS.indexOf(kind), lag });
            if (pace.step()) yield;
        }
        for (let place = 0; place < this.tasks.length; place += 1) {
            const parent = this.parents[place];
            if (parent < 0) continue;
            this._edges.add(parent, place, INTO, 0);
            this._edges.add(this.out[place], this.out[parent], OUT, 0);
            if (pace.step()) yield;
        }
    }

    _addLink(link) {
        const { id, from, to, kind, lag } = link;
        if (kind < 0) return;
        if (from === to) return void this.faults.set(id, 'cycle');
        this.isLinked[from] = this.isLinked[to] = 1;
        if (this._isAbove(from, to) || this._isAbove(to, from)) return void this.faults.set(id, 'ancestor');
        this.links.push(link);
        this._edges.add(this.out[from], to, kind, lag);
    }

    _isAbove(above, place) {
        if (!this.isSummary[above]) return false;
        for (let each = this.parents[place]; each >= 0; each = this.parents[each]) if (each === above) return true;
        return false;
    }

    /** Nodes in an order in which each link leads on. Where there is none, the links of the cycles are left out. */
    *_sort(pace) {
        Object.assign(this, this._edges.byNode(this.size));
        if (yield* this._order(pace)) return;
        const groups = yield* cyclesOf(this, pace);
        const { from, to } = this._edges;
        const isKept = edge => edge >= this.links.length || groups[from[edge]] !== groups[to[edge]];
        for (const [edge, { id }] of this.links.entries()) if (!isKept(edge)) this.faults.set(id, 'cycle');
        Object.assign(this, this._edges.only(isKept).byNode(this.size));
        this.links = this.links.filter(({ id }) => !this.faults.has(id));
        yield* this._order(pace);
    }

    /** Whether all nodes found a place. */
    *_order(pace) {
        const waits = new Int32Array(this.size);
        for (const node of this.to) waits[node] += 1;
        const order = new Int32Array(this.size);
        let count = 0;
        for (let node = 0; node < this.size; node += 1) if (waits[node] === 0) order[count++] = node;
        for (let next = 0; next < count; next += 1) {
            for (let edge = this.first[order[next]]; edge < this.first[order[next] + 1]; edge += 1) {
                if ((waits[this.to[edge]] -= 1) === 0) order[count++] = this.to[edge];
                if (pace.step()) yield;
            }
        }
        this.order = order;
        return count === this.size;
    }
}

/** Edges in the order in which they were added: first those of the links. */
class Edges {
    count = 0;

    constructor(room) {
        this.from = new Int32Array(room);
        this.to = new Int32Array(room);
        this.kinds = new Uint8Array(room);
        this.lags = new Int32Array(room);
    }

    add(from, to, kind, lag) {
        const place = this.count++;
        this.from[place] = from;
        this.to[place] = to;
        this.kinds[place] = kind;
        this.lags[place] = lag;
    }

    only(isKept) {
        const edges = new Edges(this.count);
        for (let edge = 0; edge < this.count; edge += 1) {
            if (isKept(edge)) edges.add(this.from[edge], this.to[edge], this.kinds[edge], this.lags[edge]);
        }
        return edges;
    }

    /** `{ first, to, kinds, lags }`: those that leave a node are from `first[node]` up to `first[node + 1]`. */
    byNode(size) {
        const first = new Int32Array(size + 1);
        for (let edge = 0; edge < this.count; edge += 1) first[this.from[edge] + 1] += 1;
        for (let node = 0; node < size; node += 1) first[node + 1] += first[node];
        const [free, sorted] = [first.slice(), new Edges(this.count)];
        for (let edge = 0; edge < this.count; edge += 1) {
            sorted.count = free[this.from[edge]]++;
            sorted.add(this.from[edge], this.to[edge], this.kinds[edge], this.lags[edge]);
        }
        const { to, kinds, lags } = sorted;
        return { first, to, kinds, lags };
    }
}

/** The number of each node's group: nodes that lead to each other have the same one (Tarjan, without recursion). */
function* cyclesOf({ size, first, to }, pace) {
    const [number, low, group] = [new Int32Array(size), new Int32Array(size), new Int32Array(size).fill(-1)];
    const next = first.slice(0, size);
    const open = [];
    let count = 0;
    for (let root = 0; root < size; root += 1) {
        if (number[root] > 0) continue;
        const path = [root];
        while (path.length > 0) {
            const node = path.at(-1);
            if (number[node] === 0) {
                number[node] = low[node] = count += 1;
                open.push(node);
            }
            if (next[node] < first[node + 1]) {
                const other = to[next[node]++];
                if (number[other] === 0) path.push(other);
                else if (group[other] < 0) low[node] = Math.min(low[node], number[other]);
            } else {
                path.pop();
                if (path.length > 0) low[path.at(-1)] = Math.min(low[path.at(-1)], low[node]);
                if (low[node] === number[node]) close(open, node, group);
            }
            if (pace.step()) yield;
        }
    }
    return group;
}

function close(open, node, group) {
    let other;
    do {
        other = open.pop();
        group[other] = node;
    } while (other !== node);
}
