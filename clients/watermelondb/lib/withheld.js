import { changedColumns, named } from './answered.js';
import { wellFormed } from './changes.js';
import { LongTexts } from './long-texts.js';
import { parsed } from './storage.js';

/**
 * Rows of which the server accepted everything except columns that it does not have. WatermelonDB treats them as
 * unsent, so it hands them over with every push. What the server accepted must not be sent again: it could
 * overwrite newer edits of others.
 */
export class Withheld {
    /**
     * By collection and id: the `values` that were answered and the `fields` that are unknown. A row without unknown
     * fields stays until WatermelonDB knows that, since an answer may still have to be settled.
     */
    _rows = null;

    constructor(storage, prefix) {
        this.texts = new LongTexts(storage);
        this.key = `${prefix}withheld`;
    }

    async has({ collection, id }) {
        return (await this._load())[keyOf(collection, id)]?.fields.length > 0;
    }

    async isEmpty() {
        return Object.keys(await this._load()).length === 0;
    }

    /** Notes what the answer to a batch says about its rows. */
    async note(changes, answer) {
        const rows = await this._load();
        const before = JSON.stringify(rows);
        for (const [collection, { created, updated, deleted }] of Object.entries(changes)) {
            const unknown = (answer.skipped?.[collection] ?? []).filter(({ code }) => code === 'unknown_field');
            // Nothing of a row that stays unsent was accepted.
            const isAccepted = id => !answer.rejected_ids?.[collection]?.includes(id);
            const accepted = list => list.filter(row => isAccepted(row.id));
            for (const row of accepted(created)) noteRow(rows, collection, row, named(row), unknown);
            for (const row of accepted(updated)) noteRow(rows, collection, row, changedColumns(row), unknown);
            for (const id of deleted.filter(isAccepted)) delete rows[keyOf(collection, id)];
        }
        if (JSON.stringify(rows) !== before) await this._save();
    }

    /**
     * The edits without the columns that were already accepted. Edits of which nothing is left are dropped. `known`
     * returns the fields that the server's collection has now.
     */
    async reduced(edits, known) {
        const rows = await this._load();
        const rest = edit => {
            const row = rows[keyOf(edit.collection, edit.id)];
            if (!row || edit.kind === 'deleted') return edit;
            const columns = new Set(columnsOf(edit).filter(column => row.values[column] !== edit.row[column]));
            for (const field of row.fields) if (known(edit.collection).has(field)) columns.add(field);
            return columns.size ? { ...edit, row: { ...edit.row, _changed: [...columns].join(',') } } : null;
        };
        return edits.map(rest).filter(Boolean);
    }

    /**
     * The conflict resolver of `synchronize()`, in front of the app's own. In a column that the server has answered
     * nothing is unsent, so its value wins, and the row follows other people's edits. Only what was loaded counts: see
     * `load`.
     */
    resolver(next = null) {
        return (table, local, remote, resolved) => {
            const row = this._resolved(table, local, remote, resolved);
            return next ? next(table, local, remote, row) : row;
        };
    }

    /** Gets everything ready for the resolver, which can't wait. */
    load() {
        return this._load();
    }

    /** The columns in which the server's values win. */
    taken(table, local, remote) {
        const row = this._rows?.[keyOf(table, local.id)];
        const isAnswered = column => column in remote && column in row.values && !row.fields.includes(column)
            && row.values[column] === wellFormed(local[column]);
        return row ? named(local).filter(isAnswered) : [];
    }

    _resolved(table, local, remote, resolved) {
        const taken = this.taken(table, local, remote);
        if (!taken.length) return resolved;
        const _changed = named(local).filter(column => !taken.includes(column)).join(',');
        const _status = _changed || resolved._status !== 'updated' ? resolved._status : 'synced';
        const values = Object.fromEntries(taken.map(column => [column, remote[column]]));
        return { ...resolved, ...values, _changed, _status };
    }

    /** Adds what was answered for rows in batches older than those in the outbox. */
    async addTo(answered) {
        for (const [key, { values }] of Object.entries(await this._load())) answered.addValues(key, values);
    }

    /**
     * Drops rows that are no longer unsent, and values of columns that are not: if one of these is edited again, it is
     * a new edit, even with the same value. `edits` are all that WatermelonDB has.
     */
    async prune(edits) {
        const unsent = new Map(edits.map(edit => [keyOf(edit.collection, edit.id), edit]));
        await this._drop((key, { fields }) => !unsent.has(key) || !fields.length);
        const rows = await this._load();
        const before = JSON.stringify(rows);
        for (const [key, { kind, row }] of unsent) {
            if (!rows[key] || kind === 'deleted') continue;
            const isUnsent = ([column]) => named(row).includes(column);
            rows[key].values = Object.fromEntries(Object.entries(rows[key].values).filter(isUnsent));
        }
        if (JSON.stringify(rows) !== before) await this._save();
    }

    /** Drops the rows that this pull takes away: a row that comes back is another one. */
    async dropGone({ changes, experimentalStrategy: strategy }) {
        if (await this.isEmpty()) return;
        const keysOf = (name, ids) => ids.map(id => keyOf(name, id));
        const tables = Object.entries(changes);
        const deleted = new Set(tables.flatMap(([name, bucket]) => keysOf(name, bucket.deleted)));
        const served = new Set(tables.flatMap(([name, { created, updated }]) =>
            keysOf(name, [...created, ...updated].map(({ id }) => id))));
        const isReplaced = key => strategy === 'replacement'
            || strategy?.override[key.slice(0, key.indexOf('/'))] === 'replacement';
        await this._drop(key => deleted.has(key) || (isReplaced(key) && !served.has(key)));
    }

    dropDone() {
        return this._drop((key, { fields }) => !fields.length);
    }

    async _drop(isGone) {
        const rows = await this._load();
        const gone = Object.keys(rows).filter(key => isGone(key, rows[key]));
        for (const key of gone) delete rows[key];
        if (gone.length) await this._save();
    }

    async forget() {
        this._rows = {};
        await this.texts.remove(this.key);
    }

    async _load() {
        this._rows ??= parsed(await this.texts.get(this.key)) ?? {};
        return this._rows;
    }

    async _save() {
        if (await this.isEmpty()) await this.texts.remove(this.key);
        else await this.texts.set(this.key, JSON.stringify(this._rows));
    }
}

const keyOf = (collection, id) => `${collection}/${id}`;

const columnsOf = ({ kind, row }) => (kind === 'created' ? named(row) : changedColumns(row));

function noteRow(rows, collection, row, columns, unknown) {
    const key = keyOf(collection, row.id);
    const { values = {}, fields = [] } = rows[key] ?? {};
    const reported = unknown.filter(({ id }) => id === row.id).map(({ field }) => field);
    const missing = [...new Set([...fields.filter(field => !columns.includes(field)), ...reported])];
    if (!missing.length && !rows[key]) return;
    // A new row is sent whole, whatever its `_changed` says.
    for (const column of new Set([...columns, ...reported])) values[column] = row[column];
    rows[key] = { values, fields: missing };
}
