import { scheduling } from '../../../tidemark/lib/schedule/index.js';

// Of a frame, which has 16 milliseconds. Most plans need less for all.
const SLICE = 6;

const later = callback => {
    const timer = setTimeout(callback);
    return () => clearTimeout(timer);
};

/**
 * Keeps a plan's schedule up to date: piece by piece, so that a large plan scrolls meanwhile. Until a new one is there
 * the plan has the one before.
 */
export class Scheduler {
    _run = null;

    /**
     * `onDone()` is called when the plan has another schedule. `now()` are milliseconds; `wait(callback)` lets the
     * browser paint before it calls back, and returns what ends the wait.
     */
    constructor(plan, onDone, { now = () => performance.now(), wait = later } = {}) {
        Object.assign(this, { plan, onDone, _now: now, _wait: wait });
    }

    /** Begins anew: the plan has changed. A small plan has its schedule at once. */
    compute(today) {
        this.stop();
        this._run = scheduling(this.plan.scheduled(today));
        this._go();
    }

    stop() {
        this._stopWait?.();
        this._stopWait = this._run = null;
    }

    _go() {
        const end = this._now() + SLICE;
        let piece = this._run.next();
        while (!piece.done && this._now() < end) piece = this._run.next();
        if (!piece.done) return void (this._stopWait = this._wait(() => this._go()));
        this.stop();
        this.plan.setSchedule(piece.value);
        this.onDone();
        return undefined;
    }
}
