import { TidemarkError } from './error.js';
import { textOf } from './filter-text.js';

// What a client asks for is the union of its parts' filters (docs/protocol.md, "A part of a project"). What is wrong
// with a filter is said here, before a request: the server would refuse every pull, and nobody would see why.

const MOST = { bytes: 2048, alternatives: 8, conditions: 4, values: 50 };

/**
 * The filter in its normal form: collections and fields by name, values in order and once, each alternative once. The
 * order of alternatives is kept, because the server serves rows in it.
 *
 * Throws `invalid_filter` for what is no filter, and for one that is beyond the limits of an alternative. With
 * `document`, the answer to `GET /schemas/`, also for fields that can't be filtered by; that of a server that knows no
 * parts says nothing. `isUserWide`: the filter may name projects.
 */
export function normalFilter(filter, { document = null, isUserWide = true } = {}) {
    if (!isObject(filter)) throw wrong('', 'must be an object by collection, such as {"tasks":[{"assignee":"@me"}]}');
    const collections = filterable(document);
    return Object.fromEntries(Object.keys(filter).sort().map(name => {
        const place = `/${name}`;
        if (name === 'projects' && !isUserWide) throw wrong(place, 'is only for a copy of all projects; leave it out');
        if (collections && !collections.has(name)) {
            throw wrong(place, `names no collection; there are: ${[...collections.keys()].join(', ')}`);
        }
        if (!Array.isArray(filter[name])) {
            throw wrong(place, 'must be a list of alternatives: [{}] is all rows, [] is none');
        }
        if (name === 'projects' && isIDs(filter[name])) return [name, once(filter[name]).sort()];
        const each = (one, index) => alternativeOf(one, `${place}/${index}`, name, collections?.get(name));
        return [name, onceEqual(filter[name].map(each))];
    }));
}

/**
 * The filter, in normal form, of all that one of these asks for; everything if there are none. A collection that none
 * of them names is whole, so the first to name it narrows it. Throws `invalid_filter` if it is beyond a limit.
 */
export function unionOf(filters) {
    const union = {};
    for (const name of once(filters.flatMap(each => Object.keys(each))).sort()) {
        const lists = filters.map(each => each[name]).filter(each => each !== undefined);
        union[name] = name === 'projects' ? joinedProjects(lists) : joined(lists, name);
    }
    const { length } = new TextEncoder().encode(textOf(union));
    if (length <= MOST.bytes) return union;
    throw wrong('', `has ${length} bytes with all parts; the limit is ${MOST.bytes}. Ask for less, or remove a part`);
}

/**
 * Whether a copy that asks for a filter has all rows that a part names; both in normal form. Of collections that the
 * part does not name, it has what the others leave. It may say no where the values of a condition would have to be
 * compared.
 */
export function covers(filter, part) {
    const isEverything = Object.keys(filter).length === 0;
    return isEverything || Object.entries(part).every(([name, asked]) => {
        // A collection that is not named may follow one that is. Projects follow none.
        if (!Object.hasOwn(filter, name)) return name === 'projects';
        return asked.every(each => filter[name].some(known => hasAll(known, each)));
    });
}

/** Whether an alternative, or an id, has all rows that another one has. */
function hasAll(known, asked) {
    if (isID(known) || isID(asked)) return known === asked;
    return Object.keys(known).every(field => Object.hasOwn(asked, field) && isWithin(asked[field], known[field]));
}

/** Whether each value that meets one condition meets the other one. */
function isWithin(one, other) {
    if (JSON.stringify(one) === JSON.stringify(other)) return true;
    const [few, many] = [one, other].map(each => (isObject(each) ? each.has ?? null : each));
    if (few === null || many === null || isObject(one) !== isObject(other)) return false;
    const known = [many].flat();
    return [few].flat().every(value => known.includes(value));
}

function joined(lists, name) {
    const alternatives = onceEqual(lists.flat());
    if (alternatives.length <= MOST.alternatives) return alternatives;
    const detail = `has ${alternatives.length} alternatives with all parts; the limit is ${MOST.alternatives}`;
    throw wrong(`/${name}`, `${detail}. Ask for less, or remove a part`);
}

