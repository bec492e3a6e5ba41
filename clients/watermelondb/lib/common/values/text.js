/** The canonical text of a JSON value, as the server writes it: equal values have equal texts. */
export function textOf(value) {
    if (typeof value === 'number') return numberText(value);
    if (typeof value === 'string') return quoted(value);
    if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
    if (value === null || typeof value !== 'object') return String(value ?? null);
    const names = Object.keys(value).filter(name => value[name] !== undefined).sort(byScalars);
    return `{${names.map(name => `${quoted(name)}:${textOf(value[name])}`).join(',')}}`;
}

/** Whole numbers outside of Int64, and those with a fraction, are written as Swift does. */
function numberText(number) {
    const size = Math.abs(number);
    if (Number.isInteger(number) && size < 2 ** 63) return (number || 0).toFixed(0);
    if (size >= 1e-4 && size < 2 ** 54) return String(number);
    return number.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** `JSON.stringify` escapes two control characters in a shorter way, and halves of surrogate pairs. */
const quoted = text => JSON.stringify(text).replace(/\\([bf\\])/g, (found, letter) =>
    ({ b: '\\u0008', f: '\\u000c' })[letter] ?? found);

/** By Unicode scalars; JavaScript's own order is by UTF-16. */
export function byScalars(one, other) {
    const [left, right] = [one, other].map(text => Array.from(text, letter => letter.codePointAt(0)));
    const place = left.findIndex((code, index) => code !== right[index]);
    return place === -1 ? left.length - right.length : left[place] - (right[place] ?? -1);
}

/** Half a surrogate pair: a text was cut within an emoji. No Unicode text can hold one. */
const HALVES = /[\uD800-\uDFFF]/gu;

export const hasHalf = text => text.search(HALVES) !== -1;

/** The text with U+FFFD for each half. */
export const mended = text => text.replace(HALVES, '\uFFFD');

/** Whether the text has more than so many Unicode scalars. */
export function isLonger(text, most) {
    if (text.length <= most) return false;
    if (text.length > 2 * most) return true;
    let count = 0;
    for (const letter of text) count += letter ? 1 : 0;
    return count > most;
}

/** The bytes of a text in UTF-8. */
export function bytesOf(text) {
    let bytes = text.length;
    for (let index = 0; index < text.length; index++) {
        const unit = text.charCodeAt(index);
        // Of a pair, each half counts two.
        if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xD800 && unit < 0xE000) ? 1 : 2;
    }
    return bytes;
}
