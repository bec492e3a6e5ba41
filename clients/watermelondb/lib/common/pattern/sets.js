// The characters that an expression takes at one position, as a function of a code point. They are those of the server:
// Sources/SyncSchema/ScalarSet.swift.

const range = (low, high = low) => code => low <= code && code <= high;
const ascii = (low, high = low) => range(low.charCodeAt(0), high.charCodeAt(0));

/** What one of these sets has, and what none of them has. */
export const any = sets => code => sets.some(has => has(code));
export const not = sets => code => !sets.some(has => has(code));

export { range };

/** `\d`. */
export const DIGITS = [ascii('0', '9')];

/** `\w`. */
export const WORD = [ascii('a', 'z'), ascii('A', 'Z'), ascii('0', '9'), ascii('_')];

/** `\s`: https://tc39.es/ecma262/#sec-white-space and the line terminators. */
export const SPACE = [
    range(0x09, 0x0D), range(0x20), range(0xA0), range(0x1680), range(0x2000, 0x200A), range(0x2028, 0x2029),
    range(0x202F), range(0x205F), range(0x3000), range(0xFEFF),
];

/** What `.` does not take. */
export const LINE_ENDS = [range(0x0A), range(0x0D), range(0x2028, 0x2029)];

const CATEGORIES = /^(L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfson]?)$/;

/**
 * What has a general category, or one of a group of them. Undefined if there is none of the name. Throws if the platform
 * does not know categories.
 */
export function category(name) {
    if (!CATEGORIES.test(name)) return undefined;
    const expression = new RegExp(`^\\p{${name}}$`, 'u');
    return code => expression.test(String.fromCodePoint(code));
}

/** A set that is quick for ASCII: nearly all characters are. */
export function quick(has) {
    const known = Array.from({ length: 128 }, (_, code) => has(code));
    return code => known[code] ?? has(code);
}
