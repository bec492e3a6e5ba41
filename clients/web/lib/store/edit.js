import { TidemarkError } from '../common/error.js';
import { asBase, baseWith, cleaned, isLocal, newRecord, shown, takenBack, takenBackIn } from '../rows/record.js';
import { areSame, isID, without } from '../rows/values.js';

// Edits need no server. Each is one transaction, and stays until a push has sent it. An edit releases all refused rows:
// it may make them acceptable, so they are sent again.

/** Adds a row. Fields that are not named get the schema's defaults. */
export async function insertRow(unit, name, { id, project_id, ...values }) {
    const collection = await editable(unit, name);
    if (!isID(id)) {
        const rule = '1 to 64 letters, digits, _ . or -, the first a letter or digit';
        throw refused('invalid_id', `${id} is not a valid id: ${rule}.`);
    }
    if (await unit.rows.get(name, id)) throw refused('row_exists', `${name} already has a row ${id}.`);
    check(unit, collection, values);
    const standard = Object.fromEntries(collection.fields.map(field => [field.name, field.standard]));
    const record = newRecord(name, {
        id, project_id: await projectOf(unit, name, id, project_id), values: { ...standard, ...values },
    }, 'created');
    // What the server's schema lacks so far is sent when it does not any more.
    const _changed = Object.keys(values).filter(each => !collection.field(each));
    // The server says nothing of a project that is outside of the part.
    const isOutside = (await unit.transaction.get('rows', ['projects', record.project_id]))?._outside === true;
    unit.rows.put({ ...record, _changed, ...(isOutside && { _outside: true }) });
}

/** Changes fields of a row. Only those whose value really changes are sent. */
export async function updateRow(unit, name, id, { project_id, ...values }) {
    const collection = await editable(unit, name);
    const record = await liveRow(unit, name, id);
    if (project_id !== undefined && project_id !== record.project_id) {
        throw refused('fixed_project', 'A row stays in its project: project_id can\'t be changed.');
    }
    check(unit, collection, values, record);
    const names = Object.keys(values).filter(field => !areSame(values[field], record.values[field] ?? null));
    if (names.length === 0) return;
    unit.rows.put({
        ...record, values: { ...record.values, ...values },
        _changed: [...record._changed, ...names.filter(field => !record._changed.includes(field))],
        _status: record._status === 'synced' ? 'updated' : record._status, _base: baseWith(record, names),
    });
}

/**
 * Deletes a row. Rows that the server deletes along with it leave with the pull after the push. A new row that was
 * never sent leaves at once, and takes along what the server would have deleted with it.
 */
export async function deleteRow(unit, name, id) {
    await editable(unit, name);
    const record = await liveRow(unit, name, id);
    const batches = await unit.batches();
    if (neverLeft(record, batches)) return new LocalDeletion(unit, batches).run(record);
    const _base = record._status === 'synced' ? asBase(record) : record._base;
    unit.rows.put({ ...record, _status: 'deleted', _base });
    return undefined;
}

/**
 * Several edits in one transaction, each as index.d.ts describes `Edit`. One that can't be made leaves the others alone:
 * returns what became of each, `{ id, before, after, left, error, warnings }`.
 */
export async function editRows(unit, edits) {
    const outcomes = [];
    let open = [...edits.keys()];
    await unit.batches();
    // A row that is only needed by rows that go as well can go once they have gone.
    for (let before = Infinity; open.length < before;) {
        before = open.length;
        for (const run of runsOf(open, edits)) {
            await Promise.all(run.map(async place => {
                outcomes[place] = await edited(unit, edits[place]);
            }));
        }
        open = open.filter(place => outcomes[place].error?.code === 'in_use');
    }
    return outcomes;
}

/**
 * The edits in runs that may be made side by side, since none touches another one's row: a way to the disk and back for
 * each of thousands takes long. A deletion may touch any row, unless its row is unused.
 */
function runsOf(places, edits) {
    const runs = [];
    let keys = null;
    for (const place of places) {
        const { collection, id, delete: isDeletion, isUnused } = edits[place];
        const key = `${collection} ${id}`;
        const isAlone = isDeletion && !isUnused;
        if (keys === null || isAlone || keys.has(key)) {
            runs.push([]);
            keys = new Set();
        }
        runs.at(-1).push(place);
        keys.add(key);
        if (isAlone) keys = null;
    }
    return runs;
}

async function edited(unit, { collection, id, insert, update, expected = {}, isWhole = false, isUnused = false }) {
    const record = await unit.rows.get(collection, id);
    const before = shownOr(record);
    const other = before ? others(before, expected, update) : [];
    const left = isWhole && other.length > 0 ? Object.keys(update) : other;
    const done = async error => {
        const after = shownOr(await unit.rows.get(collection, id));
        const warnings = error ? [] : await unit.judging?.warnings(unit, collection, before, after) ?? [];
        return { id, before, after, left, error, warnings };
    };
    try {
        if (insert) await insertRow(unit, collection, { ...insert, id });
        else if (update) await updateRow(unit, collection, id, without(update, left));
        else if (left.length === 0) await deleteRowIf(unit, collection, id, isUnused);
    } catch (error) {
        if (error instanceof TidemarkError) return done(error);
        throw error;
    }
    return done(null);
}

/** The fields with another value than the expected one. Of an update only those that it would change. */
function others(row, expected, update) {
    const has = (values, name) => areSame(row[name] ?? null, values[name] ?? null);
    return Object.keys(expected).filter(name => !has(expected, name)
        && (!update || (Object.hasOwn(update, name) && !has(update, name))));
}

