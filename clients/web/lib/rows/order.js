import { elementOf } from './sent.js';

/**
 * The rows of a push in groups that can be cut into batches between any two of them:
 * - Deletions that can't take other rows along come first. They may free the unique key of a new row.
 * - A new row comes after the new rows that it refers to. A new project refers to its calendar, which belongs to it:
 *   they are one group.
 * - Edits come after all new rows.
 * - The other deletions come last. The server deletes a row's children with it, and an edit may have moved a child
 *   elsewhere before. Children come before their parents, since a row that is in use may not be deleted.
 */
export function inOrder(rows, schema) {
    const placement = new Placement(rows.filter(({ bucket }) => bucket === 'created'), schema);
    const projects = placement.rows.filter(({ collection }) => collection === 'projects')
        .map(row => placement.place(row)).filter(group => group.length > 0);
    const created = placement.rows.flatMap(row => placement.place(row));
    const parents = new Set(schema.collections.flatMap(({ references }) => references.map(each => each.reference)));
    const deleted = rows.filter(({ bucket }) => bucket === 'deleted');
    const alone = list => list.map(row => [row]);
    return [
        ...alone(deleted.filter(({ collection }) => !parents.has(collection))),
        ...projects, ...alone(created), ...alone(rows.filter(({ bucket }) => bucket === 'updated')),
        ...alone(deleted.filter(({ collection }) => parents.has(collection)).reverse()),
    ];
}

/** The rows of the first groups that fit together; at least one group, even if it is too large. */
export function firstThatFit(groups, limits) {
    const result = [];
    let bytes = 0;
    for (const group of groups) {
        bytes += group.reduce((sum, row) => sum + JSON.stringify(elementOf(row)).length, 0);
        const fits = result.length + group.length <= limits.rows && bytes <= limits.bytes;
        if (result.length > 0 && !fits) break;
        result.push(...group);
        if (!fits) break;
    }
    return result;
}

class Placement {
    _placed = new Set();

    constructor(rows, schema) {
        this.rows = rows;
        this._schema = schema;
        this._byKey = new Map(rows.map(row => [keyOf(row), row]));
    }

    /** The row after everything it refers to, without what has a place. A chain may be too long for recursion. */
    place(row) {
        const [result, stack, waiting] = [[], [row], new Set([row])];
        while (stack.length > 0) {
            const top = stack.at(-1);
            const missing = this._references(top).find(each => !this._placed.has(each) && !waiting.has(each));
            if (missing) {
                stack.push(missing);
                waiting.add(missing);
            } else {
                stack.pop();
                if (!this._placed.has(top)) result.push(top);
                this._placed.add(top);
            }
        }
        return result;
    }

    _references(row) {
        const { references = [] } = this._schema.collection(row.collection) ?? {};
        return references.flatMap(({ name, reference }) => {
            const value = name === 'project_id' ? row.project_id : row.values[name];
            return [value ?? []].flat().map(id => this._byKey.get(keyOf({ collection: reference, id })))
                .filter(Boolean);
        });
    }
}

const keyOf = ({ collection, id }) => `${collection} ${id}`;
