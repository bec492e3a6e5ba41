// Filters as texts in normal form, as copies keep them and requests have them: see part-filter.js.

/** The filter of those who ask for everything. */
export const EVERYTHING = '{}';

/** The text of a filter in its normal form, which goes into requests. */
export const textOf = filter => JSON.stringify(filter);

/** Whether two texts of filters in normal form ask for the same rows, in whatever order. */
export const isSameFilter = (one, other) => one === other || sorted(one) === sorted(other);

function sorted(text) {
    const filter = JSON.parse(text);
    const texts = Object.entries(filter).map(([name, list]) => [name, list.map(each => JSON.stringify(each)).sort()]);
    return JSON.stringify(texts);
}
