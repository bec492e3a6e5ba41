// A page whose clock is the test's, where that matters.

/** A clock for what waits ten seconds: `pass()` is that moment. Everything else keeps the browser's. */
export const CLOCK = `{
    const [real, due] = [setTimeout, new Map()];
    let numbers = -1;
    globalThis.setTimeout = (work, wait, ...rest) => {
        if (wait !== 10000) return real(work, wait, ...rest);
        due.set(--numbers, work);
        return numbers;
    };
    const clear = clearTimeout;
    globalThis.clearTimeout = number => due.delete(number) || clear(number);
    globalThis.pass = () => { const all = [...due.values()]; due.clear(); all.forEach(work => work()); return all.length; };
}`;
