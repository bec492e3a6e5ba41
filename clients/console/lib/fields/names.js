// Names of the schema as words: `planned_start` is “Planned start”, `NOT_STARTED` is “Not started”.

const KNOWN = new Map([['id', 'ID'], ['url', 'URL'], ['wbs_path', 'WBS path'], ['short_id', 'Short ID']]);

/** A name of a field or of a collection. */
export function words(name) {
    const known = KNOWN.get(name);
    if (known) return known;
    const text = name.replace(/_ids$/, 's').replace(/^is_|_id$/g, '').replaceAll('_', ' ').trim().toLowerCase();
    return text === '' ? name : text[0].toUpperCase() + text.slice(1);
}

/** A value of an enumeration. Short codes such as `FS` stay as they are. */
export function choiceWords(value) {
    if (typeof value !== 'string') return String(value);
    if (value === '' || (value.length <= 3 && value === value.toUpperCase())) return value;
    return /^[A-Za-z0-9_]+$/.test(value) ? words(value) : value;
}

/** One of a collection's rows, in lower case: “task”, “time entry”. */
export function singular(collection) {
    const text = words(collection).toLowerCase();
    if (text.endsWith('ies')) return `${text.slice(0, -3)}y`;
    return text.endsWith('s') && !text.endsWith('ss') ? text.slice(0, -1) : text;
}

/** “1 task”, “12 tasks”. */
export const counted = (count, collection) =>
    `${count.toLocaleString()} ${count === 1 ? singular(collection) : words(collection).toLowerCase()}`;

/** “3 tasks, 2 dependencies and 1 risk”, of numbers by collection. */
export function listed(counts) {
    const parts = [...counts].map(([collection, count]) => counted(count, collection));
    return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
