// Which fields a table shows, and how wide.

/** Columns of a table that nobody has chosen. */
const MOST = 12;

const WIDTHS = new Map([
    ['integer', 104], ['number', 104], ['boolean', 96], ['date', 128], ['time', 96], ['instant', 176], ['choice', 136],
    ['zone', 144], ['weekdays', 136], ['user', 160], ['reference', 208], ['references', 208], ['users', 208],
    ['texts', 176], ['long text', 240], ['data', 176],
]);
const NAME_WIDTH = 288;

/** The width of a field's column in pixels. Its heading fits, too. `space` is what the table has. */
export function widthOf(collection, field, space = Infinity) {
    if (field === collection.nameField) return Math.max(120, Math.min(NAME_WIDTH, Math.round(space * .4)));
    const least = field.kind === 'text' && field.document.maxLength <= 16 ? 104 : 176;
    return Math.max(WIDTHS.get(field.kind) ?? least, 44 + Math.ceil(field.label.length * 7.2));
}

/**
 * All fields of a collection in the order of columns. The schema is served without an order of its own, so it is by
 * what people look for: the name, what a row can't be without, how far it is, who, when, how much; long texts and what
 * the server writes come last.
 */
export function inColumnOrder({ fields, nameField }) {
    const place = field => (field === nameField ? -1 : placeOf(field));
    return [...fields].sort((one, other) => place(one) - place(other)
        || one.isNullable - other.isNullable || sideOf(one) - sideOf(other) || (one.name < other.name ? -1 : 1));
}

const PLACES = new Map(['choice', 'user', 'percent', 'date', 'integer', 'number', 'reference', 'references', 'users',
    'boolean', 'weekdays', 'text', 'time', 'zone', 'texts', 'instant', 'long text', 'data'].map((kind, place) => [kind, place]));

/** Fields that clients may write, but people don't. */
const BY_PROGRAMS = new Set(['modified_at', 'rank']);

function placeOf(field) {
    if (field.document['x-value'] === 'short-id') return -0.5;
    if (field.isRequired) return -0.2;
    const kind = field.isNumeric && field.isPercent ? 'percent' : field.kind;
    // A number that may be missing is an estimate or the like.
    const place = field.isNumeric && field.isNullable ? PLACES.get('time') : PLACES.get(kind) ?? PLACES.size;
    const isPlain = !field.isReadOnly && field.document['x-role'] === undefined && !BY_PROGRAMS.has(field.name);
    return isPlain ? place : place + 100;
}

/** A start comes before its end. */
const sideOf = ({ name }) => (/(^|_)(start|from)/.test(name) ? 0 : /(^|_)(finish|end|until)/.test(name) ? 2 : 1);

/** The fields that a table shows before anybody chooses: the first ones that people write. */
export function standardColumns(collection) {
    const isPlain = field => field === collection.nameField || placeOf(field) < 100;
    const plain = inColumnOrder(collection).filter(isPlain).map(({ name }) => name);
    return plain.length > 0 ? plain.slice(0, MOST) : inColumnOrder(collection).slice(0, MOST).map(({ name }) => name);
}

/** The fields that a table shows, of what was chosen once; the collection may have changed since. */
export function chosenFields(collection, chosen) {
    const names = new Set(chosen ?? standardColumns(collection));
    const fields = inColumnOrder(collection).filter(({ name }) => names.has(name));
    return fields.length > 0 || chosen === null ? fields : chosenFields(collection, null);
}
