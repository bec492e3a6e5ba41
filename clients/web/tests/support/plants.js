// Mistakes that the random runs must catch, each with a mix of what happens that brings it out. They are planted by
// replacing methods; `plant` returns what undoes it.
import { nextBatch } from '../../lib/store/next-batch.js';
import { Replacement, applyPage } from '../../lib/store/apply.js';
import { Replica } from '../../lib/store/replica.js';
import { Rows } from '../../lib/store/rows.js';
import { settle } from '../../lib/store/settle.js';
import { advanced } from '../../lib/store/state.js';
import { Unit } from '../../lib/store/unit.js';
import { cleaned } from '../../lib/rows/record.js';

export const replacing = (type, method, replacement) => () => {
    const original = type.prototype[method];
    type.prototype[method] = replacement;
    return () => {
        type.prototype[method] = original;
    };
};

/** Several plants at once. */
export const both = (...plants) => () => {
    const undo = plants.map(plant => plant());
    return () => undo.forEach(each => each());
};

/** Lets every row that a unit writes pass through `change`, with what was stored before. */
export function changing(unit, change) {
    const put = unit.rows.put.bind(unit.rows);
    unit.rows.put = record => put(change(record, unit.rows._read.get(`${record.collection} ${record.id}`)));
}

const STOP = new TypeError('Nothing is stored.');

export const PLANTS = {
    'a cursor is stored before its page': {
        mix: { steps: 'essso', others: 'rree', kill: 1, within: 100 },
        plant: replacing(Replica, 'apply', async function apply(page, known, asked = null) {
            const stored = await this._writeIfStill(known, async unit => (unit.state = advanced(unit.state, page)));
            return stored && this._write(async unit => {
                unit.state = { ...known, answers: unit.state.answers, step: stored.step };
                const receipt = await applyPage(unit, page, asked);
                return { ...receipt, state: unit.state };
            });
        }),
    },

    'a batch is not stored before it is sent': {
        mix: {},
        plant: both(
            replacing(Replica, 'nextBatch', async function next(limits) {
                let made;
                await this._write(async unit => {
                    made = await nextBatch(unit, limits, this);
                    throw STOP;
                }).catch(error => {
                    if (error !== STOP) throw error;
                });
                return made;
            }),
            replacing(Replica, 'settle', function settled(batch, answer) {
                return this._write(async unit => {
                    const { number, ...made } = batch;
                    (await unit.batches())._all = [{ ...made, number: await unit.transaction.put('batches', made) }];
                    return settle(unit, batch, answer);
                });
            })),
    },

    'a page overwrites what is unsent': {
        mix: { steps: 'eeesoo', others: 'e', kill: 40 },
        plant: replacing(Replica, 'apply', function apply(page, known, asked = null) {
            return this._writeIfStill(known, async unit => {
                changing(unit, record => (record._status === 'updated' && record._drain > known.drainNumber
                    ? { ...cleaned(record), values: { ...record.values, ...record._base?.values } } : record));
                const receipt = await applyPage(unit, page, asked);
                return { ...receipt, state: unit.state };
            });
        }),
    },

    'an answer settles what was edited since': {
        mix: { steps: 'eeees', kill: 1 },
        plant: replacing(Replica, 'settle', function settled(batch, answer) {
            return this._write(unit => {
                changing(unit, cleaned);
                return settle(unit, batch, answer);
            });
        }),
    },

    'a refused edit goes nowhere': {
        mix: { steps: 'eeeso', others: 'r', kill: 40 },
        plant: replacing(Unit, 'setAside', () => {}),
    },

    'rows of lost projects stay': {
        mix: { steps: 'esooo', others: 'rrdp', kill: 40 },
        plant: replacing(Replica, 'apply', function apply(page, known, asked = null) {
            return this._writeIfStill(known, async unit => {
                const receipt = await applyPage(unit, { ...page, left: {} }, asked);
                return { ...receipt, state: unit.state };
            });
        }),
    },

    'a replacement leaves what it does not name': {
        mix: { steps: 'esooo', others: 'dddp', kill: 40 },
        plant: replacing(Replacement, 'rows', async () => []),
    },

    'a transaction tells of one row only': {
        mix: { steps: 'eesso', others: 'eed', kill: 40 },
        plant: replacing(Rows, '_tell', function tell({ collection, project_id, id }) {
            const key = `${collection} ${project_id}`;
            if (!this.changed.has(key)) this.changed.set(key, new Set([id]));
        }),
    },
};
