// Of a frame, which has 16 milliseconds. Most plans need less for all.
const SLICE = 6;

const later = callback => {
    const timer = setTimeout(callback);
    return () => clearTimeout(timer);
};

const ofClient = () => import('../../../tidemark/lib/schedule/index.js');

/**
 * Keeps a plan's schedule up to date: piece by piece, so that a large plan scrolls meanwhile. Until a new one is there
 * the plan has the one before. What computes it is fetched when it is needed for the first time, so that the first
 * picture does not wait for it.
 */
export class Scheduler {
    _run = null;
    /** Null once it is stopped. */
    _today = null;

    /**
     * `onDone()` is called when the plan has another schedule. `library` is clients/web's, if it is there already.
     * `now()` are milliseconds; `wait(callback)` lets the browser paint before it calls back, and returns what ends the
     * wait.
     */
    constructor(plan, onDone, { library = null, load = ofClient, now = () => performance.now(), wait = later } = {}) {
        Object.assign(this, { plan, onDone, _library: library, _load: load, _now: now, _wait: wait });
    }

    /** Begins anew: the plan has changed. A small plan has its schedule at once, but for the first time. */
    compute(today) {
        this._stopWait?.();
        Object.assign(this, { _stopWait: null, _run: null, _today: today });
        if (!this._library) return void this._fetch();
        this._run = this._library.scheduling(this.plan.scheduled(today));
        return this._go();
    }

    /** The schedule of the plan as it is shown at this moment; null as long as nothing can compute it. */
    fresh() {
        return this._library && this._library.schedule(this.plan.scheduled(this._today));
    }

    stop() {
        this._stopWait?.();
        Object.assign(this, { _stopWait: null, _run: null, _today: null });
    }

    /** Without a network it is tried again with the next change. */
    _fetch() {
        this._fetched ??= this._load().then(library => {
            this._library = library;
            if (this._today !== null) this.compute(this._today);
        }, () => { this._fetched = null; });
    }

    _go() {
        const end = this._now() + SLICE;
        let piece = this._run.next();
        while (!piece.done && this._now() < end) piece = this._run.next();
        if (!piece.done) return void (this._stopWait = this._wait(() => this._go()));
        this._run = null;
        this.plan.setSchedule(piece.value);
        this.onDone();
        return undefined;
    }
}
