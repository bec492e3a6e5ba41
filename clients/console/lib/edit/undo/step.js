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

/** Whether two values of a field are the same. */
export const areSame = (one, other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

const only = (row, names) => Object.fromEntries(names.map(name => [name, row[name] ?? null]));
