import { TidemarkError } from './error.js';

export const aborted = () => new TidemarkError('aborted', 'The app called it off.');

/** What `promise` comes to, or the abort, whichever is first. */
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

/** Ends early, with an error, when `signal` says so. */
export function sleep(milliseconds, signal) {
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
