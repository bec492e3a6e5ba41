/** Numbers from 0 to 1 that a seed decides. */
export function generator(seed) {
    let state = BigInt(seed) + 1n;
    return () => {
        state = (state * 6364136223846793005n + 1442695040888963407n) % (1n << 64n);
        return Number(state >> 33n) / 2 ** 31;
    };
}

/** Seeds of random runs: those of `SEED`, or some that are always the same and a new one. */
export const seeds = (...known) =>
    (process.env.SEED ? process.env.SEED.split(',').map(Number) : [...known, Math.floor(Math.random() * 1e9)]);
