import { isDirty } from './record.js';
import { areSame } from './values.js';

// What a server that was restored from a backup has lost of what this copy had from it. Whoever uses the copy decides
// what is written again: the copy does not know whose edits these were.

/** What the copy had of the server's row, without unsent edits. */
const known = record => (isDirty(record) ? record._base?.values ?? null : record.values);

/**
 * A row of which the server has an older version now, or the same one with other values: an edit with the values that
 * were lost, to be set aside. Null if nothing was lost. Fields that one of the two does not have are left out, and so
 * is a mere edit time.
 */
export function lostValues(record, row) {
    const values = known(record);
    if (values === null || record.server_version === 0 || record.server_version < row.server_version) return null;
    const names = Object.keys(values).filter(name => Object.hasOwn(row.values, name)
        && !areSame(values[name], row.values[name]));
    if (names.every(name => name === 'modified_at')) return null;
    return { ...record, values, _status: 'updated', _changed: names, _base: { values: row.values } };
}

/** A row that the server does not have any more: a new row with its values, to be set aside. */
export const lostRow = record => ({ ...record, _status: 'created', _changed: [], _base: null });
