/**
 * What a transaction has changed:
 * - `rows`: the ids of the rows, by `collection project`. Null in place of ids that are many, or not known; `*` is
 *   everything
 * - `revision`: how many transactions have changed rows by then; null if that is not known. Whoever misses one sees that
 *   in the next
 * - `life`: the copy's. It is another one whenever everything was wiped
 *
 * A window of an earlier version counts nothing, and tells no ids.
 */
export class Change {
    constructor({ revision = null, life = null } = {}, rows = new Map()) {
        Object.assign(this, { revision, life, rows });
    }

    /** The message to other windows. `keys` is for windows that an earlier version of this module has opened. */
    get message() {
        const { revision, life, rows } = this;
        return { revision, life, rows, keys: [...rows.keys()] };
    }

    static from({ revision, life, rows, keys }) {
        return new Change({ revision, life }, rows ?? new Map(keys.map(key => [key, null])));
    }

    static everything() {
        return new Change({}, new Map([['*', null]]));
    }

    /** The ids of a collection's rows, or of one project's. Null if they are not known, undefined if there are none. */
    ids(collection, project) {
        if (this.rows.has('*')) return null;
        const isAsked = key => (project === null ? key.startsWith(`${collection} `) : key === `${collection} ${project}`);
        const found = [...this.rows].filter(([key]) => isAsked(key)).map(([, ids]) => ids);
        if (found.length === 0) return undefined;
        return found.includes(null) ? null : found.flatMap(ids => [...ids]);
    }
}
