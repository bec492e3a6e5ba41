import { filterOf, folded, searchOf } from './filter.js';
import { inPlanOrder } from '../plan/model/tree.js';
import { sorted } from './sort.js';

/**
 * The rows that a table shows, in its order. `query` is `{ search, filters, sort }`: `filters` is a Map of what is
 * typed by the field's name, `sort` is `{ name, descending }` or null. `shown(field, row)` is a field's text.
 */
export function arranged(rows, collection, fields, { search, filters, sort }, shown) {
    const tests = [...filters].flatMap(([name, typed]) => {
        const field = collection.field(name);
        const test = field && filterOf(field, typed);
        return test ? [row => test(row[name] ?? null, shown(field, row))] : [];
    });
    const isFound = searchOf(search);
    if (isFound) tests.push(row => isFound(folded(`${fields.map(field => shown(field, row)).join(' ')} ${row.id}`)));
    const field = sort && collection.field(sort.name);
    const standing = field ? rows : inOwnOrder(rows, collection);
    const found = tests.length > 0 ? standing.filter(row => tests.every(test => test(row))) : standing;
    return field ? sorted(found, field, sort.descending, shown) : found;
}

/** Tasks stand as in the plan, other rows as they were made. */
const inOwnOrder = (rows, collection) =>
    (collection.name === 'tasks' ? inPlanOrder(rows) : inOrderOfMaking(rows, collection));

/** New rows come last. A collection without numbers or instants of making has the order of ids. */
function inOrderOfMaking(rows, { fields }) {
    const ofValue = value => fields.find(({ document }) => document['x-value'] === value);
    const field = ofValue('short-id') ?? ofValue('created-at');
    if (!field) return rows;
    const keyOf = row => row[field.name] ?? '\uffff';
    return [...rows].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : keyOf(one) > keyOf(other) ? 1 : 0));
}
