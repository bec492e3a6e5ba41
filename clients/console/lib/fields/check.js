// What is wrong with a value before it is stored, in the words of a person. The server checks again, and more.

/** Why a field can't have the value, as a sentence; null if it can. */
export function problemOf(field, value) {
    if (value === null || value === undefined) return field.isNullable ? null : `${field.label} can't be empty.`;
    return problemOfValue(field.document, value) ?? requiredText(field, value);
}

const requiredText = ({ isRequired, label, type }, value) =>
    (isRequired && type === 'string' && value === '' ? `${label} can't be empty.` : null);

function problemOfValue(document, value) {
    if (document.enum && !document.enum.includes(value)) return 'This is none of the allowed values.';
    if (typeof value === 'number') return problemOfNumber(document, value);
    if (typeof value === 'string') return problemOfText(document, value);
    return Array.isArray(value) ? problemOfList(document, value) : problemOfObject(document, value);
}

function problemOfNumber({ type, minimum, maximum, exclusiveMinimum }, value) {
    if (!Number.isFinite(value)) return 'This is not a number.';
    const isWhole = [type].flat().includes('integer');
    if (isWhole && !Number.isSafeInteger(value)) return 'Only whole numbers are allowed here.';
    if (minimum !== undefined && value < minimum) return `The least is ${minimum}.`;
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `It must be more than ${exclusiveMinimum}.`;
    return maximum !== undefined && value > maximum ? `The most is ${maximum}.` : null;
}

function problemOfText({ maxLength = Infinity, pattern, format }, value) {
    const length = value.length > maxLength ? [...value].length : value.length;
    if (length > maxLength) return `At most ${maxLength} characters fit; these are ${length}.`;
    if (value.includes('\0')) return 'The character U+0000 is not allowed.';
    if (pattern !== undefined && !matches(pattern, value)) return `This does not have the form ${pattern}.`;
    return format === 'date' && !isDate(value) ? 'There is no such date.' : null;
}

/** The server's patterns match the whole text. One that this browser does not know is left to the server. */
function matches(pattern, value) {
    try {
        return new RegExp(`^(?:${pattern})$`, 'u').test(value);
    } catch {
        return true;
    }
}

function isDate(text) {
    const date = new Date(`${text}T00:00:00Z`);
    return !isNaN(date) && date.toISOString().slice(0, 10) === text;
}

function problemOfList({ maxItems = Infinity, uniqueItems, items = {}, 'x-ref': reference, 'x-user': user }, list) {
    if (list.length > maxItems) return `At most ${maxItems} fit; these are ${list.length}.`;
    const isSet = uniqueItems || reference !== undefined || user !== undefined;
    if (isSet && new Set(list.map(each => JSON.stringify(each))).size < list.length) return 'An entry is there twice.';
    for (const each of list) {
        const found = problemOfValue(items, each);
        if (found) return `${typeof each === 'string' ? `“${each}”: ` : ''}${found}`;
    }
    return null;
}

function problemOfObject({ properties = {}, required = [] }, value) {
    if (typeof value !== 'object') return null;
    for (const name of required) if ((value[name] ?? null) === null) return `The member ${name} is missing.`;
    for (const [name, document] of Object.entries(properties)) {
        const found = (value[name] ?? null) !== null && problemOfValue(document, value[name]);
        if (found) return `${name}: ${found}`;
    }
    return null;
}
