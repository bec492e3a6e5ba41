// Converts WatermelonDB's changes to a list of edits: `{ collection, kind, id, row }`.
import { changedColumns } from './answered.js';

/**
 * The edits of the collections in `uploadable`, and what is not to be sent: `kept` has the ids of all other
 * collections and of new rows of another project, `unsent` the keys of the new rows among these. The edits are copies,
 * because the argument belongs to WatermelonDB. `localColumns` are not sent; an edit of only these is left out.
 * `project` is null if the batch may have rows of all projects.
 */
export function sorted(changes, uploadable, localColumns = {}, project = null) {
    const edits = [];
    const kept = {};
    const unsent = [];
    for (const [collection, { created, updated, deleted }] of Object.entries(changes)) {
        const ids = [...created, ...updated].map(row => row.id).concat(deleted);
        if (!ids.length) continue;
        if (!uploadable.has(collection)) {
            kept[collection] = ids;
            for (const row of created) unsent.push(keyOf(collection, row.id));
            continue;
        }
        const local = new Set(localColumns[collection]);
        for (const row of created) {
            // The server would create the row in the project of the upload.
            if (project !== null && row.project_id && row.project_id !== project) {
                (kept[collection] ??= []).push(row.id);
                unsent.push(keyOf(collection, row.id));
                continue;
            }
            edits.push({ collection, kind: 'created', id: row.id, row: cleaned(row, local) });
        }
        for (const row of updated) {
            const copy = cleaned(row, local);
            // With an empty `_changed`, the server would treat every column as edited.
            if (row._changed && !copy._changed) continue;
            edits.push({ collection, kind: 'updated', id: row.id, row: copy });
        }
        for (const id of deleted) edits.push({ collection, kind: 'deleted', id });
    }
    return { edits, kept, unsent };
}

/**
 * The edits that have to wait for the rows in `unsent`, because they refer to them or to new rows that have to wait
 * themselves. The server would refuse these edits.
 */
export function waiting(edits, unsent, collections) {
    const referring = new Map();
    for (const edit of edits) {
        if (edit.kind === 'deleted') continue;
        const columns = edit.kind === 'created' ? Object.keys(edit.row) : changedColumns(edit.row);
        for (const key of references(edit, collections, columns)) {
            if (!referring.has(key)) referring.set(key, []);
            referring.get(key).push(edit);
        }
    }
    const found = new Set();
    for (const keys = [...unsent]; keys.length;) {
        for (const edit of referring.get(keys.pop()) ?? []) {
            if (found.has(edit)) continue;
            found.add(edit);
            if (edit.kind === 'created') keys.push(keyOf(edit.collection, edit.id));
        }
    }
    return found;
}

/** The member `changes` of an upload with these edits. */
export function changesOf(edits) {
    const changes = {};
    for (const { collection, kind, id, row } of edits) {
        if (!changes[collection]) changes[collection] = { created: [], updated: [], deleted: [] };
        changes[collection][kind].push(kind === 'deleted' ? id : row);
    }
    return changes;
}

/**
 * The row without local columns, and without what no server can store: U+0000, and halves of surrogate pairs, which
 * make the whole body unreadable. A row that is sent with other values than the local ones asks to be delivered again.
 */
function cleaned(row, local) {
    const copy = {};
    for (const [column, value] of Object.entries(row)) {
        if (column === '_status' || local.has(column)) continue;
        // A column that is not filled yet names no project.
        if (column === 'project_id' && value === '') continue;
        copy[column] = column === 'id' ? value : wellFormed(value);
        if (copy[column] !== value) copy._redeliver = true;
    }
    if (local.size && row._changed) {
        copy._changed = row._changed.split(',').filter(column => !local.has(column)).join(',');
    }
    return copy;
}

/** A text without these; any other value as it is. */
export function wellFormed(text) {
    if (typeof text !== 'string' || !/[\u0000\uD800-\uDFFF]/.test(text)) return text;
    return text.replace(/\u0000/g, '')
        .replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]|[\uD800-\uDFFF]/g, match => (match.length === 2 ? match : '\uFFFD'));
}

/**
 * Orders the edits so that the list can be cut anywhere and its first part is valid by itself: rows come
 * after the rows that they refer to, deletions at the end. So if parents and children in a tree trade places,
 * two batches never form a circle.
 */
export function parentsFirst(edits, collections) {
    const rows = edits.filter(edit => edit.kind !== 'deleted');
    const byKey = new Map(rows.map(edit => [keyOf(edit.collection, edit.id), edit]));
    const parents = edit => references(edit, collections, Object.keys(edit.row))
        .map(key => byKey.get(key)).filter(parent => parent && parent !== edit && !isThere(parent));
    const entered = new Set();
    const ordered = [];
    for (const root of rows) if (!entered.has(root)) walk(root, parents, entered, ordered);
    return [...ordered, ...edits.filter(edit => edit.kind === 'deleted')];
}

/** A project that exists has to precede none of its rows, and can refer to new ones: its calendar. */
const isThere = ({ collection, kind }) => collection === 'projects' && kind === 'updated';

/** Depth first and without recursion, since a chain of tasks can exceed the stack. */
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

const keyOf = (collection, id) => `${collection}/${id}`;

/** The keys of the rows that an edit refers to in these columns. */
function references({ collection, row }, collections, columns) {
    const fields = (collections.get(collection)?.references ?? []).filter(({ field }) => columns.includes(field));
    return fields.flatMap(({ field, collection }) => ids(row[field]).map(id => keyOf(collection, id)));
}

/** The ids in a reference, or in the JSON text of a list of references. */
function ids(value) {
    if (typeof value !== 'string' || value === '') return [];
    if (!value.startsWith('[')) return [value];
    try {
        return JSON.parse(value);
    } catch {
        return [];
    }
}

/**
 * Cuts edits that are in order into parts. A new project and a new calendar that it names refer to each other: they
 * stay together, whatever the size. Only `isForced`, because the server has refused the two together, are they parted.
 */
export function chunks(edits, size, isForced = false) {
    const parts = [];
    for (let start = 0, end; start < edits.length; start = end) {
        end = Math.min(start + size, edits.length);
        const [last, next] = [edits[end - 1], edits[end]];
        const isPair = namesAsCalendar(last, next) || namesAsCalendar(next, last);
        if (isPair && end - start > 1) end--;
        else if (isPair && !isForced) end++;
        parts.push(edits.slice(start, end));
    }
    return parts;
}

/** Whether one edit is a new project, and the other its calendar, which is new too. */
function namesAsCalendar(project, calendar) {
    return project?.collection === 'projects' && calendar?.collection === 'calendars' && project.kind === 'created'
        && calendar.kind === 'created' && project.row.calendar === calendar.id;
}
