import { push } from './followers.js';
import { Leaves } from './leaves.js';
import { FF, FS, Network, SS } from './network.js';
import { asEarly, asPlanned, backward, boundaryOf, forward, isLeaf } from './passes.js';
import { WorkingDays } from './working-days.js';

/**
 * The schedule of a project, computed from its rows: `tasks`, `dependencies`, the row of its `calendar` (or its
 * WorkingDays), `start`, its first day, and `today`. Days are numbers: see days.js. Needs no network, and writes nothing.
 */
export function schedule(input) {
    const run = scheduling(input);
    let step = run.next();
    while (!step.done) step = run.next();
    return step.value;
}

/** The same in pieces, for a page that has to paint meanwhile: a generator that pauses and returns the schedule. */
export function* scheduling({ tasks, dependencies, calendar, start, today }) {
    const pace = new Pace();
    const network = yield* Network.of(tasks, dependencies, pace);
    const days = calendar instanceof WorkingDays ? calendar : new WorkingDays(calendar);
    const made = new Schedule(network, days, { start: start ?? today, today });
    yield* made._compute(pace);
    return made;
}

const PAUSE = 2000;

/** Counts steps, and says when to pause. */
class Pace {
    steps = 0;
    _next = PAUSE;

    /** Whether it is time to pause. */
    step(count = 1) {
        this.steps += count;
        if (this.steps < this._next) return false;
        this._next = this.steps + PAUSE;
        return true;
    }
}

// The server takes dates of four digits.
const [FIRST_DAY, LAST_DAY] = [-719_162, 2_932_896];

export class Schedule {
    /** Links that don't hold, by id: `{ reason, task, end, days, day }`. See `_break`. */
    broken = new Map();
    /** How much work it was, in tasks and links looked at. */
    steps = 0;

    constructor(network, days, { start, today }) {
        Object.assign(this, { network, days, start, _today: days.before(today) });
    }

    /**
     * What is known of a task, null if it has neither dates nor links: `{ planned, early, late }`, each with `start` and
     * `finish`, the first and the last day; `float` in working days; `isCritical`, `isOverdue`, `isFinished`,
     * `isSummary`. `planned` is where it stands, `early` and `late` where its links let it be. What is finished has
     * neither `late` nor `float`. A milestone's two days are the same one.
     */
    of(id) {
        const [task, node] = this._find(id);
        if (task === undefined) return null;
        const { network, open } = this;
        const [planned, early] = [this._span(this.planned, node), this._span(this.early, node)];
        const isFinished = open.float[task] === Infinity;
        const late = isFinished ? null
            : { start: this.day(open.lateStart[task]), finish: this.day(open.lateEnd[task]) };
        return {
            planned, early, late, float: isFinished ? null : open.float[task],
            isFinished, isSummary: network.isSummary[task] === 1, ...this._marks(task, node),
        };
    }

    /** `{ isCritical, isOverdue }` alone, which is less work. */
    marks(id) {
        const [task, node] = this._find(id);
        return task === undefined ? null : this._marks(task, node);
    }

    _marks(task, node) {
        const { open: { float }, planned: { ends } } = this;
        return { isCritical: float[task] === 0, isOverdue: float[task] < Infinity && ends[node] < this._now(ends[node]) };
    }

    /** The half step from which on today or a later day begins: of ends, or of beginnings. */
    _now(half) {
        const today = 2 * this._today;
        return half % 2 === 0 ? today : today + 2;
    }

    /** The number and the node of a task that is dated. */
    _find(id) {
        const { network } = this;
        const task = network.places.get(id);
        const node = network.out[task];
        return task !== undefined && this._isDated(node) ? [task, node] : [];
    }

    /** The last day of all tasks as the links allow them; null if no task is dated. */
    get finish() {
        return this._end === -Infinity ? null : this.day(2 * this._end + 1);
    }

    /** What else has to move if tasks get other values: see followers.js. */
    push(changes, options) {
        return push(this, changes, options);
    }

    *_compute(pace) {
        const { network } = this;
        yield* this._read(pace);
        const place = rule => (node, need) => this.isDated[node] ? rule(node, need) : null;
        this.planned = yield* forward(network, this.leaves, place(asPlanned(this.leaves)), pace);
        this.early = yield* forward(network, this.leaves, place(asEarly(this.leaves)), pace);
        this._end = this._lastEnd();
        this.late = yield* backward(network, this.leaves, this.early, this._end, pace);
        yield* this._sum(pace);
        this._break();
        this.steps = pace.steps;
    }

    *_read(pace) {
        const { network, days } = this;
        const { tasks, parents, order } = network;
        this.leaves = new Leaves(tasks.length);
        this.isDated = network.isLinked.slice();
        for (const node of order) {
            if (node >= tasks.length) continue;
            if (parents[node] >= 0 && this.isDated[parents[node]]) this.isDated[node] = 1;
            if (!isLeaf(network, node)) continue;
            this.leaves.set(node, tasks[node], days, this.start);
            if (this.leaves.hasDate[node]) this.isDated[node] = 1;
            if (pace.step()) yield;
        }
    }

