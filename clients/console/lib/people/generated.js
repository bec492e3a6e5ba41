// Without what is easily mistaken: 0 and O, 1, l and I.
const LETTERS = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const [GROUPS, LENGTH] = [4, 5];

/** A password that nobody guesses: 20 letters and digits, more than 115 bits. `fill` fills an array of random bytes. */
export function generatedPassword(fill = bytes => crypto.getRandomValues(bytes)) {
    const letters = [];
    while (letters.length < GROUPS * LENGTH) {
        // Each letter as likely as the others: bytes beyond the last whole multiple are left out.
        const usable = [...fill(new Uint8Array(32))].filter(byte => byte < 256 - 256 % LETTERS.length);
        letters.push(...usable.map(byte => LETTERS[byte % LETTERS.length]));
    }
    return Array.from({ length: GROUPS }, (_, group) =>
        letters.slice(group * LENGTH, (group + 1) * LENGTH).join('')).join('-');
}