function joinedProjects(lists) {
    const some = lists.filter(each => each.length > 0);
    if (some.every(isIDs)) return ids(once(some.flat()).sort(), '/projects', ' with all parts');
    if (some.some(isIDs)) {
        throw wrong('/projects', 'is a list of ids in one part and of alternatives in another; use one of both in all');
    }
    return joined(some, 'projects');
}

function ids(list, place, where = '') {
    if (list.length <= MOST.values) return list;
    throw wrong(place, `has ${list.length} ids${where}; the limit is ${MOST.values}`);
}

function alternativeOf(alternative, place, collection, fields) {
    if (!isObject(alternative)) throw wrong(place, 'must be an object of conditions by field; {} is all rows');
    const names = Object.keys(alternative).sort();
    if (names.length > MOST.conditions) {
        throw wrong(place, `has ${names.length} conditions; the limit is ${MOST.conditions}`);
    }
    return Object.fromEntries(names.map(name => {
        if (fields && !fields.includes(name)) {
            const known = fields.length > 0 ? `there are: ${fields.join(', ')}`
                : 'it has no such fields; use [{}] or []';
            throw wrong(`${place}/${name}`, `is no field that ${collection} can be filtered by; ${known}`);
        }
        return [name, conditionOf(alternative[name], `${place}/${name}`)];
    }));
}

function conditionOf(condition, place) {
    if (!isObject(condition)) return valuesOf(condition, place);
    const names = Object.keys(condition).sort();
    const [name] = names;
    const isRange = names.length > 0 && names.every(each => ['from', 'until'].includes(each));
    if (isRange || (names.length === 1 && name === 'prefix')) {
        const isBound = value => isValue(value) && value !== null;
        const bad = names.find(each => !isBound(condition[each]));
        if (bad) throw wrong(`${place}/${bad}`, 'must be a value; leave out what has none');
        return Object.fromEntries(names.map(each => [each, condition[each]]));
    }
    if (names.length === 1 && ['has', 'not'].includes(name)) {
        return { [name]: valuesOf(condition[name], `${place}/${name}`) };
    }
    throw wrong(place, 'must be a value, a list of values, or one of {"not"}, {"from", "until"}, {"prefix"}, {"has"}');
}

/** A value, or the values of a list in order and once. One of one value says the same as the value. */
function valuesOf(given, place) {
    const list = Array.isArray(given) ? given : [given];
    if (list.length > MOST.values) throw wrong(place, `has ${list.length} values; the limit is ${MOST.values}`);
    const bad = list.findIndex(each => !isValue(each));
    if (bad >= 0) {
        throw wrong(Array.isArray(given) ? `${place}/${bad}` : place, 'must be a text, a number, a boolean or null');
    }
    const values = once(list).sort(inOrder);
    return values.length === 1 ? values[0] : values;
}

/** The fields that can be filtered by, by collection; null if that is not known. */
function filterable(document) {
    const collections = new Map((document?.collections ?? []).map(({ title, properties }) =>
        [title, Object.keys(properties).filter(name => properties[name]['x-filterable'] === true)]));
    return [...collections.values()].some(fields => fields.length > 0) ? collections : null;
}

function wrong(pointer, reason) {
    const detail = `The filter${pointer ? ` at ${pointer}` : ''} ${reason}.`;
    const [, collection = '', , field = null] = pointer.split('/');
    return new TidemarkError('invalid_filter', detail, {
        errors: [{ pointer, collection, id: null, field, code: 'invalid_filter', detail }],
    });
}

const once = list => [...new Set(list)];
const onceEqual = list => [...new Map(list.map(each => [JSON.stringify(each), each])).values()];
const isObject = value => value !== null && typeof value === 'object' && !Array.isArray(value);
const isID = value => typeof value === 'string';
const isIDs = list => list.length > 0 && list.every(isID);
const isValue = value => value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);

const inOrder = (one, other) => {
    const [left, right] = [one, other].map(each => `${typeof each} ${JSON.stringify(each)}`);
    return left < right ? -1 : left > right ? 1 : 0;
};
