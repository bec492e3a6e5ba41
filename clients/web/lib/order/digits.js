// Keys as numbers in base 62. The digits are in the order of their bytes.

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = 62n;
const VALUES = new Map([...DIGITS].map((digit, value) => [digit, BigInt(value)]));

/** The first `length` digits as a number. What a key lacks are zeros. */
export function numberOf(key, length) {
    let number = 0n;
    for (let place = 0; place < length; place += 1) number = number * BASE + (VALUES.get(key[place]) ?? 0n);
    return number;
}

/** The number with `length` digits. */
export function textOf(number, length) {
    let text = '';
    for (let rest = number; text.length < length; rest /= BASE) text = DIGITS[rest % BASE] + text;
    return text;
}

export const power = exponent => BASE ** BigInt(exponent);

/**
 * The key of the nth element of a list, from 1 on: how many digits it has, then they. It does not end with `0`, so it
 * is a rank behind any stem, and there is no last one.
 */
export function counter(n) {
    const last = DIGITS[1 + (n - 1) % 61];
    let head = '';
    for (let rest = Math.floor((n - 1) / 61); rest > 0; rest = Math.floor(rest / 62)) head = DIGITS[rest % 62] + head;
    return `${DIGITS[36 + head.length]}${head}${last}`;
}
