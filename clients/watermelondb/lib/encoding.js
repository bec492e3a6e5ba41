// Values as WatermelonDB stores them: Sources/SyncSchema/WireEncoding.swift.

/** How the server reads a value of the field. What can't be read stays unchanged, and is refused. */
export function decoded(value, field) {
    if (value === null || value === undefined) return value;
    switch (formOf(field)) {
        case 'text': return parsedOr(value);
        case 'instant': return Number.isFinite(value) ? instantOr(value) : value;
        case 'flag': return value === 0 ? false : value === 1 ? true : value;
        default: return value;
    }
}

/** The same for the fields of a row. */
export const decodedRow = (row, { properties }) => Object.fromEntries(Object.entries(row).map(([name, value]) =>
    [name, Object.hasOwn(properties, name) ? decoded(value, properties[name]) : value]));

/** An error in terms of the encoding. A pointer can't name a place within JSON text, so the sentence names it. */
export function worded(error, field) {
    const { code, detail, pointer } = error;
    const form = field ? formOf(field) : 'plain';
    if (['read_only_field', 'unknown_field'].includes(code) || !['text', 'instant'].includes(form)) return error;
    const place = pointer.slice(error.field.length + 1);
    if (code === 'required' && place === '') return error;
    if (form === 'instant') {
        return { ...error, detail: `${error.field} must be milliseconds since 1970, within the years 1 to 9999.` };
    }
    const kind = code === 'wrong_type' && place === '' ? ', as JSON text' : '';
    const where = place === '' ? '' : ` (at ${place} of the JSON text)`;
    return { ...error, pointer: `/${error.field}`, detail: `${detail.slice(0, -1)}${kind}${where}.` };
}

function formOf({ type, format }) {
    const kind = [type].flat().find(each => each !== 'null');
    if (kind === 'array' || kind === 'object') return 'text';
    if (kind === 'boolean') return 'flag';
    return kind === 'string' && format === 'date-time' ? 'instant' : 'plain';
}

function parsedOr(text) {
    if (typeof text !== 'string') return text;
    try {
        return JSON.parse(text);
    } catch {
        return text;
    }
}

const FIRST = -62_135_596_800_000;
const LAST = 253_402_300_799_999;

function instantOr(milliseconds) {
    const whole = Math.floor(milliseconds);
    return whole >= FIRST && whole <= LAST ? new Date(whole).toISOString() : milliseconds;
}
