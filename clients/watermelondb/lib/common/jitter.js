const LONGEST = 60_000;

/** Milliseconds before another attempt: random over the whole of a time that doubles, so clients do not meet again. */
export function fullJitter(failures, random, base = 1000) {
    return random() * Math.min(LONGEST, base * 2 ** failures);
}
