import { asBase } from './record.js';
import { areSame } from './values.js';

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
    const row = record._status === 'synced' ? { ...record, _status: 'updated', _base: asBase(record) } : record;
    return { ...row, values, _changed: [...record._changed, ...names] };
}

/** Nothing if there are newer unsent edits. */
const deletedAgain = record =>
    (record._status === 'synced' ? { ...record, _status: 'deleted', _base: asBase(record) } : null);
