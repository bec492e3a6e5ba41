import { readFileSync, readdirSync } from 'node:fs';
import { Catalog } from '../../lib/fields/catalog.js';
import { Names } from '../../lib/fields/row-name.js';

const folder = new URL('../../../../Schemas/collections/', import.meta.url);

/** The built-in schema, as `GET /schemas/` sends it. */
export const schema = {
    schema_version: 'test',
    collections: readdirSync(folder).map(file => JSON.parse(readFileSync(new URL(file, folder), 'utf8')))
        .sort((one, other) => one['x-order'] - other['x-order']),
};

export const catalog = new Catalog(schema);

export const field = (collection, name) => catalog.collection(collection).field(name);

/** The rows of a project as `ProjectRows` has them: `{ tasks: [row, …] }`. */
export const rowsOf = lists => name => lists[name] && new Map(lists[name].map(row => [row.id, row]));

export const names = lists => new Names(catalog, rowsOf(lists));

/** Texts that break careless pages. */
export const NASTY = [
    '<img src=x onerror=alert(1)>', '"><script>alert(1)</script>', '\u202egnp.exe\u202c', 'مرحبا بالعالم',
    '👩‍👩‍👧‍👦', 'one\ntwo\r\nthree', 'W'.repeat(255), '__proto__', 'constructor', 'toString', '   ', '\u200b\u200b',
    '{{7*7}}', '&lt;b&gt;', 'a\tb\u0001c', '-', '*', '.*', '(', '\\', '\ud800',
];
