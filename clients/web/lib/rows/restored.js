import { asBase, baseWith, isDirty } from './record.js';
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

/**
 * The row with what the server acknowledged and has lost since marked as unsent again, underneath later edits. Null if
 * the server lost nothing of it: it has the row at the answered version or above, or with the values that were sent.
 * Other people's later edits then stay.
 *
 * `isNamed` says whether the replacement had the row.
 */
export function lostEdit(record, sent, isNamed) {
    if (sent.bucket === 'deleted') return isNamed ? deletedAgain(record) : null;
    if ((isNamed && record.server_version >= sent.version) || record._status === 'deleted') return null;
    if (!isNamed && sent.bucket === 'created') return { ...record, _status: 'created' };
    const names = (sent.bucket === 'created' ? Object.keys(sent.values) : sent.changed)
        .filter(name => !record._changed.includes(name))
        .filter(name => !isNamed || !areSame(sent.values[name], record.values[name]));
    return names.length > 0 ? unsentAgain(record, sent, names, isNamed) : null;
}

function unsentAgain(record, sent, names, isNamed) {
    const values = { ...record.values };
    for (const name of names) if (isNamed && Object.hasOwn(sent.values, name)) values[name] = sent.values[name];
    const _status = record._status === 'synced' ? 'updated' : record._status;
    return { ...record, _status, values, _changed: [...record._changed, ...names], _base: baseWith(record, names) };
}

/** Nothing if there are newer unsent edits. */
const deletedAgain = record =>
    (record._status === 'synced' ? { ...record, _status: 'deleted', _base: asBase(record) } : null);
