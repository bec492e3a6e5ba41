// Mistakes with kept pages that the random runs of a bank must catch, each with a mix of what happens that brings it
// out.
import { applyPage } from '../../lib/store/apply.js';
import { Replica } from '../../lib/store/replica.js';
import { keeping, keptOf } from '../../lib/store/state.js';
import { settle } from '../../lib/store/settle.js';
import { replacing } from './plants.js';

const { apply, _state } = Replica.prototype;

/** Calls the real `apply` with a page that something is changed in. */
const changingPage = change => replacing(Replica, 'apply', function changed(page, ...rest) {
    return apply.call(this, change(page), ...rest);
});

const counting = page => ({ ...page, answer: { ...page.answer, head: page.timestamp } });

export const PLANTS = {
    'every drain counts': { mix: { steps: 'oosss', kill: 40 }, plant: changingPage(counting) },

    'without the header every drain counts': {
        mix: { steps: 'oosss', kill: 10, bare: 1 },
        plant: changingPage(page => (page.answer.head === null ? counting(page) : page)),
    },

    'pages of a delta are stored in place': {
        mix: { steps: 'oosss', kill: 4 },
        plant: replacing(Replica, 'apply', function inPlace(page, known, asked = null) {
            return this._writeIfStill(known, async unit => ({ ...await applyPage(unit, page, asked), state: unit.state }));
        }),
    },

    'kept pages are applied twice': {
        mix: { steps: 'ooosss', kill: 40, between: 1, small: 40 },
        plant: replacing(Replica, 'apply', async function twice(page, known, asked, mayAsk) {
            const kept = keptOf(known);
            const stored = kept && await this.database.read(transaction => pagesOf(transaction, kept));
            const receipt = await apply.call(this, page, known, asked, mayAsk);
            if (!kept || !receipt?.state || keptOf(receipt.state) || receipt.state.since === 0) return receipt;
            return { ...receipt, state: await this._write(unit => keptAgain(unit, kept, stored)) };
        }),
    },

    'kept pages are applied after the watermark moved': {
        mix: { steps: 'ooossv', kill: 2, within: 80, between: 1, small: 40 },
        plant: replacing(Replica, '_state', async function state(transaction) {
            const found = await _state.call(this, transaction);
            return found.kept ? { ...found, kept: { ...found.kept, step: found.step } } : found;
        }),
    },

    'a push clears the watermark': {
        mix: { steps: 'oeess', kill: 40 },
        plant: replacing(Replica, 'settle', function clearing(batch, answer) {
            return this._write(async unit => {
                const receipts = await settle(unit, batch, answer);
                unit.state = { ...unit.state, since: 0, step: unit.state.step + 1 };
                return receipts;
            });
        }),
    },

    'a cursor is kept before its page': {
        mix: { steps: 'oosss', kill: 1, within: 100 },
        plant: replacing(Replica, 'apply', async function before(page, known, ...rest) {
            if (known.since === 0 || page.nextCursor === null) return apply.call(this, page, known, ...rest);
            const state = await this._writeIfStill(known, unit => (unit.state = keeping(unit.state, page, null)));
            const { pages, answersBefore } = state?.kept ?? {};
            if (state) await this.database.write(transaction => transaction.put('meta',
                { ...page.answer, asked: null, answersBefore }, ['page', pages - 1]));
            return state && { differing: null, left: [], dropped: 0, state };
        }),
    },
};

const pagesOf = (transaction, { pages }) =>
    Promise.all(Array.from({ length: pages }, (_, number) => transaction.get('meta', ['page', number])));

/** What was kept is there again. */
async function keptAgain(unit, kept, stored) {
    const step = unit.state.step + 1;
    unit.state = { ...unit.state, step, kept: { ...kept, step, since: unit.state.since, drain: null } };
    for (const [number, page] of stored.entries()) await unit.transaction.put('meta', page, ['page', number]);
    return unit.state;
}
