// Keys of IndexedDB: https://www.w3.org/TR/IndexedDB/#key-construct

const RANK = { number: 1, string: 2, array: 3 };

const kindOf = key => (Array.isArray(key) ? 'array' : typeof key);

export const isKey = key => (Array.isArray(key) ? key.every(isKey)
    : typeof key === 'string' || (typeof key === 'number' && !Number.isNaN(key)));

/** Negative, 0 or positive, as the first key is below, equal to or above the second. */
export function compare(one, other) {
    const [kind, otherKind] = [kindOf(one), kindOf(other)];
    if (kind !== otherKind) return RANK[kind] - RANK[otherKind];
    if (kind !== 'array') return one < other ? -1 : Number(one > other);
    for (let index = 0; index < Math.min(one.length, other.length); index++) {
        const order = compare(one[index], other[index]);
        if (order !== 0) return order;
    }
    return one.length - other.length;
}

/** The key of a value; undefined if a member of the path is not there, or is no key. */
export function keyAt(value, path) {
    const key = Array.isArray(path) ? path.map(each => value[each]) : value[path];
    return isKey(key) ? key : undefined;
}

export class KeyRange {
    static bound(lower, upper, lowerOpen = false, upperOpen = false) {
        const isRange = isKey(lower) && isKey(upper) && compare(lower, upper) <= 0;
        if (!isRange) throw new DOMException('It is no range.', 'DataError');
        return Object.assign(new KeyRange(), { lower, upper, lowerOpen, upperOpen });
    }

    includes(key) {
        const [low, high] = [compare(key, this.lower), compare(key, this.upper)];
        return (this.lowerOpen ? low > 0 : low >= 0) && (this.upperOpen ? high < 0 : high <= 0);
    }
}

/** Whether a query names a key: a range, one key, or nothing for all. */
export function matches(query, key) {
    if (query === undefined) return true;
    if (query instanceof KeyRange) return query.includes(key);
    if (!isKey(query)) throw new DOMException('The query is no key.', 'DataError');
    return compare(query, key) === 0;
}
