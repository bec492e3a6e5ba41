// How a collection's table is set up, kept in this browser: `{ columns, sort }`. It holds nothing of the rows.

const key = collection => `tidemark-table ${collection}`;

/** What was chosen for a collection. Without storage, or with something else in it, nothing was. */
export function readChoice(collection, storage = globalThis.localStorage) {
    try {
        const { columns, sort } = JSON.parse(storage.getItem(key(collection))) ?? {};
        return { columns: isNames(columns) ? columns : null, sort: isSort(sort) ? sort : null };
    } catch {
        return { columns: null, sort: null };
    }
}

export function keepChoice(collection, choice, storage = globalThis.localStorage) {
    try {
        storage.setItem(key(collection), JSON.stringify(choice));
    } catch {
        // Then the choice holds for this page.
    }
}

const isNames = columns => Array.isArray(columns) && columns.every(name => typeof name === 'string');
const isSort = sort => typeof sort?.name === 'string' && typeof sort.descending === 'boolean';
