import { only, without } from './values.js';

/**
 * A row as it is stored, a value that nobody changes in place:
 * - `collection`, `id`, `project_id`, and `values`: all other fields
 * - `server_version`: the last one that the server sent; 0 for a row that it never sent
 * - `_status`: `synced`, or what is unsent: `created`, `updated`, `deleted`
 * - `_changed`: the fields with unsent edits; of a new row those that were edited since it was made
 * - `_base`: the server's side, `{ server_version, values, edited, bases }`; null if nothing is unsent or the server
 *   never sent it. `edited` is the version that the oldest unsent edit was made on, whatever pulls have brought since.
 *   `bases` has the same of each field with another one. An earlier version of this module drops it when it pulls
 * - `_seen`: the version whose values are here, so that edits are made on it: see `seen`
 * - `_drain`: the number of the last drain that had the row; `_seenIn`: what it was when `_seen` was noted
 * - `_outside`: true if the row is not in the part that the copy holds, and stays because of an edit: see `Outside`
 */
export const newRecord = (collection, { id, project_id, server_version = 0, values }, _status = 'synced') => ({
    collection, id, project_id, server_version, values, _status, _changed: [], _base: null, _drain: 0,
    _seen: server_version, _seenIn: 0,
});

/** Whether something of the row is unsent. */
export const isDirty = record => record._status !== 'synced';

/** Whether the server's digest counts the row. */
export const isCounted = record => !record._outside && (record._status === 'synced' || record.server_version > 0);

/** The row as one of the part that the copy holds. */
export const inside = ({ _outside, ...record }) => record;

/**
 * The version that a drain has brought last, or the first one of a row that was made here. An answer also tells a
 * version, but not what others have changed up to it. An earlier version of this module notes nothing.
 */
export const seen = ({ _seen, _drain, _seenIn = _drain, server_version }) =>
    (_seen === undefined || _seenIn !== _drain ? server_version : _seen);

/** The row, of which the values of this version are here. */
export const seenAt = (record, _seen, _drain = record._drain) => ({ ...record, _seen, _drain, _seenIn: _drain });

/**
 * Whether drains have reached the row: one has had it, or none is going to have it, since it is outside. Until then the
 * server knows by itself that the device has seen just what it sent.
 */
export const hasCome = ({ _drain, _outside = false }) => _drain > 0 || _outside;

/** The version by field that its oldest unsent edit was made on. That of a row that was made here is its first one. */
export const basesOf = ({ _base }, names) =>
    Object.fromEntries(names.map(name => [name, _base?.bases?.[name] ?? _base?.edited ?? 1]));

/** The same as `_base` has it. None is above the `newest` version that is here. */
export function editedOn(versions, newest) {
    const capped = Object.entries(versions).map(([name, version]) => [name, Math.min(version, newest)]);
    const edited = Math.min(newest, ...capped.map(([, version]) => version));
    return { edited, bases: Object.fromEntries(capped.filter(([, version]) => version > edited)) };
}

export const asBase = record =>
    ({ server_version: record.server_version, values: record.values, edited: seen(record), bases: {} });

/** The server's side of the row when these fields are edited. One that is unsent already was edited before. */
export function baseWith(record, names) {
    const known = record._status === 'synced' ? asBase(record) : record._base;
    const fresh = Object.fromEntries(names.map(name => [name, seen(record)]));
    return known && { ...known, ...editedOn({ ...fresh, ...basesOf(record, record._changed) }, seen(record)) };
}

/** The row with nothing left to send. */
export const cleaned = record => ({ ...record, _status: 'synced', _changed: [], _base: null });

/** The row with the server's last values in these fields, where it sent any. */
export function takenBackIn(record, names) {
    const known = record._base?.values ?? {};
    const back = Object.fromEntries(names.filter(name => Object.hasOwn(known, name)).map(name => [name, known[name]]));
    return { ...record, values: { ...record.values, ...back } };
}

/** The row as the server has it, as far as that is known. */
export const takenBack = record => cleaned(takenBackIn(record, Object.keys(record.values)));

/** Whether the server counts the row as one of its own that it may delete: it was never sent and never came. */
export const isLocal = record => record._status === 'created' && record.server_version === 0;

/**
 * The row after the server sent it in the bucket `created` or `updated`. Fields that were edited here win; the server's
 * values of them are kept in `_base`. This follows the table "one id, remote bucket × local state" of WatermelonDB's
 * `synchronize()`, so all clients reach the same result.
 *
 * A row that was deleted here stays so if the server only edited it. If the server made it again, the deletion here is
 * forgotten.
 */
export function merged(record, row, bucket) {
    const known = record._base;
    const _base = {
        server_version: row.server_version, values: { ...(known?.values ?? record.values), ...row.values },
        // A server that was restored may have fewer versions than the edit knew.
        ...editedOn(basesOf(record, record._changed), row.server_version),
    };
    const result = seenAt({ ...record, server_version: row.server_version, _base }, row.server_version);
    if (record._status !== 'deleted') {
        return { ...result, values: { ...record.values, ...without(row.values, record._changed) } };
    }
    return bucket === 'created' ? cleaned({ ...result, values: { ...record.values, ...row.values } }) : result;
}

/**
 * The row after a drain has brought an older version than the answer to an edit did: the fields that were `sent` lie on
 * top, all others are the drain's.
 */
export function underAnswer(record, row, sent) {
    if (sent.length === 0 || row.server_version <= seen(record)) return seenAt(record, seen(record));
    const over = (values, names) => ({ ...values, ...row.values, ...only(values, names) });
    const _base = record._base && { ...record._base, values: over(record._base.values, sent) };
    return seenAt({ ...record, values: over(record.values, [...sent, ...record._changed]), _base }, row.server_version);
}

/** The row as the app sees it. */
export const shown = ({ id, project_id, server_version, values, _status, _changed }) =>
    ({ ...values, id, project_id, server_version, _status, _changed });
