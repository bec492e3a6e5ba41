// What WatermelonDB hands over, as a list of edits: `{ collection, kind, id, row }`.

/**
 * The edits of the collections in `uploadable`, and the ids of all others, by collection. Copies, because the argument
 * is WatermelonDB's. `localColumns` stay here, and an edit of these alone is none.
 */
export function sorted(changes, uploadable, localColumns = {}) {
    const edits = [];
    const kept = {};
    for (const [collection, { created, updated, deleted }] of Object.entries(changes)) {
        const ids = [...created, ...updated].map(row => row.id).concat(deleted);
        if (!ids.length) continue;
        if (!uploadable.has(collection)) {
            kept[collection] = ids;
            continue;
        }
        const local = new Set(localColumns[collection]);
        for (const row of created) edits.push({ collection, kind: 'created', id: row.id, row: cleaned(row, local) });
        for (const row of updated) {
            const copy = cleaned(row, local);
            // Without a name in it the server would take every column for edited.
            if (row._changed && !copy._changed) continue;
            edits.push({ collection, kind: 'updated', id: row.id, row: copy });
        }
        for (const id of deleted) edits.push({ collection, kind: 'deleted', id });
    }
    return { edits, kept };
}

/** The `changes` of an upload with these edits. */
export function changesOf(edits) {
    const changes = {};
    for (const { collection, kind, id, row } of edits) {
        if (!changes[collection]) changes[collection] = { created: [], updated: [], deleted: [] };
        changes[collection][kind].push(kind === 'deleted' ? id : row);
    }
    return changes;
}

/**
 * Without what stays here, and what no server can store: U+0000, and halves of surrogate pairs, which make the whole
 * body unreadable. A row that is sent otherwise than it is here asks to be delivered again.
 */
function cleaned(row, local) {
    const copy = {};
    for (const [column, value] of Object.entries(row)) {
        if (column === '_status' || local.has(column)) continue;
        copy[column] = typeof value === 'string' && column !== 'id' ? wellFormed(value) : value;
        if (copy[column] !== value) copy._redeliver = true;
    }
    if (local.size && row._changed) {
        copy._changed = row._changed.split(',').filter(column => !local.has(column)).join(',');
    }
    return copy;
}

function wellFormed(text) {
    if (!/[\u0000\uD800-\uDFFF]/.test(text)) return text;
    return text.replace(/\u0000/g, '')
        .replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]|[\uD800-\uDFFF]/g, match => (match.length === 2 ? match : '\uFFFD'));
}

/**
 * The edits in an order in which every beginning of the list makes sense by itself: rows after the rows that they refer
 * to, deletes at the end. By that a tree that was turned over is never a circle between two batches.
 */
export function parentsFirst(edits, collections) {
    const rows = edits.filter(edit => edit.kind !== 'deleted');
    const byKey = new Map(rows.map(edit => [`${edit.collection}/${edit.id}`, edit]));
    const parents = edit => (collections.get(edit.collection)?.references ?? []).flatMap(({ field, collection }) =>
        ids(edit.row[field]).map(id => byKey.get(`${collection}/${id}`)).filter(parent => parent && parent !== edit));
    const entered = new Set();
    const ordered = [];
    for (const root of rows) if (!entered.has(root)) walk(root, parents, entered, ordered);
    return [...ordered, ...edits.filter(edit => edit.kind === 'deleted')];
}

/** Depth first, without recursion: a chain of tasks can be longer than the stack is deep. */
function walk(root, parents, entered, ordered) {
    const path = [];
    const enter = edit => {
        entered.add(edit);
        path.push({ edit, parents: parents(edit) });
    };
    enter(root);
    while (path.length) {
        const top = path[path.length - 1];
        const next = top.parents.pop();
        if (next === undefined) ordered.push(path.pop().edit);
        else if (!entered.has(next)) enter(next);
    }
}

/** A reference, or the JSON text of a list of them. */
function ids(value) {
    if (typeof value !== 'string' || value === '') return [];
    if (!value.startsWith('[')) return [value];
    try {
        return JSON.parse(value);
    } catch {
        return [];
    }
}

export function chunks(list, size) {
    const parts = [];
    for (let start = 0; start < list.length; start += size) parts.push(list.slice(start, start + size));
    return parts;
}
