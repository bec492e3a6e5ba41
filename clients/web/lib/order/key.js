/**
 * The place of a task among those with the same parent: siblings stand by (key, id), byte by byte.
 *
 * A key consists of `0-9A-Za-z` and does not end with `0`, so it is a fraction in base 62, and between two different
 * keys there is always another one. It is made of one row alone, never of what its siblings have, so a new row moves no
 * other. There is a range for each kind of row, in this order:
 *
 * | row | key |
 * |---|---|
 * | has a `rank` | the rank. New ones are below `W`, unless they are put behind a row of another kind |
 * | has numbers in its `wbs_path` | `W`, the numbers, then the short id |
 * | has a `short_id` | `X`, the short id |
 * | has none of them: it was made offline by an app that writes no ranks | `Y1` |
 *
 * The Swift side is `OrderKey` in SyncProtocol. Both read Tests/Vectors/order.json.
 */
export function orderKey({ rank, wbs_path, short_id }) {
    if (isRank(rank)) return rank;
    const numbers = String(wbs_path ?? '').match(/\d+/g);
    const id = /^[0-9A-Za-z]{1,8}$/.test(short_id ?? '') ? `${short_id.padEnd(8, '0')}1` : null;
    if (numbers) return `W${numbers.map(numberKey).join('')}${id ? `A${id}` : 'B1'}`;
    return id ? `X${id}` : 'Y1';
}

/** Whether a value is a rank that the server takes. */
export const isRank = value => typeof value === 'string' && /^[0-9A-Za-z]{0,127}[1-9A-Za-z]$/.test(value);

/** For `sort()`. For many rows `inOrder()` is faster. */
export const compareSiblings = (one, other) => compareEntries(new Entry(one), new Entry(other));

/** The siblings in their order. `rowOf` says which row an element is about. */
export function inOrder(siblings, rowOf = row => row) {
    if (siblings.length < 2) return [...siblings];
    const entries = siblings.map(each => new Entry(rowOf(each), each));
    return entries.sort(compareEntries).map(({ each }) => each);
}

/** The numbers that a number's digits are written with: how many they are, then they. So 9 stands before 10. */
function numberKey(digits) {
    const plain = digits.replace(/^0+(?=.)/, '');
    const more = plain.length - 1;
    return `${'j'.repeat(Math.floor(more / 9))}${'abcdefghi'[more % 9]}${plain}`;
}

/** The keys of rows, which nobody changes in place: most are asked for again whenever one of them changes. */
const known = new WeakMap();

function keyOf(row) {
    let key = known.get(row);
    if (key === undefined) known.set(row, key = orderKey(row));
    return key;
}

class Entry {
    constructor(row, each = row) {
        this.key = keyOf(row);
        this.id = row.id;
        this.each = each;
    }
}

function compareEntries(one, other) {
    if (one.key !== other.key) return one.key < other.key ? -1 : 1;
    if (one.id === other.id) return 0;
    return one.id < other.id ? -1 : 1;
}

/** What a key of a row without a rank begins with, and what is put behind that row, too. */
const STANDING = /^(?:W(?:j*[a-i]\d+)+(?:A[0-9A-Za-z]{8}|B)|X[0-9A-Za-z]{8})/;
const RANGES = ['W', 'X', 'Y', 'Z'];

/**
 * What a row at the end stays below, so that rows that apps without ranks add later stand behind it: the end of what
 * begins with `stem`, or the key `below`.
 */
export function ceilingOf(key) {
    const standing = STANDING.exec(key);
    if (standing) return { stem: standing[0] };
    const range = RANGES.find(each => key < each);
    return range ? { below: range } : { stem: '' };
}
