// Mistakes that the random runs with parts must catch, each with a mix of what happens that brings it out. They are
// planted by replacing methods; `plant` returns what undoes it.
import { Asked } from '../../lib/part/asked.js';
import { Coverage } from '../../lib/part/coverage.js';
import { Sweep } from '../../lib/part/leavers.js';

/** `change` gets the original method. */
const replacing = (type, name, change) => () => {
    const original = Object.getOwnPropertyDescriptor(type.prototype, name);
    const value = change(original.value);
    Object.defineProperty(type.prototype, name, { configurable: true, writable: true, value });
    return () => Object.defineProperty(type.prototype, name, original);
};

const QUIET = { lost: 0, answers: 0, kills: 0, between: 0, purges: 0, wiped: 0 };
const mapped = (changes, change) =>
    Object.fromEntries(Object.entries(changes).map(([name, bucket]) => [name, change(bucket, name)]));

export const PLANTS = {
    'a leaver is forgotten': {
        mix: QUIET,
        plant: replacing(Coverage, 'handOver', original => function (answer, rest) {
            const changes = mapped(answer.changes, ({ left = [], ...bucket }) => ({ ...bucket, left: left.slice(1) }));
            return original.call(this, { ...answer, changes }, rest);
        }),
    },

    'an edit leaves with its row, because the row is deleted': {
        mix: { ...QUIET, writes: 0.6 },
        plant: replacing(Coverage, 'handOver', original => function (answer, rest) {
            const changes = mapped(answer.changes, ({ left = [], ...bucket }) =>
                ({ ...bucket, deleted: [...bucket.deleted, ...left] }));
            return original.call(this, { ...answer, changes }, rest);
        }),
    },

    'an edit leaves with its row, because nobody looks at it': {
        mix: { writes: 0.8, lost: 0.3, answers: 0.3 },
        plant: replacing(Sweep, 'isClean', () => () => true),
    },

    'another filter follows a cut': {
        mix: { ...QUIET, between: 0.6, renames: 0.9 },
        plant: replacing(Coverage, 'asked', original => async function (lastPulledAt, wanted) {
            const asked = await original.call(this, lastPulledAt, wanted);
            return new Asked({ ...asked, filter: wanted });
        }),
    },

    'the filter counts as soon as the pull is handed over': {
        mix: { ...QUIET, kills: 0.1, renames: 0.9 },
        plant: replacing(Coverage, 'handOver', original => async function (answer, rest) {
            const handed = await original.call(this, answer, rest);
            const { next, left } = this._record ?? {};
            if (next) await this._save({ good: { number: next.before, filter: next.filter }, next, left });
            return handed;
        }),
    },

    'a row that came again goes': {
        mix: { writes: 0.6, lost: 0.2 },
        plant: replacing(Coverage, 'handOver', original => async function (answer, rest) {
            const before = await this.left();
            const handed = await original.call(this, answer, rest);
            if (this._record) this._record.left = { ...this._record.left, ...before };
            return handed;
        }),
    },

    'rows that a pull from 0 does not have stay': {
        mix: { purges: 0.3, wiped: 0.5 },
        plant: replacing(Coverage, 'handOver', original => function ({ experimentalStrategy, ...answer }, rest) {
            return original.call(this, answer, rest);
        }),
    },
};
