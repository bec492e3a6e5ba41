import { element } from '../elements.js';
import { textOf } from '../fields/format.js';
import { inColumnOrder } from '../query/columns.js';

const NOTHING = '(nothing)';

/**
 * A table of edited fields: what was written here, and what the server has. `present` is the row as it is now, of an
 * edit that is not in it any more; null if there is none. `names` are a project's, see fields/row-name.js.
 */
export function valueTable(collection, { values, changed, base, status }, present, names) {
    const shown = status === 'created' ? writtenIn(collection, values) : changed;
    const fields = shown.map(name => collection.field(name)).filter(Boolean);
    if (fields.length === 0 || status === 'deleted') return null;
    const server = present ?? base;
    const sides = [['Yours', values], ...(server ? [[present ? 'Now' : 'On the server', server]] : [])];
    return element('div', { class: 'values' }, element('table', {},
        element('thead', {}, element('tr', {}, element('th', { scope: 'col', text: 'Field' }),
            sides.map(([title]) => element('th', { scope: 'col', text: title })))),
        element('tbody', {}, fields.map(field => element('tr', {}, element('th', { scope: 'row', text: field.label }),
            sides.map(([, side]) => valueCell(field, side, names)))))));
}

function valueCell(field, side, names) {
    const text = textOf(field, side[field.name] ?? null, names);
    return element('td', { dir: 'auto', class: text ? 'text' : 'muted', text: text || NOTHING });
}

/** The fields of a new row that have something other than the schema's value. */
const writtenIn = (collection, values) => inColumnOrder(collection).filter(({ name, isReadOnly, standard }) =>
    !isReadOnly && values[name] !== undefined && JSON.stringify(values[name]) !== JSON.stringify(standard))
    .map(({ name }) => name);
