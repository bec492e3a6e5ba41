// The edits that take acts of a step back, or do them again: see step.js.

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

const only = (row, names) => Object.fromEntries(names.map(name => [name, row[name] ?? null]));
