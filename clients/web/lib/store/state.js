import { EVERYTHING } from '../common/filter-text.js';

/**
 * How far a copy is synced, as one value in the store `meta`:
 * - `since`: the watermark. 0 before the first complete drain, and when it became void; the next drain then replaces
 *   everything
 * - `filter`: the text of the filter that `since` is good for; undefined for everything
 * - `drain`: the drain that is stored in place and not finished, `{ cursor, timestamp, rows, total, digest }`; null if
 *   there is none. `digest`: it asks for the digest of its part
 * - `target`: the filter of the drain whose pages are in place; null if there are none. It outlives the drain: until
 *   one to this filter is finished, the rows are of neither filter
 * - `drainNumber` counts drains, including those that began again. Each row has the number of the last that had it
 * - `unsettled`: the watermark with which the rows are of no one commit; null if they are of one. See `settledOf`
 * - `kept`: which pages wait until a drain counts; null if there are none. See `keptOf`
 * - `step` counts changes of this state, `epoch` how often the watermark or a drain from 0 became void
 * - `answers` counts answered batches, `answersBefore` those before the present or last drain was requested
 *   (docs/decisions/0013-answers-of-another-history.md)
 * - `revision` counts transactions that changed rows
 * - `isRestored`: the server was restored from a backup, and the drain from 0 that tells what it has is not finished
 * - `yielded`: edits of a place that have yielded, `{ id, batch }` each, until their entries have left the inbox
 * - `indexes`: those that pages have named; undefined if there are none. See `Index`
 * - `life` is another one whenever everything was wiped, `owner` the user whose copy it is
 */
export const firstState = ({ life, device }) => ({
    life, device, owner: null, schemaVersion: null, since: 0, filter: EVERYTHING, target: null, drain: null,
    drainNumber: 0, unsettled: null, kept: null, step: 0, epoch: 0, answers: 0, answersBefore: 0, revision: 0,
    isRestored: false, yielded: [], compared: null, lastSync: null,
});

/**
 * The commit whose rows the copy has, apart from edits made here; null if its rows are of several commits. A copy of an
 * earlier version of this module knows nothing of this: without an open drain it counts as settled at its watermark.
 */
export const settledOf = ({ since, drain, unsettled = null }) =>
    (since > 0 && drain === null && since !== unsettled ? since : null);

/**
 * The kept pages, if they still belong to this state; otherwise null. A window of an earlier version of this module
 * leaves them where they are, and moves `step`.
 */
export const keptOf = ({ kept = null, step }) => (kept?.step === step ? kept : null);

/** The filter that the rows of a copy are of, as far as the watermark says. */
export const filterOf = ({ filter }) => filter ?? EVERYTHING;

/**
 * Where the next page begins, in what is kept or in place: `{ since, filter, drain, target, number }`. `number` is the
 * drain's. Of kept pages, `target` is the filter of a drain that has begun.
 */
export function positionOf(state) {
    const kept = keptOf(state);
    const { since, filter = EVERYTHING, drain, target: begun = null } = kept ?? state;
    const target = begun ?? (drain === null ? null : EVERYTHING);
    const isBegun = drain !== null && kept === null;
    return { since, filter, drain, target, number: state.drainNumber + (kept?.rounds ?? 0) + (isBegun ? 0 : 1) };
}

/** The state after one more page. `answersBefore` is for a page that was kept. */
export function advanced(state, page, answersBefore = state.answers) {
    const begins = state.drain === null;
    const isLast = page.nextCursor === null;
    return {
        ...state, step: state.step + 1,
        filter: isLast ? page.filter : filterOf(state), target: isLast ? null : page.filter,
        drainNumber: state.drainNumber + (begins ? 1 : 0),
        answersBefore: begins ? answersBefore : state.answersBefore,
        since: isLast ? page.timestamp : state.since,
        drain: drainAfter(state.drain, page),
    };
}

/** The state after a page that is kept. */
export function keeping(state, page, asked) {
    const { since, filter, drain } = positionOf(state);
    const known = keptOf(state) ?? { pages: 0, rows: 0, rounds: 0, answersBefore: 0, replaced: null };
    const step = state.step + 1;
    const isLast = page.nextCursor === null;
    return {
        ...state, step,
        kept: {
            step, since: isLast ? page.timestamp : since, drain: drainAfter(drain, page), pages: known.pages + 1,
            rows: known.rows + page.count, rounds: known.rounds + (isLast ? 1 : 0), asked: isLast ? null : asked,
            answersBefore: drain === null ? state.answers : known.answersBefore, replaced: known.replaced,
            filter: isLast ? page.filter : filter, target: isLast ? null : page.filter,
        },
    };
}

/** The state after one more step that leaves pulls alone. */
export function stepped(state, changes) {
    const [kept, step] = [keptOf(state), state.step + 1];
    return { ...state, ...changes, step, ...(kept ? { kept: { ...kept, step } } : {}) };
}

function drainAfter(drain, { nextCursor, timestamp, count, total, digest }) {
    const rows = (drain?.rows ?? 0) + count;
    return nextCursor === null ? null : { cursor: nextCursor, timestamp, rows, total, ...(digest && { digest }) };
}

/** The state without a drain, and with `resync` without a watermark. `isRestored`: that is of another history. */
export function reset(state, resync, isRestored = false) {
    const since = resync ? 0 : state.since;
    return {
        ...state, step: state.step + 1, drain: null, since, epoch: state.epoch + (since === 0 ? 1 : 0),
        target: since === 0 ? null : positionOf({ ...state, kept: null }).target,
        // Rows of the drain are there.
        unsettled: state.drain === null ? state.unsettled ?? null : since,
        isRestored: isRestored || state.isRestored === true,
    };
}
