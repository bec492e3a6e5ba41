import { TidemarkError } from '../common/error.js';
import { counts, readPage } from '../rows/page.js';
import { applyPage } from './apply.js';
import { beginningWith, keyRange } from './transaction.js';
import { keeping, keptOf, positionOf, settledOf } from './state.js';

// Pages of a delta are kept as they came until a drain counts, so what is shown is always a state that was. They are in
// the store `meta`: a store of their own would need another version of the layout, and windows with an earlier version
// of this module could not open the copy any more. Those wipe `meta`, too, and overlook the pages otherwise.

/** The most rows that are kept. A delta with more is stored in place, and the copy is unsettled until a drain counts. */
export const MOST_KEPT = 20_000;

const PAGES = 'page';
const pageKey = number => [PAGES, number];

/**
 * Takes a page: keeps it with its cursor, or applies it with all that was kept if the drain counts that it ends. A copy
 * that is not settled gets it in place. `asked` is what the drain replaces, because it differed.
 *
 * Returns what `endDrain` does, for all drains that were applied. Throws `Differing`, so that nothing is applied, if the
 * digests differ then and `mayAsk` is set: what differs is read again before the state counts.
 */
export async function takePage(unit, page, { asked, mayAsk, mostKept }) {
    if (settledOf(unit.state) === null) return inPlace(unit, page, asked, mayAsk);
    const isOver = page.nextCursor === null && counts(page, positionOf(unit.state).drain === null);
    if (!isOver && (keptOf(unit.state)?.rows ?? 0) + page.count <= mostKept) return keepPage(unit, page, asked);
    const receipt = await applyKept(unit, page, asked);
    if (isOver && receipt.differing && mayAsk && unit.state.since > 0) throw new Differing(receipt);
    return receipt;
}

/** Keeps the last page of a drain that counts, until what differs after it was read again. */
export async function keepDiffering(unit, page, asked, differing) {
    const receipt = await keepPage(unit, page, asked);
    unit.state.kept = { ...unit.state.kept, asked: differing, replaced: differing };
    return { ...receipt, differing };
}

/** Drops what is kept, also what an earlier version of this module has overlooked. */
export async function dropKept(unit) {
    if ((unit.state.kept ?? null) === null) return;
    for (const key of await unit.transaction.keys('meta', keyRange(beginningWith(PAGES)))) {
        await unit.transaction.delete('meta', key);
    }
    unit.state = { ...unit.state, kept: null };
}

/** The digests differ after a drain. */
export class Differing extends TidemarkError {
    constructor({ differing }) {
        super('differing', 'The digests differ.');
        this.differing = differing;
    }
}

async function inPlace(unit, page, asked, mayAsk) {
    await dropKept(unit);
    const receipt = await applyPage(unit, page, asked);
    if (receipt.differing && mayAsk) unit.state = { ...unit.state, unsettled: unit.state.since };
    return receipt;
}

async function keepPage(unit, page, asked) {
    if (keptOf(unit.state) === null) await dropKept(unit);
    const { pages: number = 0 } = keptOf(unit.state) ?? {};
    unit.state = keeping(unit.state, page, asked);
    const { answersBefore } = unit.state.kept;
    await unit.transaction.put('meta', { ...page.answer, asked, answersBefore }, pageKey(number));
    return { differing: null, left: [], dropped: 0 };
}

/** Applies what is kept, page by page and drain by drain, and this page. */
async function applyKept(unit, page, asked) {
    const pages = await keptPages(unit);
    await dropKept(unit);
    const receipts = new Receipts();
    for (const each of [...pages, { page, asked }]) {
        receipts.add(await applyPage(unit, each.page, each.asked, each.answersBefore));
        // The end of a drain may have shown that all of it is of another history.
        if (unit.state.since === 0) return receipts.sum(await unit.heads());
    }
    if (unit.state.drain === null) unit.state = { ...unit.state, compared: receipts.compared };
    return receipts.sum(await unit.heads());
}

async function keptPages(unit) {
    const { pages: count = 0 } = keptOf(unit.state) ?? {};
    const stored = await Promise.all(Array.from({ length: count }, (_, number) =>
        unit.transaction.get('meta', pageKey(number))));
    return stored.map(({ json, asked, answersBefore, ...answer }) =>
        ({ page: readPage(json, unit.schema, unit.project, answer), asked, answersBefore }));
}

/** What several drains have done. */
class Receipts {
    _differing = { collections: new Set(), projects: new Set() };
    _left = new Map();
    _dropped = 0;
    _isCompared = false;

    add({ differing, same = [], left, dropped }) {
        const { collections, projects } = this._differing;
        same.forEach(each => projects.delete(each));
        differing?.projects.forEach(each => projects.add(each));
        differing?.collections.forEach(each => collections.add(each));
        this._isCompared ||= same.length > 0;
        for (const lost of left) {
            const { setAside = 0 } = this._left.get(lost.id) ?? {};
            this._left.set(lost.id, { ...lost, setAside: lost.setAside + setAside });
        }
        this._dropped += dropped;
    }

    get differing() {
        const { collections, projects } = this._differing;
        return projects.size > 0 ? { collections: [...collections], projects: [...projects] } : null;
    }

    get compared() {
        return this.differing ? 'differs' : this._isCompared ? 'same' : null;
    }

    /** A project that a later drain has brought back is not lost. */
    sum(heads) {
        const left = [...this._left.values()].filter(({ id }) => !Object.hasOwn(heads, id));
        return { differing: this.differing, left, dropped: this._dropped };
    }
}
