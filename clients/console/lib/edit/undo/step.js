/**
 * What an edit layer's step did, as values. A step is `{ name, acts }`, and an act is one of
 * - `{ collection, id, after, before }`: fields of a row were changed,
 * - `{ collection, id, insert }`: a row was added; `insert` is what it was made of,
 * - `{ collection, id, deletion }`: a row is deleted after a while: see waiting.js.
 *
 * `refused` of an act says why the server did not take it, by field; of a new row or a deletion under `''`.
 */

/** The act of a change that was made; null if nothing was changed. `outcome` is `Edited` of clients/web. */
export function actOf({ collection, insert, update }, { id, before, after, left }) {
    if (insert) return { collection, id, insert: { ...insert, id, project_id: after.project_id }, made: after, refused: {} };
    const names = Object.keys(update).filter(name => !left.includes(name) && !areSame(before[name], update[name]));
    if (names.length === 0) return null;
    return { collection, id, before: only(before, names), after: only(update, names), refused: {} };
}

/** The edit that takes an act back; null if there is nothing to take back. */
export function backOf(act, catalog) {
    const { collection, id, insert, made, before, after, refused } = act;
    if (insert) return { collection, id, delete: true, isUnused: true, expected: writable(catalog, collection, made) };
    const names = Object.keys(after).filter(name => !Object.hasOwn(refused, name));
    return names.length === 0 ? null : { collection, id, update: only(before, names), expected: only(after, names) };
}

/** The edit that does an act again. A new row comes with another id: `withIDs` has given it. */
export function againOf({ collection, id, insert, before, after }) {
    return insert ? { collection, id, insert } : { collection, id, update: after, expected: before };
}

/**
 * The step with other ids, in place of those that a deletion has used up: as ids of rows, and wherever a field refers
 * to them.
 */
export function withIDs(step, ids, catalog) {
    const other = (collection, id) => ids.get(`${collection} ${id}`) ?? id;
    const values = (collection, row) => row && Object.fromEntries(Object.entries(row).map(([name, value]) => {
        const reference = catalog.collection(collection)?.field(name)?.reference ?? null;
        if (reference === null) return [name, value];
        return [name, Array.isArray(value) ? value.map(id => other(reference, id)) : other(reference, value)];
    }));
    return { ...step, acts: step.acts.map(act => {
        const { collection, id } = act;
        const acted = { ...act, id: other(collection, id) };
        for (const part of ['insert', 'before', 'after']) if (act[part]) acted[part] = values(collection, act[part]);
        if (acted.insert) acted.insert.id = acted.id;
        if (act.rows) acted.rows = act.rows.map(each => ({ ...each, id: other(each.collection, each.id) }));
        return acted;
    }) };
}

/** What a client may write, of a row as it was made. The server writes `modified_at` by itself, too. */
function writable(catalog, collection, row) {
    const fields = catalog.collection(collection)?.fields ?? [];
    return only(row, fields.filter(({ name, isReadOnly }) => !isReadOnly && name !== 'modified_at' && name in row)
        .map(({ name }) => name));
}

/** Whether two values of a field are the same. */
export const areSame = (one, other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

const only = (row, names) => Object.fromEntries(names.map(name => [name, row[name] ?? null]));
