/**
 * Runs a work that must not run twice at the same time. A call during another one waits and then runs itself, since
 * what it is for may have come too late for the other. All waiting calls share one run, with the arguments of the
 * first.
 */
export class OneAtATime {
    _running = null;
    _waiting = null;

    constructor(work) {
        this.work = work;
    }

    run(args) {
        if (!this._running && !this._waiting) return this._start(() => this.work(args));
        this._waiting ??= this._running.catch(() => {}).then(() => {
            this._waiting = null;
            return this._start(() => this.work(args));
        });
        return this._waiting;
    }

    /** Runs something else when nothing is running. Later calls wait for it. */
    async after(work) {
        while (this._running) await this._running.catch(() => {});
        return this._start(work);
    }

    _start(work) {
        this._running = work().finally(() => {
            this._running = null;
        });
        return this._running;
    }
}
