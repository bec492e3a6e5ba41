// What the runners of published code share: chance that a seed repeats, ids, comparison of rows, and lines of checks.

/** Functions of one seed. */
export function chance(seed) {
    let state = BigInt(seed);
    function random(below) {
        state = (state * 6364136223846793005n + 1442695040888963407n) % (1n << 64n);
        return Number((state >> 33n) % BigInt(below));
    }
    const pick = list => list[random(list.length)];
    const newID = () => Array.from({ length: 16 }, () => pick('abcdefghijklmnopqrstuvwxyz0123456789')).join('');
    return { random, pick, newID };
}

/** A text that is equal for equal rows. */
export const canonical = rows => JSON.stringify(
    rows.map(row => Object.fromEntries(Object.entries(row).sort())).sort((a, b) => (a.id < b.id ? -1 : 1)));

/** Prints the line of one check. */
export function report(what, isFine, seen = '') {
    console.log(`${isFine ? 'PASS' : 'FAIL'} ${what}${isFine ? '' : `: ${String(seen).slice(0, 500)}`}`);
}

/** A new task of an app, with a value in each column that the others have. */
export function newTask(others, values) {
    const blank = Object.fromEntries(Object.keys(others[0] ?? {}).map(column => [column, null]));
    const defaults = { status: 'NOT_STARTED', duration: 1, percent_complete: 0, notes: '' };
    return { ...blank, ...defaults, is_milestone: false, is_subtask: false, ...values };
}
