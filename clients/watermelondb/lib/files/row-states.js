import { filesNamed } from '../common/files/named.js';

/** Rows that are remembered of an entry. */
const MOST_ROWS = 8;
/** How often a file is sent again for rows that had never said that it is stored. They may be somebody else's. */
const MOST_AGAIN = 3;

/**
 * What rows of a pull say of files: `{ row, digest, project, state, size, collection, values }`. `collections` are
 * those of `Schemas`.
 */
export function* statesOf(changes, collections, ownProject) {
    for (const [name, { created = [], updated = [] }] of Object.entries(changes)) {
        const fields = collections.get(name)?.files ?? [];
        for (const row of [...created, ...updated]) {
            for (const said of filesNamed(row, fields, ownProject ?? row.project_id)) {
                yield { ...said, row: `${name}/${row.id}`, collection: name, values: row };
            }
        }
    }
}

/**
 * How an entry changes when a row says this; null if it does not. A row that was `stored` and is `pending` again is of
 * a server that was restored: it needs the bytes. `began`: when the pull began.
 */
export function heard(entry, { row, state }, began) {
    const { isOwn, rows, storedAt, again } = entry;
    if (!isOwn) return null;
    if (state === 'stored') return rows.includes(row) || rows.length === MOST_ROWS ? null : { rows: [...rows, row] };
    if (state !== 'pending' || entry.state !== 'stored') return null;
    const resent = { state: 'waiting', sent: 0, upload: null, storedAt: null, rows: [] };
    if (rows.includes(row)) return resent;
    return rows.length === 0 && storedAt < began && again < MOST_AGAIN ? { ...resent, again: again + 1 } : null;
}