    /** Of what is left to do; if that is nothing, of all. */
    _lastEnd() {
        const { leaves: { isFinished }, early: { ends }, network } = this;
        let [open, all] = [-Infinity, -Infinity];
        for (let node = 0; node < network.tasks.length; node += 1) {
            if (!isLeaf(network, node)) continue;
            const end = boundaryOf(ends[node]);
            all = Math.max(all, end);
            if (!isFinished[node]) open = Math.max(open, end);
        }
        return open === -Infinity ? all : open;
    }

    /** What is left to do, by task: a summary has the least or the most of what is below it. */
    *_sum(pace) {
        const { network, late: { latest } } = this;
        const { order, parents, owners, tasks } = network;
        this.open = new Open(tasks.length);
        for (const node of order) {
            if (pace.step()) yield;
            const task = owners[node];
            if (isLeaf(network, node)) this._isOpen(node) && this.open.set(node, this, latest[node]);
            else if (node === task) continue;
            if (parents[task] >= 0) this.open.add(parents[task], task);
        }
    }

    _isOpen(node) {
        return this._isDated(node) && !this.leaves.isFinished[node];
    }

    /**
     * A link is broken if its tasks stand where it does not let them: `dates`, with the `task` that is too early, the
     * `end` of it, by how many working `days`, and the first `day` for it; or if it can't be followed, since it is part
     * of a `cycle` or leads to an `ancestor`.
     */
    _break() {
        const { network, broken } = this;
        for (const [id, reason] of network.faults) broken.set(id, { reason, task: null, end: null, days: 0, day: null });
        for (const link of network.links) {
            const need = this._needOf(link);
            const end = link.kind === FS || link.kind === SS ? 'start' : 'finish';
            const days = boundaryOf(need) - this.open[end][link.to];
            if (days > 0) broken.set(link.id, { reason: 'dates', days, ...this._missed(link.to, end, need) });
        }
    }

    /** The half step at which a link lets its successor begin or end. */
    _needOf({ from, kind, lag }) {
        const { starts, ends } = this.planned;
        const source = this.network.out[from];
        return (kind === FS || kind === FF ? ends[source] : starts[source]) + 2 * lag;
    }

    /** The first task that is too early, its end, and the first day for it. */
    _missed(successor, end, need) {
        const task = this.open.first[end][successor];
        const isMoment = this.leaves.length[task] === 0;
        const day = isMoment ? this.day(need) : this.day(2 * boundaryOf(need) + (end === 'start' ? 0 : 1));
        return { task: this.network.tasks[task].id, end: isMoment ? 'finish' : end, day };
    }

    _isDated(node) {
        return this.planned.ends[node] > -Infinity;
    }

    _span({ starts, ends }, node) {
        return { start: this.day(starts[node]), finish: this.day(ends[node]) };
    }

    /** The day of a half step. */
    day(half) {
        const boundary = boundaryOf(half);
        const day = half === 2 * boundary ? this.days.after(boundary) : this.days.after(boundary - 1);
        return Math.max(FIRST_DAY, Math.min(LAST_DAY, day));
    }
}

/**
 * Of the open tasks, by number. `start` and `finish` are the first boundaries at which one begins and ends, and `first`
 * says which; the rest are half steps.
 */
class Open {
    constructor(count) {
        for (const name of LEAST) this[name] = new Float64Array(count).fill(Infinity);
        this.lateEnd = new Float64Array(count).fill(-Infinity);
        this.first = { start: new Int32Array(count), finish: new Int32Array(count) };
    }

    set(task, { leaves, early, planned }, latest) {
        const [length, isAtEnd] = [leaves.length[task], Math.abs(early.ends[task] % 2)];
        this.float[task] = latest - boundaryOf(early.ends[task]);
        // What has begun can't begin later.
        this.lateStart[task] = leaves.isFixed[task] ? early.starts[task]
            : 2 * (latest - length) + (length > 0 ? 0 : isAtEnd);
        this.lateEnd[task] = 2 * latest + isAtEnd;
        this.start[task] = boundaryOf(planned.starts[task]);
        this.finish[task] = boundaryOf(planned.ends[task]);
        this.first.start[task] = this.first.finish[task] = task;
    }

    /** Adds what a task has to what the summary above it has. */
    add(summary, task) {
        for (const [end, first] of Object.entries(this.first)) {
            const ahead = this[end][summary] - this[end][task];
            if (ahead > 0 || (ahead === 0 && first[task] < first[summary])) first[summary] = first[task];
        }
        for (const name of LEAST) this[name][summary] = Math.min(this[name][summary], this[name][task]);
        this.lateEnd[summary] = Math.max(this.lateEnd[summary], this.lateEnd[task]);
    }
}

const LEAST = ['float', 'lateStart', 'start', 'finish'];
