/** The most instructions of an expression. */
const MOST_INSTRUCTIONS = 600;

/** The most instructions for a part that may be empty with its repetitions written out. */
const MOST_EMPTY_STEPS = 256;

/**
 * Turns an expression into instructions, as the server does (Sources/SyncSchema/PatternCompiler.swift). A part that is
 * repeated n times is written n times. An instruction is one of
 * - `{ letter }`: takes one character of the set, and continues after it
 * - `{ split: [one, other] }`: continues at both positions
 * - `{ jump }`
 * - `{ assertion }`: continues if it holds
 * - `{ end }`
 */
export class Compiler {
    program = [];

    /** Throws if the server would refuse the expression. */
    compile(node) {
        this._add(node);
        this._emit({ end: true });
        return this.program;
    }

    _add(node) {
        if (node.letter) this._emit({ letter: node.letter });
        else if (node.assertion) this._emit({ assertion: node.assertion });
        else if (node.sequence) node.sequence.forEach(each => this._add(each));
        else if (node.choice) this._addChoice(node.choice);
        else if (!isEmpty(node)) this._addRepeated(node);
    }

    _addRepeated({ repeated, least, most }) {
        const isFree = takesNothing(repeated);
        const start = this.program.length;
        for (let count = most === null && isFree ? 0 : least; count > 0; count--) this._add(repeated);
        if (most === null) return this._addAnyNumberOf(withoutCounts(repeated));
        this._addUpTo(repeated, most - least);
        if (isFree && this.program.length - start > MOST_EMPTY_STEPS) throw tooLarge();
        return undefined;
    }

    _addChoice([first, ...rest]) {
        if (rest.length === 0) return this._add(first);
        const split = this._emit({});
        this._add(first);
        const jump = this._emit({});
        split.split = [this._after(split), this.program.length];
        this._addChoice(rest);
        jump.jump = this.program.length;
        return undefined;
    }

    _addAnyNumberOf(node) {
        const split = this._emit({});
        this._add(node);
        this._emit({ jump: this._after(split) - 1 });
        split.split = [this._after(split), this.program.length];
    }

    _addUpTo(node, count) {
        const splits = [];
        for (let index = 0; index < count; index++) {
            splits.push(this._emit({}));
            this._add(node);
        }
        for (const split of splits) split.split = [this._after(split), this.program.length];
    }

    _emit(instruction) {
        if (this.program.length >= MOST_INSTRUCTIONS) throw tooLarge();
        this.program.push(instruction);
        return instruction;
    }

    _after(instruction) {
        return this.program.indexOf(instruction) + 1;
    }
}

/** Whether a node compiles to nothing at all. */
function isEmpty({ sequence, repeated, most }) {
    if (sequence) return sequence.every(isEmpty);
    return repeated !== undefined && (most === 0 || isEmpty(repeated));
}

/** Whether a node matches without a character, wherever that is. */
function takesNothing({ sequence, choice, repeated, least }) {
    if (sequence) return sequence.every(takesNothing);
    if (choice) return choice.some(takesNothing);
    return repeated !== undefined && (least === 0 || takesNothing(repeated));
}

/** What means the same within a repetition without an upper bound: `(x{0,9}|y)*` matches what `(x|y)*` does. */
function withoutCounts(node) {
    if (node.repeated && node.least <= 1 && node.most !== 0) return withoutCounts(node.repeated);
    if (node.choice) return { choice: node.choice.map(withoutCounts) };
    return node.sequence?.length === 1 ? withoutCounts(node.sequence[0]) : node;
}

const tooLarge = () => new RangeError('The server does not take an expression of so many steps.');
