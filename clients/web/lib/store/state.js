/**
 * How far a copy is synced, as one value in the store `meta`:
 * - `since`: the watermark. 0 before the first complete drain, and when it became void; the next drain then replaces
 *   everything
 * - `drain`: the drain that is not finished, `{ cursor, timestamp, rows, total }`; null if there is none
 * - `drainNumber` counts drains, including those that began again. Each row has the number of the last that had it
 * - `step` counts changes of this state, `epoch` how often the watermark or a drain from 0 became void
 * - `answers` counts answered batches, `answersBefore` those before the present or last drain was requested
 *   (docs/decisions/0013-answers-of-another-history.md)
 * - `revision` counts transactions that changed rows
 * - `isRestored`: the server was restored from a backup, and the drain from 0 that tells what it has is not finished
 * - `yielded`: edits of a place that have yielded, `{ id, batch }` each, until their entries have left the inbox
 * - `life` is another one whenever everything was wiped, `owner` the user whose copy it is
 */
export const firstState = ({ life, device }) => ({
    life, device, owner: null, schemaVersion: null, since: 0, drain: null, drainNumber: 0, step: 0, epoch: 0,
    answers: 0, answersBefore: 0, revision: 0, isRestored: false, yielded: [], compared: null, lastSync: null,
});

/** The state after one more page. */
export function advanced(state, page) {
    const begins = state.drain === null;
    const rows = (state.drain?.rows ?? 0) + page.count;
    return {
        ...state, step: state.step + 1,
        drainNumber: state.drainNumber + (begins ? 1 : 0),
        answersBefore: begins ? state.answers : state.answersBefore,
        since: page.nextCursor === null ? page.timestamp : state.since,
        drain: page.nextCursor === null
            ? null : { cursor: page.nextCursor, timestamp: page.timestamp, rows, total: page.total },
    };
}

/** The state without a drain, and with `resync` without a watermark. `isRestored`: that is of another history. */
export function reset(state, resync, isRestored = false) {
    const since = resync ? 0 : state.since;
    return {
        ...state, step: state.step + 1, drain: null, since, epoch: state.epoch + (since === 0 ? 1 : 0),
        isRestored: isRestored || state.isRestored === true,
    };
}
