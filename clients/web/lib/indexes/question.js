import { shown } from '../rows/record.js';
import { areSame } from '../rows/values.js';
import { beginningOf, compareKeys, compareValues, isCut, keyOf } from './keys.js';

const CONDITIONS = ['from', 'after', 'to', 'before', 'prefix'];

/**
 * What a query asks for:
 * - `equal`: by field, the value that rows have; `ranges`: by field, the conditions that values meet
 * - `order`: the fields that rows are ordered by, `{ name, isDescending }`. Rows that are equal in all of them are in
 *   the order of their ids
 * - `limit`: how many rows at most; null for all
 *
 * Throws a `TypeError` for what can't be asked.
 */
export class Question {
    constructor({ project = null, where = null, order = null, limit = null }) {
        const conditions = Object.entries(where ?? {}).map(([name, value]) => [name, value ?? null]);
        this.ranges = new Map(conditions.filter(([, value]) => isObject(value)).map(checked));
        this.equal = new Map(conditions.filter(([, value]) => !isObject(value)));
        if (project !== null) this.equal.set('project_id', project);
        this.order = [order ?? []].flat().map(fieldOf);
        this.limit = limit;
        if (limit !== null && !(Number.isInteger(limit) && limit > 0)) throw new TypeError('limit must be 1 or more.');
    }

    /** Whether the record has what is asked for. */
    isMetBy(record) {
        const row = shown(record);
        return [...this.equal].every(([name, value]) => areSame(row[name] ?? null, value))
            && [...this.ranges].every(([name, range]) => isWithin(row[name] ?? null, range));
    }

    /** Keys of records are in the order of the answer. */
    keyOf(record) {
        return [...this.order.map(field => keyIn(record, field)), record.id];
    }
}

/** The field that `-name` or `name` names. */
export function fieldOf(text) {
    const isField = typeof text === 'string' && /^-?[^-_,][^,]*$/.test(text) && !/^-?server_version$/.test(text);
    if (!isField) throw new TypeError(`${text} is not a field to order by.`);
    return { name: text.replace(/^-/, ''), isDescending: text.startsWith('-') };
}

/** The key of a record's value. */
export function keyIn({ id, project_id, values }, { name, isDescending }) {
    const value = name === 'id' ? id : name === 'project_id' ? project_id : values[name];
    return keyOf(value, isDescending);
}

/** The bounds of a range among keys: `{ lower, upper }`, each `{ key, isOpen }`. Without one, all values but null. */
export function boundsOf({ from, after, to, before, prefix }, isDescending) {
    const bound = (closed, open) => {
        const value = closed ?? open ?? null;
        return value !== null && { key: keyOf(value, isDescending), isOpen: closed === undefined && !isCut(value) };
    };
    const [low, high] = [bound(from, after), bound(to, before)];
    const ends = isDescending ? [high, low] : [low, high];
    const none = { key: keyOf(null, isDescending), isOpen: true };
    const [first, last] = isDescending ? [null, none] : [none, null];
    if (prefix === undefined) return { lower: ends[0] || first, upper: ends[1] || last };
    const key = beginningOf(prefix, isDescending);
    const begins = { lower: { key, isOpen: false }, upper: { key: `${key}\uFFFF\uFFFF`, isOpen: false } };
    const inner = (one, other, sign) => (one && compareKeys(one.key, other.key) * sign > 0 ? one : other);
    return { lower: inner(ends[0], begins.lower, 1), upper: inner(ends[1], begins.upper, -1) };
}

function isWithin(value, { from, after, to, before, prefix }) {
    if (value === null) return false;
    const meets = (bound, fits) => {
        if (bound === undefined) return true;
        const order = compareValues(value, bound);
        return order !== null && fits(order);
    };
    return meets(from, order => order >= 0) && meets(after, order => order > 0)
        && meets(to, order => order <= 0) && meets(before, order => order < 0)
        && (prefix === undefined || (typeof value === 'string' && value.startsWith(prefix)));
}

const isObject = value => value !== null && typeof value === 'object' && !Array.isArray(value);

function checked([name, range]) {
    const given = Object.entries(range).filter(([, value]) => value !== undefined);
    const isKnown = ([condition, value]) => CONDITIONS.includes(condition)
        && (typeof value === 'string' || (typeof value === 'number' && condition !== 'prefix'));
    if (given.length > 0 && given.every(isKnown)) return [name, Object.fromEntries(given)];
    throw new TypeError(`The range of ${name} must have ${CONDITIONS.join(' or ')}, with a text or a number.`);
}
