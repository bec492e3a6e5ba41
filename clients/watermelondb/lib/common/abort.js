import { TidemarkError } from './error.js';

export const aborted = () => new TidemarkError('aborted', 'The app aborted the request.');

/** Settles as `promise` does, or rejects when `signal` is aborted, whichever comes first. */
export function unlessAborted(promise, signal) {
    if (!signal) return promise;
    return new Promise((resolve, reject) => {
        const onAbort = () => reject(aborted());
        if (signal.aborted) onAbort();
        signal.addEventListener('abort', onAbort);
        const done = settle => value => {
            signal.removeEventListener('abort', onAbort);
            settle(value);
        };
        promise.then(done(resolve), done(reject));
    });
}

/** The longest delay of `setTimeout`, in milliseconds: almost 25 days. After a longer one it fires at once. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** Waits, for any number of milliseconds. Rejects early when `signal` is aborted. */
export async function sleep(milliseconds, signal) {
    let left = milliseconds;
    for (; left > LONGEST_DELAY; left -= LONGEST_DELAY) await delay(LONGEST_DELAY, signal);
    await delay(left, signal);
}

function delay(milliseconds, signal) {
    return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(aborted());
        const onAbort = () => {
            clearTimeout(timer);
            reject(aborted());
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener('abort', onAbort);
            resolve();
        }, milliseconds);
        signal?.addEventListener('abort', onAbort);
    });
}
