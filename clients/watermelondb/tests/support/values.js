import { readFileSync } from 'node:fs';

/** A value of the file with its long texts, and with texts that only JavaScript can have. */
function unpacked(value) {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(unpacked);
    if (Array.isArray(value.repeat)) return value.repeat[0].repeat(value.repeat[1]);
    if (Array.isArray(value.units)) return String.fromCharCode(...value.units);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unpacked(member)]));
}

/**
 * What the server says of values: `{ collections, cases, halves }`. The clients may accept what it refuses because its
 * list of time zones lacks the name: such a case `isByList`.
 */
export function valueVectors() {
    const { collections, cases, halves } =
        JSON.parse(readFileSync(new URL('../../../../Tests/Vectors/values.json', import.meta.url), 'utf8'));
    const read = each => ({ ...unpacked(each), errors: each.errors, isByList: each.name.endsWith(', by list') });
    return { collections, cases: cases.map(read), halves: halves.map(read) };
}
