// A world whose windows name indexes, each others than the one before, and ask for rows by them.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { Naming } from '../../lib/indexes/naming.js';
import { entriesOf } from './entries.js';
import { World } from './world.js';

/** What pages name: of two windows, one may have named nothing. */
const NAMED = [
    null, { tasks: ['name', ['wbs_path', '-name']] }, { tasks: [['project_id', '-notes']], time_entries: ['minutes'] },
    { tasks: ['-notes', 'name'] },
];

export class IndexWorld extends World {
    looks = 0;

    async run() {
        const { step } = Naming;
        Naming.step = 2;
        try {
            await super.run();
        } finally {
            Naming.step = step;
        }
    }

    options() {
        return { indexes: this.pick(NAMED) };
    }

    queries() {
        const [project] = this.projects;
        return [
            ['tasks', { order: 'name', limit: 4 }], ['tasks', { project, order: '-notes', limit: 3 }],
            ['tasks', { where: { name: { prefix: 'edit' } } }],
            ['tasks', { where: { wbs_path: null }, order: '-name', limit: 2 }],
            ['tasks', { where: { name: { after: 'edit 2', to: 'online 1' } }, order: ['-notes', 'name'] }],
            ['time_entries', { where: { minutes: 5 }, limit: 2 }],
        ];
    }

    async step() {
        await super.step();
        const window = this.pick(this.windows);
        await this.in(window, client => this.look(client));
    }

    /** The answer to a question, and all rows at that moment. Another window may sync between two reads. */
    async looked(client, collection, options) {
        for (;;) {
            const all = await client.rows(collection);
            const found = await client.rows(collection, options);
            if (isDeepStrictEqual(all, await client.rows(collection))) return { found, all };
        }
    }

    /** Each row has its entries, and nothing else has some. What is asked for is what a search by hand finds. */
    async look(client) {
        this.looks++;
        const { stored, due } = await entriesOf(client._replica);
        assert.deepEqual(stored, due, this.label('entries'));
        for (const [collection, options] of this.queries()) {
            const { found, all } = await this.looked(client, collection, options);
            assert.deepEqual(found, byHand(all, options), this.label(JSON.stringify(options)));
        }
    }

    async check() {
        for (const { client } of this.windows) await this.look(client);
        await super.check();
    }
}

/** The rows that a question asks for, found without any of the client's code. */
export function byHand(rows, { project = null, where = {}, order = [], limit = Infinity }) {
    const found = rows.filter(row => (project === null || row.project_id === project)
        && Object.entries(where).every(([name, condition]) => isMet(row[name] ?? null, condition)));
    return found.sort((one, other) => inOrder(one, other, [order].flat())).slice(0, limit);
}

function isMet(value, condition) {
    if (condition === null || typeof condition !== 'object') return value === condition;
    const { prefix, from, after, to, before } = condition;
    if (value === null) return false;
    return (prefix === undefined || value.startsWith(prefix)) && (from === undefined || compare(value, from) >= 0)
        && (after === undefined || compare(value, after) > 0) && (to === undefined || compare(value, to) <= 0)
        && (before === undefined || compare(value, before) < 0);
}

function inOrder(one, other, order) {
    for (const text of order) {
        const name = text.replace('-', '');
        const result = compare(one[name] ?? null, other[name] ?? null);
        if (result !== 0) return text.startsWith('-') ? -result : result;
    }
    return compare(one.id, other.id);
}

/** Null comes first, and texts are in the order of their bytes, of which the first 128 characters count. */
function compare(one, other) {
    if (one === null || other === null) return Number(one !== null) - Number(other !== null);
    if (typeof one !== 'string') return Number(one) - Number(other);
    const bytes = text => Buffer.from([...text].slice(0, 128).join(''));
    return Buffer.compare(bytes(one), bytes(other));
}
