import { TidemarkError } from './error.js';
import { fullJitter } from './jitter.js';

/** Calls the app, never twice at the same time. What is asked for during a call leads to one more. */
export class Caller {
    /** Ends waits between attempts. The session that listens sets it. */
    signal = { aborted: true };
    /** The number that the app has to reach. */
    _wanted = -Infinity;
    _running = null;

    /**
     * `pulls` knows how the adapter's own pulls ended, `reached` returns the number that they have reached, and
     * `report` is called with errors that do not go away by themselves.
     */
    constructor({ onChange, pulls, reached, report, wait, random }) {
        Object.assign(this, { onChange, pulls, reached, report, wait, random });
    }

    /** Asks for a call, unless the app has reached `number` by then. */
    ask(number = Infinity) {
        this._wanted = Math.max(this._wanted, number);
        if (this._isDue) this._running ??= this._run();
    }

    /** Resolves when no call runs or is due. */
    async done() {
        while (this._running) await this._running;
    }

    get _isDue() {
        return !this.signal.aborted && this._wanted > this.reached();
    }

    async _run() {
        try {
            for (let failures = 0; this._isDue;) failures = await this._step(failures);
        } finally {
            // Not later: what is asked for from now on needs a new run.
            this._running = null;
        }
    }

    /** One call, and the wait after it if it failed. Returns how many calls have failed in a row. */
    async _step(failures) {
        const wanted = this._wanted;
        this._wanted = -Infinity;
        const error = await this._call(failures);
        if (!isWorthMore(error)) return 0;
        this._wanted = Math.max(this._wanted, wanted);
        const delay = Math.max((error.retryAfter ?? 0) * 1000, fullJitter(failures, this.random));
        await this.wait(delay, this.signal).catch(() => {});
        return failures + 1;
    }

    /** Returns the error with which the app failed to pull; null if it did not fail. */
    async _call(failures) {
        const { ended } = this.pulls;
        try {
            await this.onChange();
        } catch (error) {
            if (!error?.isTemporary && failures === 0) this.report(error);
            return error ?? new Error('onChange failed.');
        }
        // Apps catch errors that go away by themselves. The change is still not there.
        return this.pulls.ended > ended ? this.pulls.error : null;
    }
}

const isWorthMore = error => error !== null && (!(error instanceof TidemarkError) || error.isTemporary);
