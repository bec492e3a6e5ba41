// The order of values, as in the server's lists, in keys of IndexedDB: null, false and true, numbers, texts by their
// bytes. A key orders texts by their first 128 characters, as the server does.

const CHARACTERS = 128;
const UNITS = 0xFFFF;

/** The key of a value. Lists and objects have no order: they count as null. */
export function keyOf(value, isDescending = false) {
    if (typeof value === 'string') {
        const text = byBytes(beginning(value));
        return isDescending ? `${inverted(text)}\uFFFF` : text;
    }
    if (typeof value === 'number' || typeof value === 'boolean') return isDescending ? -value : Number(value);
    return isDescending ? [] : -Infinity;
}

/** What the keys of all texts that begin so begin with. */
export const beginningOf = (prefix, isDescending) =>
    (isDescending ? inverted(byBytes(beginning(prefix))) : byBytes(beginning(prefix)));

/** Whether a key has less of a text than the text has. */
export const isCut = value => typeof value === 'string' && beginning(value) !== value;

/** Above each key that begins with the same members. */
export const ABOVE = [[]];

/** Negative, 0 or positive, as the first key is below, equal to or above the second, as IndexedDB compares them. */
export function compareKeys(one, other) {
    const [rank, otherRank] = [rankOf(one), rankOf(other)];
    if (rank !== otherRank) return rank - otherRank;
    if (!Array.isArray(one)) return one < other ? -1 : Number(one > other);
    for (let place = 0; place < Math.min(one.length, other.length); place++) {
        const order = compareKeys(one[place], other[place]);
        if (order !== 0) return order;
    }
    return one.length - other.length;
}

/** Negative, 0 or positive, as the first value is below, equal to or above the second. Null if neither is. */
export function compareValues(one, other) {
    if (one === null || other === null || typeof one !== typeof other) return null;
    if (typeof one === 'string') return compareKeys(byBytes(one), byBytes(other));
    return typeof one === 'number' ? one - other : null;
}

const rankOf = key => (Array.isArray(key) ? 2 : typeof key === 'string' ? 1 : 0);

/** Texts of so many characters. A pair of surrogates is one. */
function beginning(text) {
    if (text.length <= CHARACTERS) return text;
    return Array.from(text.slice(0, 2 * CHARACTERS)).slice(0, CHARACTERS).join('');
}

/**
 * A text that is ordered by its units as the given one is by its bytes in UTF-8: pairs of surrogates stand for what
 * comes after all else.
 */
const byBytes = text => (/[\uD800-\uFFFF]/.test(text)
    ? text.replace(/[\uD800-\uFFFF]/g, unit => moved(unit.charCodeAt(0))) : text);

const moved = unit => String.fromCharCode(unit >= 0xE000 ? unit - 0x800 : unit + 0x2000);

/** A text that stands where the given one stands in the opposite order, with what no text has behind it. */
const inverted = text => text.replace(/[^]/g, unit => String.fromCharCode(UNITS - unit.charCodeAt(0)));
