/**
 * The keys that begin with these members. An array is above every text in the order of IndexedDB's keys, and `[prefix]`
 * is below `[prefix, anything]`.
 */
export const beginningWith = (...members) => ({ lower: members, upper: [...members, []] });

/** A range of the browser's for one of these. */
export const keyRange = ({ lower, upper }) => globalThis.IDBKeyRange.bound(lower, upper, false, true);
