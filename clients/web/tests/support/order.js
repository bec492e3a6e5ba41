import assert from 'node:assert/strict';

// What must hold of the order of tasks, whatever the rows are. `library` is lib/order, or a copy of it with a mistake.

const KEY = /^[0-9A-Za-z]*[1-9A-Za-z]$/;

export const shortID = number => number.toString(16).toUpperCase().padStart(8, '0');
export const ranked = ranks => ranks.map((rank, place) => ({ id: `r${place}`, rank }));
export const ids = rows => rows.map(({ id }) => id).join(' ');

/** What the siblings are after the edits of a put, with the new rows in their place. */
export function after(siblings, index, { ranks, reranked }, name = 'new') {
    const others = new Map(reranked.map(({ id, rank }) => [id, rank]));
    const rows = siblings.map(row => (others.has(row.id) ? { ...row, rank: others.get(row.id) } : row));
    rows.splice(index, 0, ...ranks.map((rank, place) => ({ id: `${name}-${place}`, rank })));
    return rows;
}

/** Puts rows, and asserts that the edits are legal and leave the rows in this order. */
export function put({ inOrder, isRank }, placing, siblings, index, { count = 1, name = 'new' } = {}) {
    const placed = placing.put(siblings, index, count);
    for (const rank of [...placed.ranks, ...placed.reranked.map(each => each.rank)]) {
        assert.ok(isRank(rank) && rank.length <= 128 && KEY.test(rank), rank);
    }
    assert.equal(placed.ranks.length, count);
    const rows = after(siblings, index, placed, name);
    assert.equal(ids(inOrder(rows)), ids(rows));
    assert.equal(new Set(placed.ranks).size, count);
    return { rows, ...placed };
}

export const randomCode = random =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => Math.floor(random() ** 3 * 1200)).join('.');

function randomRank(random) {
    const length = Math.floor(random() ** 3 * 128);
    const text = Array.from({ length }, () => (random() < 0.3 ? '0' : '0123VWXYZaz'[Math.floor(random() * 11)]));
    return `${text.join('')}${'1Vz'[Math.floor(random() * 3)]}`;
}

/** Rows of all kinds, with many equal keys. */
export function randomRows(random, count) {
    const some = Array.from({ length: 1 + Math.floor(random() * count) }, () => randomRank(random));
    return Array.from({ length: count }, (_, place) => ({
        id: `t${Math.floor(random() * 1e9)}-${place}`,
        rank: random() < 0.5 ? some[Math.floor(random() * some.length)] : null,
        wbs_path: random() < 0.4 ? randomCode(random) : null,
        short_id: random() < 0.8 ? shortID(Math.floor(random() * 40)) : null,
    }));
}

export const PROPERTIES = {
    'any rows have one order, and a row fits into any place': (library, random) => {
        const { inOrder, orderKey, Placing } = library;
        let siblings = inOrder(randomRows(random, 12));
        for (const row of siblings) assert.match(orderKey(row), KEY);
        for (let step = 0; step < 60; step += 1) {
            assert.equal(ids(inOrder([...siblings].sort(() => random() - 0.5))), ids(siblings));
            const index = Math.floor(random() * (siblings.length + 1));
            const count = 1 + Math.floor(random() * 3);
            siblings = put(library, new Placing({ random }), siblings, index, { count, name: `n${step}` }).rows;
        }
    },

    'a new row moves no other': ({ inOrder }, random) => {
        const rows = randomRows(random, 10).map(row => (random() < 0.3 ? { ...row, rank: null } : row));
        for (let count = 1; count <= rows.length; count += 1) {
            const [before, now] = [rows.slice(0, count - 1), rows.slice(0, count)].map(each => inOrder(each));
            assert.equal(ids(now.filter(row => row !== rows[count - 1])), ids(before));
        }
    },

    'two blocks that are put into one place at the same time do not mix': ({ inOrder, Placing }, random) => {
        const siblings = inOrder(randomRows(random, 6));
        const index = Math.floor(random() * 7);
        const [a, b] = ['a', 'b'].map(name => {
            const { ranks, reranked } = new Placing({ random }).put(siblings, index, 20);
            return { rows: ranks.map((rank, place) => ({ id: `${name}${place}`, rank })), reranked };
        });
        // Of neighbours that both have re-ranked, one device's ranks stand.
        const others = new Map(a.reranked.map(({ id, rank }) => [id, rank]));
        const kept = siblings.map(row => ({ ...row, rank: others.get(row.id) ?? row.rank }));
        const shown = inOrder([...kept, ...a.rows, ...b.rows]).map(({ id }) => id[0]).join('');
        assert.match(shown, /^t*(a{20}t*b{20}|b{20}t*a{20})t*$/);
    },
};
