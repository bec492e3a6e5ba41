import { byScalars, bytesOf, hasHalf, mended, textOf } from './text.js';
import { ValueSchema, Violation } from './value.js';

/** The most elements of a list of references without `maxItems`. */
const MOST_REFERENCES = 1000;

/** Of all problems of halves, as many as the server lists. */
const MOST_HALVES = 100;

/** The roles, by their numbers. */
const ROLES = [1, 100, 200, 300, 400];

/**
 * Judges the values of a collection's rows, as the server does: Sources/SyncEngine/Write/RowEdit.swift. `document` is the
 * collection's schema.
 */
export class Judge {
    constructor(document) {
        const { title, properties, required = [] } = document;
        this.name = title;
        this.fields = new Map(Object.entries(properties).map(([name, field]) => [name, new Field(name, field, document)]));
        this.required = required.filter(name => this.fields.get(name)?.isReadOnly === false);
    }

    /**
     * What the server would refuse in `sent`, in its order: `{ field, code, pointer, detail }` each. `stored` are the
     * values that the row has; null for a new row. Only what changes is judged. `base` are the server's values, if the
     * row has others since.
     */
    errors(sent, stored = null, base = null) {
        const changed = Object.entries(sent)
            .filter(([name, value]) => !isSame(stored, name, value) && !isSame(base, name, value));
        const halves = changed.flatMap(([name, value]) => halvesIn({ [name]: value })).slice(0, MOST_HALVES);
        const found = halves.length > 0 ? halves : [
            ...Object.keys(sent).flatMap(name => this._foreign(name)),
            ...changed.flatMap(([name, value]) => this.fields.get(name)?.errors(value, [stored?.[name], base?.[name]]) ?? []),
            ...stored === null ? this.required.filter(name => !Object.hasOwn(sent, name)).map(missing) : [],
        ];
        return found.sort((one, other) =>
            byScalars(one.pointer, other.pointer) || byScalars(one.code, other.code));
    }

    /** What no client can write. */
    _foreign(name) {
        if (name === 'id' || name === 'server_version') {
            return [errorOf(name, 'read_only_field', `${name} can't be changed.`)];
        }
        const field = this.fields.get(name);
        if (!field) return [errorOf(name, 'unknown_field', `${this.name} has no field ${name}.`)];
        return field.isReadOnly ? [errorOf(name, 'read_only_field', `${name} can only be written by the server.`)] : [];
    }
}

class Field {
    constructor(name, document, { 'x-scope': scope }) {
        const isRole = scope === 'membership' && name === 'role';
        this.name = name;
        this.value = new ValueSchema(isRole ? { ...document, enum: rolesOf(document.enum) } : document);
        this.isReadOnly = document.readOnly === true;
        this.isReference = document['x-ref'] !== undefined;
        this.mostReferences = this.isReference && document.maxItems === undefined ? MOST_REFERENCES : Infinity;
    }

    errors(value, stored) {
        if (this.isReadOnly || this._mayStayLong(value, stored)) return [];
        try {
            this._check(this.value.normal(value));
            return [];
        } catch (error) {
            if (!(error instanceof Violation)) throw error;
            return [errorOf(this.name, error.code, `${this.name} ${error.detail}.`, error.pointer)];
        }
    }

    _check(normal) {
        if (!this.isReference) return;
        const ids = Array.isArray(normal) ? normal : [normal];
        if (ids.length > this.mostReferences) {
            throw new Violation('too_long', `must have at most ${MOST_REFERENCES} elements`);
        }
        if (!ids.every(id => id === null || isID(id))) throw new Violation('invalid_id', 'must be a row\'s id');
    }

    /** A text that is too long may become shorter: it is from before there was a limit. */
    _mayStayLong(value, stored) {
        return typeof value === 'string' && this.value.isTooLongOnly(value)
            && stored.some(each => typeof each === 'string' && bytesOf(each) > bytesOf(value));
    }
}

const isID = id => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(id);

const rolesOf = named => (named ? ROLES.filter(role => named.includes(role)) : ROLES);

const errorOf = (field, code, detail, pointer = '') => ({ field, code, pointer: `/${field}${pointer}`, detail });

const missing = name => errorOf(name, 'required', `${name} is required.`);

/** Whether the row has the value already. */
function isSame(stored, name, value) {
    if (stored === null || value === undefined || !Object.hasOwn(stored, name)) return false;
    return stored[name] === value
        || (typeof value === 'object' && typeof stored[name] === 'object' && textOf(stored[name]) === textOf(value));
}

/** The texts with half a surrogate pair, and the members with such a name. */
function halvesIn(value, path = []) {
    if (typeof value === 'string') return hasHalf(value) ? [half(path)] : [];
    if (value === null || typeof value !== 'object' || path.length > 32) return [];
    return Object.entries(value).flatMap(([name, member]) => {
        const inside = [...path, mended(name)];
        return [...hasHalf(name) ? [half(inside)] : [], ...halvesIn(member, inside)];
    });
}

const half = ([field, ...path]) => errorOf(field, 'bad_format',
    `${field} must not contain half a surrogate pair, such as \\ud83d.`, path.map(token => `/${token}`).join(''));
