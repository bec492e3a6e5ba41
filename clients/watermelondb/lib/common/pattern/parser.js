import { DIGITS, LINE_ENDS, SPACE, WORD, any, category, not, quick, range } from './sets.js';

/** The most levels of groups in groups. */
const MOST_DEPTH = 32;

/** Above the most instructions: all numbers that are too high become this one. */
const TOO_MANY = 601;

const CONTROLS = { t: 0x09, n: 0x0A, v: 0x0B, f: 0x0C, r: 0x0D };
const ITSELF = '^$\\.*+?()[]{}|/';
const ASSERTIONS = { '^': 'start', $: 'end', '\\b': 'boundary', '\\B': 'noBoundary' };
const QUANTIFIERS = { '*': [0, null], '+': [1, null], '?': [0, 1] };

/**
 * Reads an expression as the server does (Sources/SyncSchema/PatternParser.swift): by the grammar in
 * https://tc39.es/ecma262/#sec-patterns, with the flag `u`. A node is one of
 * - `{ letter }`: a character of the set
 * - `{ assertion }`: a condition that takes no character
 * - `{ sequence }`, `{ choice }`: lists of nodes
 * - `{ repeated, least, most }`: there is no upper bound if `most` is null
 */
export class Parser {
    _position = 0;
    _depth = 0;
    /** Whether the expression asks for categories of Unicode. */
    hasCategories = false;

    constructor(text) {
        this._letters = Array.from(text);
    }

    /** Throws if the server would refuse the expression. */
    whole() {
        const node = this._choice();
        if (this._next !== undefined) throw unreadable();
        return node;
    }

    get _next() {
        return this._letters[this._position];
    }

    _one() {
        if (this._next === undefined) throw unreadable();
        return this._letters[this._position++];
    }

    /** Whether the text comes next. If so, takes it. */
    _take(text) {
        const end = this._position + text.length;
        if (this._letters.slice(this._position, end).join('') !== text) return false;
        this._position = end;
        return true;
    }

    _choice() {
        const branches = [this._sequence()];
        while (this._take('|')) branches.push(this._sequence());
        return branches.length === 1 ? branches[0] : { choice: branches };
    }

    _sequence() {
        const sequence = [];
        while (this._next !== undefined && this._next !== '|' && this._next !== ')') sequence.push(this._term());
        return { sequence };
    }

    _term() {
        const assertion = Object.keys(ASSERTIONS).find(each => this._take(each));
        const node = assertion ? { assertion: ASSERTIONS[assertion] } : this._atom();
        const [least, most] = (assertion ? null : this._quantifier()) ?? [];
        // Lazy or not makes no difference: the same whole texts match.
        if (least !== undefined) this._take('?');
        if (['*', '+', '?', '{'].includes(this._next)) throw unreadable();
        return least === undefined ? node : { repeated: node, least, most };
    }

    _atom() {
        const letter = this._one();
        switch (letter) {
            case '.': return { letter: quick(not(LINE_ENDS)) };
            case '(': return this._group();
            case '[': return { letter: quick(this._set()) };
            case '\\': return { letter: quick(asSet(this._escape(false))) };
            case '*': case '+': case '?': case '{': case '}': case ']': throw unreadable();
            default: return { letter: range(letter.codePointAt(0)) };
        }
    }

    _group() {
        this._openGroup();
        if (this._depth >= MOST_DEPTH) throw unreadable();
        this._depth += 1;
        const node = this._choice();
        this._depth -= 1;
        if (!this._take(')')) throw unreadable();
        return node;
    }

    /** Reads the start of a group, after its `(`. Groups are not captured, so all kinds mean the same. */
    _openGroup() {
        if (!this._take('?') || this._take(':')) return;
        if (['=', '!', '<=', '<!'].some(look => this._take(look)) || !this._take('<')) throw unreadable();
        if (!/^[0-9A-Za-z_]+$/.test(this._until('>')) || !this._take('>')) throw unreadable();
    }

