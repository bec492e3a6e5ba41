import { Compiler } from './compiler.js';
import { Parser } from './parser.js';
import { WORD, any, category } from './sets.js';

/** The most steps for one text, as on the server. */
const MOST_STEPS = 20_000_000;

const isWord = any(WORD);

/**
 * A regular expression of a schema. It is matched as on the server, by following all states that a text can lead to at
 * the same time (https://swtch.com/~rsc/regexp/regexp1.html): a character costs at most two steps for each instruction,
 * whatever the expression is. A browser's RegExp takes seconds for `(a*)*b` over 27 letters.
 */
export class Pattern {
    /** How many steps the last text took: at most two of each instruction for each character, and once more. */
    steps = 0;

    /** Throws for an expression that can't be matched here. */
    constructor(text) {
        const parser = new Parser(text);
        this._program = new Compiler().compile(parser.whole());
        this._unknown = parser.hasCategories ? category('Cn') : null;
    }

    /** Whether the whole text certainly does not match. */
    refuses(text) {
        const codes = Array.from(text, letter => letter.codePointAt(0));
        if (codes.length > MOST_STEPS / (2 * this._program.length)) return false;
        // The server may know a newer Unicode, in which the character has another category.
        const run = new Run(this._program);
        const isMatch = run.matches(codes);
        this.steps = run.steps;
        return !isMatch && !(this._unknown && codes.some(this._unknown));
    }
}

/** One match. */
class Run {
    steps = 0;

    constructor(program) {
        this.program = program;
        /** For each position, the index of the character before which it was last reached. None is examined twice. */
        this._reached = new Int32Array(program.length).fill(-1);
    }

    matches(codes) {
        let places = this._reach([], 0, 0, codes);
        for (const [index, code] of codes.entries()) {
            if (places.length === 0) return false;
            const following = [];
            this.steps += places.length;
            for (const place of places) {
                if (this.program[place].letter?.(code)) this._reach(following, place + 1, index + 1, codes);
            }
            places = following;
        }
        return places.some(place => this.program[place].end);
    }

    /** Adds the positions of characters, and of the end, that `first` leads to before a character. */
    _reach(places, first, index, codes) {
        const stack = [first];
        while (stack.length > 0) {
            const place = stack.pop();
            if (this._reached[place] === index) continue;
            this._reached[place] = index;
            this.steps += 1;
            const { split, jump, assertion } = this.program[place];
            if (split) stack.push(split[1], split[0]);
            else if (jump !== undefined) stack.push(jump);
            else if (!assertion) places.push(place);
            else if (holds(assertion, codes[index - 1], codes[index])) stack.push(place + 1);
        }
        return places;
    }
}

function holds(assertion, before, next) {
    switch (assertion) {
        case 'start': return before === undefined;
        case 'end': return next === undefined;
        case 'boundary': return isWord(before) !== isWord(next);
        default: return isWord(before) === isWord(next);
    }
}
