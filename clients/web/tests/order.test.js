import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as library from '../lib/order/index.js';
import { PROPERTIES, after, ids, put, randomCode, randomRows, ranked, shortID } from './support/order.js';
import { generator, seeds } from './support/random.js';

const { compareSiblings, inOrder, isRank, orderKey, Placing, spread } = library;

/** What the Swift side reads as well. Made by scripts/vectors/order.py, which orders in another way. */
const vectors = JSON.parse(readFileSync(new URL('../../../Tests/Vectors/order.json', import.meta.url), 'utf8'));

test('keys, orders and ranks are those of all sides', () => {
    assert.ok(vectors.keys.length > 30 && vectors.orders.length > 10 && vectors.ranks.length > 10);
    for (const { row, key } of vectors.keys) assert.equal(orderKey(row), key, JSON.stringify(row));
    for (const rows of vectors.orders) {
        assert.equal(ids(inOrder([...rows].reverse())), ids(rows));
        assert.equal(ids([...rows].reverse().sort(compareSiblings)), ids(rows));
    }
    const ranks = spread(1_000_000);
    for (const { place, rank } of vectors.ranks) assert.equal(ranks[place], rank);
});

test('the rank is the key, then the numbers of the code with the short id, then the short id', () => {
    const rows = [
        { id: 'rank', rank: 'V', wbs_path: '1', short_id: shortID(1) },
        { id: 'one', wbs_path: '1', short_id: shortID(9) }, { id: 'one-later', wbs_path: '1', short_id: shortID(10) },
        { id: 'one-unsent', wbs_path: '1', short_id: null },
        { id: 'below', wbs_path: 'A.1 - 2', short_id: shortID(2) },
        { id: 'nine', wbs_path: '1.9', short_id: shortID(3) },
        { id: 'ten', wbs_path: '1/10', short_id: shortID(4) }, { id: 'two', wbs_path: '02', short_id: shortID(5) },
        { id: 'long', wbs_path: '1234567890123456789012345', short_id: shortID(5) },
        { id: 'text', wbs_path: 'A', short_id: shortID(6) }, { id: 'plain', wbs_path: null, short_id: shortID(7) },
        { id: 'unsent', rank: null }, { id: 'unsent-too' },
    ];
    assert.equal(ids(inOrder([...rows].reverse())), ids(rows));
    assert.equal(ids([...rows].reverse().sort(compareSiblings)), ids(rows));
});

test('a rank that the server would not take counts as none', () => {
    for (const rank of ['', '0', 'A0', 'ä', 'A-B', 'A'.repeat(129), 7]) {
        assert.equal(orderKey({ rank, short_id: shortID(1) }), orderKey({ short_id: shortID(1) }));
    }
});

test('siblings that all have codes, or none, keep the order that they had before there were ranks', () => {
    for (const seed of seeds(1, 2, 3)) {
        const random = generator(seed);
        for (const isCoded of [true, false]) {
            const rows = randomRows(random, 60).map(row =>
                ({ ...row, rank: undefined, wbs_path: isCoded ? randomCode(random) : null }));
            assert.equal(ids(inOrder(rows)), ids([...rows].sort(formerly)), `seed ${seed}`);
        }
    }
});

/** The order of commit a6c6269c, where siblings are coded or none is. */
function formerly(one, other) {
    const [left, right] = [one, other].map(({ wbs_path }) => wbs_path?.split('.').map(Number) ?? []);
    for (let place = 0; place < Math.min(left.length, right.length); place += 1) {
        if (left[place] !== right[place]) return left[place] - right[place];
    }
    if (left.length !== right.length) return left.length - right.length;
    const [first, second] = [one.short_id ?? '~', other.short_id ?? '~'];
    if (first !== second) return first < second ? -1 : 1;
    return one.id < other.id ? -1 : 1;
}

for (const [property, holds] of Object.entries(PROPERTIES)) {
    test(property, () => {
        for (const seed of seeds(1, 2, 3, 4, 5)) {
            try {
                holds(library, generator(seed));
            } catch (error) {
                throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
            }
        }
    });
}

test('only rows with equal keys beside the place get another rank', () => {
    const siblings = ranked(['B', 'C', 'C', 'C', 'D']);
    const { reranked, rows } = put(library, new Placing(), siblings, 2);
    assert.equal(reranked.map(({ id }) => id).join(), 'r1');
    assert.equal(ids(rows), 'r0 r1 new-0 r2 r3 r4');
    assert.equal(put(library, new Placing(), siblings, 3).reranked.map(({ id }) => id).join(), 'r3');
    for (const index of [0, 1, 4, 5]) assert.equal(put(library, new Placing(), siblings, index).reranked.length, 0);
});

test('rows without a number make room, too', () => {
    const siblings = inOrder(['a', 'b', 'c'].map(id => ({ id })));
    assert.equal(put(library, new Placing(), siblings, 1).reranked.map(({ id }) => id).join(), 'a');
});

