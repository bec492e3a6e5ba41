import { TidemarkError } from '../../index.js';

/** Timers that fire when a test says so. */
export class Clock {
    time = 1_000_000;
    #waits = new Set();

    now = () => this.time;

    wait = (milliseconds, signal) => new Promise((resolve, reject) => {
        const abort = () => {
            this.#waits.delete(entry);
            reject(new TidemarkError('aborted', 'The wait was ended.'));
        };
        const entry = { milliseconds, at: this.time + milliseconds, resolve };
        if (signal?.aborted) return abort();
        this.#waits.add(entry);
        signal?.addEventListener('abort', abort);
    });

    /** The milliseconds of the waits that have not ended, the shortest first. */
    get waits() {
        return [...this.#waits].map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    }

    /** Lets time pass, and everything happen that waits for it, in order. */
    async advance(milliseconds) {
        const end = this.time + milliseconds;
        await settled();
        for (;;) {
            const [next] = [...this.#waits].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
            if (!next) break;
            this.#waits.delete(next);
            this.time = Math.max(this.time, next.at);
            next.resolve();
            await settled();
        }
        this.time = end;
    }
}

/** Resolves when nothing moves any more that needs no timer and no network. */
export async function settled() {
    for (let turn = 0; turn < 12; turn++) await new Promise(resolve => setImmediate(resolve));
}
