/**
 * What the server answered for rows that WatermelonDB still treats as unsent: which columns were sent with
 * which values, by collection and id.
 */
export class Answered {
    _rows = new Map();

    /**
     * Adds an answered batch. `refused` has the ids of rows that the server did not accept and that still have to be
     * sent, by collection: new rows, and all rows of a project that can't be written to.
     */
    add(changes, refused = {}) {
        for (const [collection, { created, updated, deleted }] of Object.entries(changes)) {
            const isRefused = id => refused[collection]?.includes(id);
            for (const row of [...created, ...updated]) {
                if (isRefused(row.id)) continue;
                const key = `${collection}/${row.id}`;
                const columns = created.includes(row) ? Object.keys(row) : changedColumns(row);
                this.addValues(key, Object.fromEntries(columns.map(column => [column, row[column]])));
            }
            for (const id of deleted) if (!isRefused(id)) this._rows.set(`${collection}/${id}`, { isDeleted: true });
        }
    }

    addValues(key, values) {
        this._rows.set(key, { values: { ...this._rows.get(key)?.values, ...values } });
    }

    /**
     * What is left to send of an edit: null for nothing, or the edit with fewer columns. Undefined if the row is not in
     * here, or if the edit is of another kind (a deletion of a row that was sent).
     */
    rest(edit) {
        const sent = this._rows.get(`${edit.collection}/${edit.id}`);
        if (!sent || Boolean(sent.isDeleted) !== (edit.kind === 'deleted')) return undefined;
        if (sent.isDeleted) return null;
        const isNew = column => !(column in sent.values) || sent.values[column] !== edit.row[column];
        const columns = (edit.kind === 'created' ? named(edit.row) : changedColumns(edit.row)).filter(isNew);
        return columns.length ? { ...edit, row: { ...edit.row, _changed: columns.join(',') } } : null;
    }
}

/** The columns that WatermelonDB marks as edited. */
export const named = row => (row._changed ?? '').split(',').filter(Boolean);

/** The columns that the server reads from an edited row: those in `_changed`, or all if it is empty. */
export function changedColumns(row) {
    const columns = named(row);
    return columns.length ? columns : Object.keys(row).filter(column => column !== 'id' && !column.startsWith('_'));
}
