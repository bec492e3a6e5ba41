/** Texts above this length get more than a line to edit them in. */
const LONGEST_LINE = 640;

const FORMATS = new Map([['date', 'date'], ['date-time', 'instant'], ['time', 'time'], ['iana-timezone', 'zone']]);

/** So the built-in schema describes such a number. */
const WEEKDAYS = /^Bitmask, Mon=1 … Sun=64/;

/**
 * How a field is shown and edited:
 * - `text` (a line), `long text`, `integer`, `number`, `boolean`
 * - `date`, `instant`, `time`, `zone`
 * - `weekdays`: a whole number with a bit for each day of the week
 * - `choice`: one of the schema's values
 * - `reference`, `references`: a row, or rows, of another collection; `user`, `users`
 * - `texts`: a list of texts; `data`: everything else, as JSON
 */
export function kindOf(name, document) {
    const type = typeOf(document);
    if (document['x-ref']) return type === 'array' ? 'references' : 'reference';
    if (document['x-user'] || document['x-value'] === 'caller') return type === 'array' ? 'users' : 'user';
    if (document.enum) return 'choice';
    if (type === 'string') return FORMATS.get(document.format) ?? textKind(name, document);
    if (type === 'integer' && WEEKDAYS.test(document.description)) return 'weekdays';
    if (type === 'array') return isTextList(document) ? 'texts' : 'data';
    return type === 'object' ? 'data' : type;
}

/** Whether a field of this kind has several values that are picked. */
export const isPickedList = kind => kind === 'references' || kind === 'users';

/** The field's type without null. */
export const typeOf = ({ type }) => [type].flat().find(each => each !== 'null');

function textKind(name, { maxLength = Infinity, pattern, readOnly }) {
    const isLine = maxLength <= LONGEST_LINE || pattern !== undefined || readOnly || /(^|_)url$/.test(name);
    return isLine ? 'text' : 'long text';
}

const isTextList = ({ items }) => items !== undefined && typeOf(items) === 'string' && !items.enum && !items.format;