test('where 128 characters do not suffice, the nearest neighbours get shorter ranks', () => {
    const near = `${'A'.repeat(127)}B`;
    const siblings = ranked(['1', `${'A'.repeat(127)}A`, near, 'Z']);
    const { reranked } = put(library, new Placing(), siblings, 2);
    assert.deepEqual(reranked.map(({ id }) => id), ['r1', 'r2']);
    const first = ranked([`${'0'.repeat(127)}1`, 'B']);
    assert.deepEqual(put(library, new Placing(), first, 0).reranked.map(({ id }) => id), ['r0']);
    const last = ranked(['B', 'z'.repeat(128)]);
    assert.deepEqual(put(library, new Placing(), last, 2).reranked.map(({ id }) => id), ['r1']);
});

test('ranks stay short, wherever rows are put again and again', () => {
    const places = {
        'at the end': [(length, _last) => length, 14], 'at the beginning': [() => 0, 14],
        'behind the first row': [() => 1, 75], 'before the last row': [length => length - 1, 75],
        'behind the row before': [(_, last) => last + 1, 75],
    };
    for (const seed of seeds(1, 2)) {
        for (const [name, [indexOf, most]] of Object.entries(places)) {
            const random = generator(seed);
            let [siblings, last, reranked] = [ranked(['G', 'H']), 0, 0];
            for (let step = 0; step < 300; step += 1) {
                last = indexOf(siblings.length, last);
                const placed = new Placing({ random }).put(siblings, last);
                reranked += placed.reranked.length;
                siblings = after(siblings, last, placed, `n${step}`);
            }
            const longest = Math.max(...siblings.map(({ rank }) => rank.length));
            assert.ok(longest <= most && reranked === 0, `seed ${seed}: ${name}: ${longest} characters`);
            assert.equal(ids(inOrder(siblings)), ids(siblings));
        }
    }
});

test('three thousand rows at one place cost little re-ranking, and no rank is too long', () => {
    const random = generator(7);
    let [siblings, reranked] = [ranked(['G', 'H']), 0];
    for (let step = 0; step < 3_000; step += 1) {
        const placed = new Placing({ random }).put(siblings.slice(0, 40), 1);
        reranked += placed.reranked.length;
        siblings = after(siblings, 1, placed, `n${step}`);
    }
    assert.ok(reranked < 100, `${reranked} rows got another rank`);
    assert.equal(ids(inOrder(siblings)), ids(siblings));
});

test('rows that are typed one after another are one block as well', () => {
    const random = generator(11);
    const siblings = ranked(['G', 'H']);
    const blocks = ['a', 'b'].map(name => {
        const go = new Placing({ random });
        let rows = siblings;
        for (let step = 0; step < 70; step += 1) {
            rows = put(library, go, rows, step + 1, { name: `${name}${step}` }).rows;
        }
        return rows.slice(1, -1);
    });
    const shown = inOrder([...siblings, ...blocks.flat()]).map(({ id }) => id[0]).join('');
    assert.match(shown, /^r(a{70}b{70}|b{70}a{70})r$/);
    const longest = Math.max(...blocks.flat().map(({ rank }) => rank.length));
    assert.ok(longest <= 10, `${longest} characters`);
});

test('a row that is put between two rows of the go stands there', () => {
    const go = new Placing({ random: generator(3) });
    let rows = put(library, go, [], 0, { count: 3, name: 'a' }).rows;
    rows = put(library, go, rows, 2, { count: 2, name: 'b' }).rows;
    rows = put(library, go, rows, 4, { name: 'c' }).rows;
    assert.equal(ids(rows), 'a-0 a-1 b-0 b-1 c-0 a-2');
});

test('what is put at the end stays before what an app without ranks adds later', () => {
    const known = [{ id: 'a', short_id: shortID(1) }, { id: 'b', short_id: shortID(2) }];
    const typed = put(library, new Placing(), known, 2, { count: 2, name: 'typed' }).rows;
    const rows = put(library, new Placing(), typed, 4, { name: 'more' }).rows;
    const later = { id: 'later', short_id: shortID(4) };
    assert.equal(ids(inOrder([later, ...rows])), 'a b typed-0 typed-1 more-0 later');
    const empty = put(library, new Placing(), [], 0).rows;
    assert.equal(ids(inOrder([{ id: 'later', wbs_path: '1', short_id: shortID(1) }, ...empty])), 'new-0 later');
    const coded = [{ id: 'a', wbs_path: '1.1', short_id: shortID(1) }];
    assert.equal(ids(inOrder([{ id: 'later', wbs_path: '1.2', short_id: shortID(2) },
        ...put(library, new Placing(), coded, 1).rows])), 'a new-0 later');
});

test('a file\'s rows are in the file\'s order', () => {
    const ranks = spread(10_000);
    assert.ok(ranks.every(isRank) && ranks.every(rank => rank.length <= 5));
    const rows = ranked(ranks);
    assert.equal(ids(inOrder([...rows].reverse())), ids(rows));
});
