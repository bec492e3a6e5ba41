import { dateOf } from './days.js';
import { asEarly, asPlanned, boundaryOf, isLeaf, Places } from './passes.js';

/**
 * What has to move with tasks that get other values: `changes` is a Map of ids and values. Pushes what those changes
 * would break, and what that would break in turn; pulls nothing, and leaves links alone that were broken before and
 * that no change touches.
 *
 * `moves`: `{ id, from, to, values }` with days; `values` is what to write, null for a task
 * without a date of its own, which stands where its links let it. `stays`: the ids of tasks that have begun and would
 * have to move. Over a part of a project nothing can be said, since what is not there may bind what is:
 * `isPossible` is false then.
 */
export function push(schedule, changes, { isPart = false } = {}) {
    if (isPart) return { isPossible: false, moves: [], stays: [] };
    return new Push(schedule, changes).run();
}

class Push {
    constructor(schedule, changes) {
        const { network, leaves, days, start, isDated } = schedule;
        Object.assign(this, { schedule, network, leaves: leaves.copy(), isDated: isDated.slice() });
        this.changed = new Set();
        for (const [id, values] of changes) {
            const task = network.places.get(id);
            if (task === undefined || network.isSummary[task]) continue;
            this.changed.add(task);
            this.leaves.set(task, { ...network.tasks[task], ...values }, days, start);
            if (this.leaves.hasDate[task]) this.isDated[task] = 1;
        }
    }

    run() {
        const { network, leaves, schedule: { planned: before } } = this;
        const all = new Places(network.size);
        // Only what has moved.
        const moved = new Places(network.size);
        this.stays = [];
        this.pushed = new Set();
        for (const node of network.order) {
            if (isLeaf(network, node)) {
                all.set(leaves, node, this._place(node, all.need(leaves, node), moved.need(leaves, node)));
            }
            for (const ends of ['starts', 'ends']) {
                const isMoved = boundaryOf(all[ends][node]) !== boundaryOf(before[ends][node]);
                moved[ends][node] = isMoved ? all[ends][node] : -Infinity;
            }
            all.follow(network, node);
            moved.follow(network, node);
        }
        return { isPossible: true, moves: this._moves(all), stays: this.stays };
    }

    /** `pushed` is when the task may begin for the sake of those that have moved. */
    _place(node, need, pushed) {
        const { leaves } = this;
        if (!this.isDated[node]) return null;
        if (this.changed.has(node) || !leaves.hasDate[node]) return asPlanned(leaves)(node, need);
        if (boundaryOf(pushed) <= leaves.anchor[node] + leaves.room[node]) return asPlanned(leaves)(node, need);
        if (leaves.isFixed[node]) return this._stay(node, need);
        this.pushed.add(node);
        return asEarly(leaves)(node, pushed);
    }

    _stay(node, need) {
        if (!this.leaves.isFinished[node]) this.stays.push(this.network.tasks[node].id);
        return asPlanned(this.leaves)(node, need);
    }

    _moves({ starts }) {
        const { network: { tasks }, schedule, leaves, isDated, changed, pushed } = this;
        const moves = [];
        for (const [place, { id }] of tasks.entries()) {
            if (!isLeaf(this.network, place) || !isDated[place] || changed.has(place)) continue;
            if (leaves.hasDate[place] && !pushed.has(place)) continue;
            const [from, to] = [schedule.planned.starts, starts].map(each => schedule.day(each[place]));
            if (from === to) continue;
            moves.push({ id, from, to, values: pushed.has(place) ? { planned_start: dateOf(to) } : null });
        }
        return moves;
    }
}
