import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pattern } from '../lib/common/pattern/pattern.js';
import { generator, seeds } from '../../web/tests/support/random.js';

test('an expression that takes a browser seconds takes a few steps for each letter', () => {
    const pattern = new Pattern('(a*)*b');
    assert.ok(pattern.refuses('a'.repeat(4096)));
    assert.ok(pattern.steps <= 2 * 8 * 4097, `${pattern.steps}`);
    assert.ok(!pattern.refuses(`${'a'.repeat(4095)}b`));
});

test('what the server refuses at its start can\'t be matched here', () => {
    const refused = [
        '(', ')', '[', 'a{', '{', '}', ']', '*', 'a**', '^*', '(?=a)', '(?<!a)', '(?i)a', '(a)\\1', '\\k<a>', '\\e', '\\-',
        '[b-a]', '[\\d-z]', '\\p{Script=Greek}', '\\p{Lq}', '\\u{110000}', '\\ud83d', '\\x4', '\\c1', '\\00', '.{601}',
        '(a{30}){30}', '([0-9]?[a-z]?){0,80}', `${'('.repeat(33)}a${')'.repeat(33)}`, 'a{3,2}', '(?<>a)', '(?<ä>a)',
    ];
    for (const text of refused) assert.throws(() => new Pattern(text), text);
});

const ATOMS = ['a', 'b', '.', '[ab]', '[^a]', '\\w', '\\W', '\\s', '\\d', '\\u{1F600}', '[]', '[^]', '\\p{Lu}', '\\P{L}'];
const REPEATS = ['', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?'];
const LETTERS = ['a', 'b', 'A', ' ', '\n', '1', '\u{1F600}', '\u0301', '\u2028', '_'];

/** An expression of the kind that the server takes. */
function expression(random, depth) {
    const pick = list => list[Math.floor(random() * list.length)];
    const kind = random();
    if (depth === 0 || kind < 0.4) return pick(ATOMS) + pick(REPEATS);
    if (kind < 0.5) return pick(['^', '$', '\\b', '\\B']);
    if (kind < 0.7) return `(${expression(random, depth - 1)}|${expression(random, depth - 1)})${pick(REPEATS)}`;
    return expression(random, depth - 1) + expression(random, depth - 1);
}

test('on short texts it finds what a browser\'s own expressions find', () => {
    for (const seed of seeds(1, 2)) {
        const random = generator(seed);
        let matches = 0;
        for (let round = 0; round < 1000; round++) {
            const text = expression(random, 3);
            const letters = Array.from({ length: Math.floor(random() * 6) }, () => LETTERS[Math.floor(random() * 10)]);
            const expected = new RegExp(`^(?:${text})$`, 'u').test(letters.join(''));
            matches += expected ? 1 : 0;
            const what = `SEED=${seed}: ${text} on ${JSON.stringify(letters.join(''))}`;
            assert.equal(!new Pattern(text).refuses(letters.join('')), expected, what);
        }
        assert.ok(matches > 50, `SEED=${seed}: only ${matches} matches`);
    }
});