async function deleteRowIf(unit, collection, id, isUnused) {
    const users = !isUnused ? [] : collection === 'projects' ? await unit.rows.ofProject(id)
        : await unit.rows.referringTo(collection, id);
    if (users.some(each => each._status !== 'deleted' && (each.id !== id || each.collection !== collection))) {
        throw refused('in_use', 'Other rows refer to it.');
    }
    return deleteRow(unit, collection, id);
}

/** A row as the app sees it; null if there is none. */
const shownOr = record => (record && record._status !== 'deleted' ? shown(record) : null);

/** Gives up what is unsent of a row: it is removed if the server does not have it, else it is as the server sent it. */
export async function giveUpRow(unit, name, id) {
    const record = await unit.rows.get(name, id);
    await unit.transaction.delete('refused', [name, id]);
    if (!record || record._status === 'synced') return;
    const batches = await unit.batches();
    if (batches.holds(name, id, ({ answer }) => answer === null)) {
        throw refused('being_sent', 'The edit was sent, and the answer is not there yet.');
    }
    if (record._status === 'created' && record._base === null) unit.rows.remove(record);
    else unit.rows.put(takenBack(record));
}

async function editable(unit, name) {
    if (!unit.schema) throw refused('not_pulled', 'Nothing was pulled yet. Sign in and sync first.');
    // What only the app's schema has, or takes, goes if the server does as well by the next sync: see `sendable`.
    const known = [unit.schema, unit.brought].map(each => each?.collection(name)).filter(each => each);
    if (known.length === 0) throw refused('unknown_collection', `There is no collection ${name}.`);
    if (!known.some(each => each.isUploadable)) {
        throw refused('collection_not_uploadable', `Rows of ${name} can't be edited offline. Use request().`);
    }
    await unit.release();
    return known[0];
}

async function liveRow(unit, name, id) {
    const record = await unit.rows.get(name, id);
    if (!record || record._status === 'deleted') throw refused('unknown_row', `There is no row ${id} in ${name}.`);
    return record;
}

/** If the module that judges could not be loaded, the server judges what can be sent at all. */
function check(unit, collection, values, record = null) {
    if (unit.judging) unit.judging.check(unit, collection, values, record);
    else JSON.stringify(values);
}

/** The project of a new row. A project's own is its id. */
async function projectOf({ rows, project, state }, name, id, given = null) {
    if (name === 'projects') {
        if (given !== null && given !== id) throw refused('fixed_project', 'The project_id of a project is its id.');
        return id;
    }
    const known = given ?? project;
    if (known === null) throw refused('required', `A new row of ${name} needs project_id.`);
    // Nothing of the copy's own project is here before the first pull.
    if (known === project && state.since === 0) return known;
    const record = await rows.get('projects', known);
    if (!record || record._status === 'deleted') throw refused('unknown_project', `There is no project ${known}.`);
    return known;
}

/** Whether only this device knows the row. */
const neverLeft = (record, batches) => isLocal(record) && !batches.holds(record.collection, record.id);

/**
 * Removes a new row that never left the device, and does to the unsent rows that refer to it what the server does in a
 * deletion. The server never hears of the row, so it would refuse them.
 */
class LocalDeletion {
    constructor(unit, batches) {
        Object.assign(this, { unit, rows: unit.rows, batches });
    }

    async run(first) {
        for (const pending = [first]; pending.length > 0;) pending.push(...await this._remove(pending.pop()));
    }

    /** Removes the row. Returns the rows to remove with it. */
    async _remove({ collection, id }) {
        const record = await this.rows.get(collection, id);
        if (!record) return [];
        this.rows.remove(record);
        const referring = collection === 'projects' ? await this.rows.ofProject(id) : [];
        const cascade = referring.filter(each => each.id !== id || each.collection !== collection);
        for (const each of await this.rows.referringTo(collection, id)) {
            if (await this._release(each, collection, id)) cascade.push(each);
        }
        return cascade;
    }

    /** Takes the reference out of a row. Returns whether the row can't be without it. */
    async _release(record, collection, id) {
        if (!['created', 'updated'].includes(record._status)) return false;
        const fields = this.unit.schema.collection(record.collection).references
            .filter(({ reference, name }) => reference === collection && refersTo(record.values[name], id));
        if (fields.some(({ onDelete }) => onDelete === 'cascade') && neverLeft(record, this.batches)) return true;
        this.rows.put(fields.reduce((row, field) => released(row, field, id), record));
        return false;
    }
}

const refersTo = (value, id) => [value ?? []].flat().includes(id);

/** The row without the reference. Where it can't be cleared, the field has the server's value again. */
function released(record, { name, onDelete, isNullable }, id) {
    const value = record.values[name];
    let row = takenBackIn(record, [name]);
    if (onDelete === 'clear' && Array.isArray(value)) {
        row = { ...record, values: { ...record.values, [name]: value.filter(each => each !== id) } };
    } else if (onDelete === 'clear' && isNullable) {
        row = { ...record, values: { ...record.values, [name]: null } };
    }
    if (record._base && areSame(row.values[name], record._base.values[name])) {
        row = { ...row, _changed: row._changed.filter(each => each !== name) };
    }
    return row._status === 'updated' && row._changed.length === 0 ? cleaned(row) : row;
}

const refused = (code, detail) => new TidemarkError(code, detail);
