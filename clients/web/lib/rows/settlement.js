import { isOfProject } from './answer.js';
import { basesOf, cleaned, editedOn, seen, seenAt, takenBack, takenBackIn } from './record.js';
import { areSame } from './values.js';

/**
 * What becomes of a row when its batch is answered (docs/decisions/0009-settling-a-batch.md):
 * - `record`: the row to store; null removes it
 * - `lost`: why a copy of the row goes aside, since something that was written here is not on the server; null if
 *   nothing is lost. `reasons` are the server's.
 * - `refusals`: why the row is held back from further batches until somebody corrects it
 * - `yields`: nobody needs to hear of what the server did not take: see `isPlaceOnly`
 *
 * Between the request and the answer the row may have been edited again, and a drain may have delivered the server's
 * present values. A field that still has the value that was sent is settled. One that was edited since stays unsent.
 */
export function settlement(record, sent, fate) {
    const isDelete = sent.bucket === 'deleted';
    switch (fate.is) {
        case 'applied':
            // The row stays until a drain brings its tombstone. A drain that began earlier could create it again.
            if (isDelete) return made(record);
            return made(applied(record, sent, fate), { lost: fate.kept.length > 0 ? 'parent_deleted' : null });
        case 'skipped':
            return made(null, { lost: isDelete || record._status === 'deleted' ? null : fate.code });
        case 'refused':
            if (isPlaceOnly(sent, fate.reasons)) return made(yielded(record, sent), { yields: true });
            return made(isDelete ? takenBack(record) : refused(record, sent),
                { lost: fate.reasons[0]?.code ?? 'refused', reasons: fate.reasons });
        default:
            return notCreated(record, sent, fate);
    }
}

/** The settlement of a row whose project is lost. */
export const gone = ({ refusals }, code) => made(null, { lost: code, reasons: refusals });

const made = (record, { lost = null, reasons = [], refusals = [], yields = false } = {}) =>
    ({ record, lost, reasons, refusals, yields });

function notCreated(record, sent, { reasons }) {
    // A new row waits until it is corrected, any other until its project takes edits again or is lost for good.
    const waits = sent.bucket === 'created' || reasons.some(isOfProject);
    const refusals = reasons.length > 0 ? reasons : [{ field: null, code: 'refused', detail: 'No reason was given.' }];
    return waits ? made(record, { refusals }) : made(null, { lost: reasons[0]?.code ?? 'not_found', reasons });
}

/** The fields that were edited again after they were sent. */
const editedSince = (record, sent) => record._changed.filter(name => !areSame(record.values[name], sent.values[name]));

/** The server accepted the edit. Values of a drain at or after the answer are what the server has. */
function applied(record, sent, { version, kept }) {
    const open = editedSince(record, sent);
    const isTold = (record._base?.server_version ?? -1) >= version;
    const standing = Object.keys(sent.values).filter(name => !open.includes(name));
    const known = { ...(record._base?.values ?? record.values), ...sent.values };
    // The server may have merged the edit with others that are not here: this version is not seen.
    const row = seenAt({
        ...takenBackIn(record, isTold ? standing : standing.filter(name => kept.includes(name))),
        server_version: Math.max(record.server_version, version),
    }, Math.max(seen(record), 1));
    return owing(row, open, isTold ? record._base : { server_version: version, values: known });
}

/** The server refused the edit. The fields that were sent have the server's values again. */
function refused(record, sent) {
    const open = editedSince(record, sent);
    const standing = Object.keys(sent.values).filter(name => !open.includes(name));
    return owing(takenBackIn(record, standing), open, record._base);
}

/**
 * Whether only the place of a row among its siblings is in conflict. Two devices may move a row, or re-rank the same
 * neighbours: the server's place stands, which bothers nobody.
 */
const isPlaceOnly = ({ collection, bucket }, reasons) => collection === 'tasks' && bucket === 'updated'
    && reasons.length > 0 && reasons.every(({ field, code }) => field === 'rank' && code === 'conflict');

/** The row with the server's place. The server left it alone, so what else was sent goes again. */
function yielded(record, sent) {
    if (editedSince(record, sent).includes('rank')) return record;
    return owing(takenBackIn(record, ['rank']), record._changed.filter(name => name !== 'rank'), record._base);
}

/** The row with only these fields left to send, of these values of the server's. No answer moves what was edited. */
function owing(record, names, known) {
    if (names.length === 0 && record._status !== 'deleted') return cleaned(record);
    const _base = known && { ...known, ...editedOn(basesOf(record, names), seen(record)) };
    if (record._status === 'deleted') return { ...record, _base };
    return { ...record, _status: 'updated', _changed: names, _base };
}
