import { dayOptions } from '../fields/weekdays.js';

// What a picker offers for a field.

/** The most options that a picker shows at once; typing finds the others. */
const SHOWN = 100;

/**
 * The values that a field can have, as `{ value, label, hint }`. `row` is the row that is edited, null for a new one:
 * no row can refer to itself.
 */
export function optionsOf(field, names, rowsOf, row = null) {
    switch (field.kind) {
        case 'choice': return field.choices;
        case 'boolean': return [{ value: true, label: 'Yes' }, { value: false, label: 'No' }];
        case 'user': case 'users': return names.members.map(({ id, name }) => ({ value: id, label: name }));
        case 'weekdays': return dayOptions();
        case 'zone': return zones();
        case 'reference': case 'references': return rowOptions(field.reference, names, rowsOf, row);
        default: return [];
    }
}

function rowOptions(collection, names, rowsOf, row) {
    return [...rowsOf(collection)?.values() ?? []].filter(each => each.id !== row?.id)
        .map(each => ({ value: each.id, label: names.of(collection, each), hint: each.short_id ?? '' }))
        .sort((one, other) => one.label.localeCompare(other.label, undefined, { numeric: true }));
}

function zones() {
    const known = Intl.supportedValuesOf?.('timeZone') ?? [];
    return [...new Set(['UTC', ...known])].map(value => ({ value, label: value.replaceAll('_', ' ') }));
}

/** The first options that have the typed text, and how many there are in all. */
export function found(options, typed, folded) {
    const words = folded(typed).split(/\s+/).filter(Boolean);
    const matching = words.length === 0 ? options : options.filter(({ label, hint = '' }) => {
        const text = folded(`${label} ${hint}`);
        return words.every(word => text.includes(word));
    });
    return { shown: matching.slice(0, SHOWN), count: matching.length };
}