    _until(end) {
        let text = '';
        while (this._next !== undefined && this._next !== end) text += this._one();
        return text;
    }

    /** `[least, most]`; null if there is none. */
    _quantifier() {
        const simple = Object.keys(QUANTIFIERS).find(each => this._take(each));
        if (simple) return QUANTIFIERS[simple];
        if (!this._take('{')) return null;
        const least = this._number();
        const most = this._take(',') ? this._number() : least;
        if (least === null || !this._take('}') || (most !== null && most < least)) throw unreadable();
        return [least, most];
    }

    _number() {
        let value = null;
        while (/^[0-9]$/.test(this._next ?? '')) value = Math.min((value ?? 0) * 10 + Number(this._one()), TOO_MANY);
        return value;
    }

    /** Reads a set, after its `[`. */
    _set() {
        const isNegated = this._take('^');
        const sets = [];
        while (!this._take(']')) sets.push(this._range());
        return isNegated ? not(sets) : any(sets);
    }

    _range() {
        const first = this._member();
        if (this._next !== '-' || this._letters[this._position + 1] === ']') return asSet(first);
        this._one();
        const last = this._member();
        if (typeof first !== 'number' || typeof last !== 'number' || first > last) throw unreadable();
        return range(first, last);
    }

    _member() {
        const letter = this._one();
        return letter === '\\' ? this._escape(true) : letter.codePointAt(0);
    }

    /** Reads an escape, after its `\`: a code point, or a set of them. */
    _escape(inSet) {
        const letter = this._one();
        const set = this._namedSet(letter);
        if (set) return set;
        if (Object.hasOwn(CONTROLS, letter)) return CONTROLS[letter];
        switch (letter) {
            case 'c': return this._controlLetter();
            case 'x': return this._hex(2);
            case 'u': return this._scalar();
            case '0':
                if (/^[0-9]$/.test(this._next ?? '')) throw unreadable();
                return 0;
            default:
                if (inSet && letter === 'b') return 0x08;
                if (!ITSELF.includes(letter) && !(inSet && letter === '-')) throw unreadable();
                return letter.codePointAt(0);
        }
    }

    _namedSet(letter) {
        switch (letter) {
            case 'd': return any(DIGITS);
            case 'D': return not(DIGITS);
            case 'w': return any(WORD);
            case 'W': return not(WORD);
            case 's': return any(SPACE);
            case 'S': return not(SPACE);
            case 'p': return this._property();
            case 'P': return not([this._property()]);
            default: return null;
        }
    }

    _property() {
        this.hasCategories = true;
        const set = this._take('{') ? category(this._until('}')) : undefined;
        if (!set || !this._take('}')) throw unreadable();
        return set;
    }

    _controlLetter() {
        const letter = this._one();
        if (!/^[A-Za-z]$/.test(letter)) throw unreadable();
        return letter.codePointAt(0) % 32;
    }

    _hex(digits) {
        let text = '';
        while (text.length < digits) text += this._one();
        if (!/^[0-9A-Fa-f]+$/.test(text)) throw unreadable();
        return Number.parseInt(text, 16);
    }

    /** `\u{1F600}`, `\u00E9`, or the two halves of a surrogate pair. */
    _scalar() {
        const value = this._take('{') ? this._bracedScalar() : this._pairOrUnit();
        if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) throw unreadable();
        return value;
    }

    _bracedScalar() {
        let value = 0;
        do value = Math.min(value * 16 + this._hex(1), 0x110000);
        while (!this._take('}'));
        return value;
    }

    _pairOrUnit() {
        const first = this._hex(4);
        if (first < 0xD800 || first >= 0xDC00 || !this._take('\\u')) return first;
        const second = this._hex(4);
        if (second < 0xDC00 || second >= 0xE000) return first;
        return 0x10000 + (first - 0xD800) * 0x400 + (second - 0xDC00);
    }
}

const asSet = member => (typeof member === 'number' ? range(member) : member);

const unreadable = () => new SyntaxError('The server does not take such an expression.');
