import { Pattern } from '../pattern/pattern.js';
import { FORMATS } from './formats.js';
import { bytesOf, isLonger, textOf } from './text.js';

/** The most bytes of a text without a `maxLength`. */
const MIB = 1 << 20;

/** The most characters of a text with a pattern and without a `maxLength`. */
const IMPLIED_LENGTH = 4096;

/** How deeply a list or an object may be nested whose content the schema does not describe. */
const MOST_LEVELS = 24;

/** Why a value is not acceptable, and where in it. */
export class Violation extends Error {
    constructor(code, detail, pointer = '') {
        super(detail);
        Object.assign(this, { code, detail, pointer });
    }
}

/**
 * What one value may be, as the server judges it: Sources/SyncSchema/ValueSchema+Check.swift. `document` is a field of a
 * schema, or a part of one.
 */
export class ValueSchema {
    constructor(document) {
        const types = [document.type ?? []].flat();
        this.kind = types.find(type => type !== 'null') ?? null;
        this.isNullable = types.includes('null');
        this.document = document;
        this.pattern = patternOf(document.pattern);
        this.maxLength = document.maxLength ?? (document.pattern === undefined ? null : IMPLIED_LENGTH);
        this.items = document.items ? new ValueSchema(document.items) : null;
        this.properties = Object.entries(document.properties ?? {})
            .map(([name, member]) => [name, new ValueSchema(member)]);
        const holdsIDs = document['x-ref'] !== undefined || document['x-user'] !== undefined;
        this.hasUniqueItems = document.uniqueItems === true || (this.kind === 'array' && holdsIDs);
        this.allowed = document.enum?.map(each => textOf(each === null ? null : this._normal(each))) ?? null;
    }

    /** The value as the server stores it. Throws a `Violation`. */
    normal(value) {
        if (value === null) {
            if (!this.isNullable) throw new Violation('wrong_type', `must be ${this._name}, not null`);
            return null;
        }
        const normal = this._normal(value);
        if (this.allowed && !this.allowed.includes(textOf(normal))) {
            throw new Violation('not_in_enum', `must be one of ${this.allowed.join(', ')}`);
        }
        return normal;
    }

    /** Whether nothing is wrong with a text but that it is above the limit for texts without a `maxLength`. */
    isTooLongOnly(text) {
        return this.kind === 'string' && this.maxLength === null && !this.document.format && !this.allowed
            && bytesOf(text) > MIB && !text.includes('\0');
    }

    get _name() {
        return `${/^[aio]/.test(this.kind) ? 'an' : 'a'} ${this.kind}`;
    }

    _normal(value) {
        const isOfKind = KINDS[this.kind];
        // A kind of later versions.
        if (!isOfKind) return value;
        if (!isOfKind(value)) {
            throw new Violation('wrong_type', `must be ${this._name}${this.isNullable ? ' or null' : ''}`);
        }
        switch (this.kind) {
            case 'string': return this._text(value);
            case 'array': return this._list(value);
            case 'object': return this._object(value);
            case 'boolean': return value;
            default: return this._inRange(value);
        }
    }

    _inRange(number) {
        const { minimum, maximum, exclusiveMinimum } = this.document;
        if (number < minimum) throw new Violation('out_of_range', `must be at least ${textOf(minimum)}`);
        if (number > maximum) throw new Violation('out_of_range', `must be at most ${textOf(maximum)}`);
        if (number <= exclusiveMinimum) throw new Violation('out_of_range', `must be more than ${textOf(exclusiveMinimum)}`);
        return number;
    }

    _text(text) {
        if (this.maxLength === null) checkLength(text);
        else if (isLonger(text, this.maxLength)) throw tooLong(`${this.maxLength} characters`);
        checkCharacters(text);
        if (this.pattern?.refuses(text)) throw new Violation('bad_format', `must match ${this.document.pattern}`);
        const format = Object.hasOwn(FORMATS, this.document.format ?? '') ? FORMATS[this.document.format] : null;
        const normal = format ? format.check(text) : text;
        if (normal === null) throw new Violation('bad_format', `must be ${format.hint}`);
        return normal;
    }

    _list(elements) {
        const { maxItems } = this.document;
        if (elements.length > maxItems) throw tooLong(`${maxItems} elements`);
        const normal = Array.from(elements, (element, index) => {
            if (this.items) return this.items._part(element ?? null, index);
            checkFree(element, 1);
            return element;
        });
        if (this.hasUniqueItems && new Set(normal.map(textOf)).size < normal.length) {
            throw new Violation('inconsistent', 'must not contain an element twice');
        }
        return normal;
    }

    _object(members) {
        const has = name => Object.hasOwn(members, name) && members[name] !== undefined;
        const missing = (this.document.required ?? []).find(name => !has(name));
        if (missing !== undefined) throw new Violation('required', 'is required', `/${missing}`);
        if (this.properties.length === 0) {
            checkFree(members, 0);
            return members;
        }
        return Object.fromEntries(this.properties.filter(([name]) => has(name))
            .map(([name, schema]) => [name, schema._part(members[name], name)]));
    }

    _part(value, token) {
        try {
            return this.normal(value);
        } catch (error) {
            if (!(error instanceof Violation)) throw error;
            throw new Violation(error.code, error.detail, `/${token}${error.pointer}`);
        }
    }
}

const KINDS = {
    string: value => typeof value === 'string',
    // An integer is sent in digits, and the server reads at most 64 bits.
    integer: value => Number.isInteger(value) && Math.abs(value) < 2 ** 63,
    number: value => Number.isFinite(value),
    boolean: value => typeof value === 'boolean',
    array: value => Array.isArray(value),
    object: value => typeof value === 'object' && !Array.isArray(value),
};

/** Null for none, and for one of a server that knows more of expressions. */
function patternOf(text) {
    try {
        return text === undefined ? null : new Pattern(text);
    } catch {
        return null;
    }
}

/** Checks what a list without `items` or an object without `properties` contains, `depth` levels below it. */
function checkFree(value, depth) {
    if (typeof value === 'string') {
        checkLength(value);
        checkCharacters(value);
    }
    if (['bigint', 'function', 'symbol'].includes(typeof value)) throw new Violation('wrong_type', 'must be JSON');
    if (value === null || typeof value !== 'object') return;
    if (depth >= MOST_LEVELS) throw new Violation('bad_format', `must not be nested deeper than ${MOST_LEVELS} levels`);
    for (const [name, member] of Object.entries(value)) {
        if (!Array.isArray(value)) checkFree(name, depth);
        checkFree(member, depth + 1);
    }
}

function checkLength(text) {
    if (bytesOf(text) > MIB) throw tooLong('1 MiB of text');
}

/** PostgreSQL can't store U+0000. */
function checkCharacters(text) {
    if (text.includes('\0')) throw new Violation('bad_format', 'must not contain the character U+0000');
}

const tooLong = most => new Violation('too_long', `must have at most ${most}`);
