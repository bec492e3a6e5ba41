import { takenBack } from '../rows/record.js';
import { areSame } from '../rows/values.js';
import { gone, settlement } from '../rows/settlement.js';
import { Standing } from './batches.js';
import { forgetBatches } from './forget.js';
import { reset } from './state.js';

/**
 * Settles the batch's rows as the answer says. Returns `{ applied, setAside, refused }`; null if the batch is settled
 * already, or gone.
 *
 * If the watermark became void between the request and the answer, nobody can tell which history the answer belongs to.
 * A replacement that began meanwhile is dropped. The one that begins after the answer has the batch, or proves that it
 * is lost.
 */
export async function settle(unit, batch, answer) {
    const batches = await unit.batches();
    const stored = batches.all.find(({ id }) => id === batch.id);
    if (!stored || stored.answer !== null) return null;
    const heads = await unit.heads();
    const isSameEpoch = unit.state.epoch === batch.epoch;
    const settler = new Settler(unit, stored.id, answer, heads, isSameEpoch);
    const rows = [];
    for (const sent of stored.rows) {
        const kept = await settler.settle(sent);
        if (kept) rows.push(kept);
    }
    const { answers, yielded = [] } = unit.state;
    unit.state = { ...unit.state, answers: answers + 1, yielded: [...yielded, ...settler.yielded] };
    const parts = Object.fromEntries(Object.entries(answer.timestamps).filter(([each]) => settler.projects.has(each)));
    batches.replace({ ...stored, rows, parts, answer: answers + 1 });
    if (isSameEpoch) await forgetBatches(unit, new Standing(heads, unit.state.answersBefore).isReached);
    else unit.state = reset(unit.state, true);
    return settler.receipts;
}

/** Forgets a batch of which nothing was applied. Its rows are still unsent, and go into other batches. */
export async function dropBatch(unit, batch) {
    const batches = await unit.batches();
    const stored = batches.all.find(({ id, answer }) => id === batch.id && answer === null);
    if (stored) batches.remove(stored);
    return stored;
}

/** Holds the batch's rows back and forgets the batch: the server refuses any request with them. */
export async function holdBatch(unit, batch, reason) {
    if (!await dropBatch(unit, batch)) return;
    for (const row of batch.rows) await unit.hold(row, [reason]);
}

class Settler {
    receipts = { applied: 0, setAside: 0, refused: 0 };
    /** The projects of which there is still a row of the batch. Of others the server can't lose anything. */
    projects = new Set();
    /** The rows whose place has yielded: of these the server's inbox has entries that bother nobody. */
    yielded = [];

    constructor(unit, batch, answer, heads, isSameEpoch) {
        Object.assign(this, { unit, batch, rows: unit.rows, answer, heads, isSameEpoch });
    }

    /** Returns the row as the batch keeps it until a drain has had it; null if the server can't lose anything of it. */
    async settle(sent) {
        const record = await this.rows.get(sent.collection, sent.id);
        if (!record) return null;
        this.projects.add(record.project_id);
        const fate = this.answer.fateOf(sent);
        if (!fate) return this._hold(sent, [UNREPORTED]);
        if (this._isGone(record, fate)) return this._remove(record, sent);
        const lost = this._lossOf(record, fate);
        const outcome = settlement(record, sent, fate);
        if (outcome.yields) this.yielded.push({ id: sent.id, batch: this.batch });
        const end = isDeletion(record, fate) ? goesLater(record, outcome) : outcome;
        await this._store(record, sent, lost ? gone(outcome, lost) : end);
        return fate.is === 'applied' ? answered(sent, fate) : null;
    }

    async _store(record, sent, { record: after, lost, reasons, refusals }) {
        if (lost) await this.unit.setAside(record, lost, reasons);
        if (after) this.rows.put(after);
        else this.rows.remove(record);
        await this.unit.hold(sent, refusals);
        if (refusals.length > 0) this.receipts.refused++;
        else this.receipts[lost ? 'setAside' : 'applied']++;
    }

    async _hold(sent, reasons) {
        await this.unit.hold(sent, reasons);
        this.receipts.refused++;
        return null;
    }

    /**
     * Whether the server has taken a new row, and no longer has it: drains have reached the commit, and none has had
     * the row. Somebody has deleted it since, and its tombstone was purged. A row outside of the part came with none.
     */
    _isGone({ project_id, server_version, _drain, _outside = false }, fate) {
        const mayHaveCome = server_version !== 0 || _drain !== 0 || _outside;
        if (fate.is !== 'applied' || mayHaveCome || !this.isSameEpoch) return false;
        const reached = this.heads[project_id] ?? -1;
        return reached >= (this.answer.timestamps[project_id] ?? Infinity);
    }

    /** Why the row's project is lost, if drains do not name it any more. Otherwise a drain is going to tell. */
    _lossOf({ project_id }, fate) {
        if (fate.is !== 'notCreated' || Object.hasOwn(this.heads, project_id)) return null;
        return fate.reasons.find(({ code }) => LOST.includes(code))?.code ?? null;
    }

    /** What was edited since it was sent goes aside. */
    async _remove(record, sent) {
        const isEdited = record._status === 'created'
            && record._changed.some(name => !areSame(record.values[name], sent.values[name]));
        if (isEdited) await this.unit.setAside(record, 'deleted');
        this.rows.remove(record);
        this.receipts[isEdited ? 'setAside' : 'applied']++;
        return null;
    }
}

/** Others have deleted the row, and the server had sent it. */
const isDeletion = ({ _base, _status }, { is, code }) =>
    is === 'skipped' && code === 'deleted' && _base !== null && _status !== 'deleted';

/** The row goes when a drain brings its tombstone, with everything else that was written then. */
const goesLater = (record, outcome) => ({ ...outcome, record: takenBack(record) });

const LOST = ['membership_revoked', 'project_deleted'];

const UNREPORTED = {
    field: null, code: 'unreported', detail: 'The server\'s answer did not mention the row.', existing: null,
};

const answered = (sent, { version, kept }) =>
    ({ ...sent, version, changed: sent.changed.filter(name => !kept.includes(name)) });
