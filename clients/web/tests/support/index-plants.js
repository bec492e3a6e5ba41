// Mistakes with the entries of indexes that the random runs must catch, each with a mix that brings it out.
import { Answering } from '../../lib/indexes/answer.js';
import { Entries } from '../../lib/indexes/entries.js';
import { Unit } from '../../lib/store/unit.js';
import { both, replacing } from './plants.js';

const { move } = Entries.prototype;
const { setHeads } = Unit.prototype;
let heads = {};

/** Moves entries only if a condition holds; otherwise the old one stays behind. */
const movingIf = condition => replacing(Entries, 'move', function moves(before, after) {
    return move.call(this, condition(before, after, this) ? before : null, after);
});

export const PLANTS = {
    'an entry is left behind by a pull': {
        mix: { steps: 'ssooo', others: 'e', kill: 40 },
        plant: movingIf((before, after) => !before || !after || before._drain === after._drain),
    },

    'an entry is left behind by a lost project': {
        mix: { steps: 'esooo', others: 'rr', kill: 40 },
        plant: both(
            replacing(Unit, 'setHeads', function noting(given) {
                heads = given;
                return setHeads.call(this, given);
            }),
            movingIf((before, after) => after !== null || Object.hasOwn(heads, before.project_id))),
    },

    'an entry is left behind by an edit': {
        mix: { steps: 'eees', kill: 40 },
        plant: movingIf((before, after) => !before || !after || after._status === 'synced'),
    },

    'rows that are written while an index is made keep their old entries': {
        mix: { steps: 'eesso', kill: 1, within: 200 },
        plant: movingIf((before, after, { indexes }) => indexes.every(({ mark }) => mark === null)),
    },

    'a row is not in the place of one that has left': {
        mix: { steps: 'eesso', others: 'ed', kill: 40 },
        plant: replacing(Answering, 'after', function without(known, ids) {
            this._first = async () => [];
            return Answering.prototype._after.call(this, known, ids);
        }),
    },

    'what else has changed is not looked at': {
        mix: { steps: 'eesso', others: 'ed', kill: 40 },
        plant: replacing(Answering, 'after', function first(known, ids) {
            return Answering.prototype._after.call(this, known, ids.slice(0, 1));
        }),
    },
};

Answering.prototype._after = Answering.prototype.after;
