/** Codes that one row of a batch may be the cause of. It is found by halving the batch. */
const OF_ONE_ROW = ['invalid_rows', 'in_use', 'last_owner', 'cyclic_dependency', 'id_unavailable', 'invalid_json'];
const OF_ROLE = ['forbidden', 'field_forbidden', 'project_archived'];
const MOST_REUSED = 3;

/**
 * The upload protocol as a state machine on values, like `PullLoop`. It sends batch after batch until nothing is left.
 *
 * A batch is sent again unchanged until there is an answer: when an answer is lost, the batch may have been applied,
 * and its id lets the server recognize it. A batch is given up only when an answer proves that nothing of it was
 * applied.
 *
 * | action | is answered by |
 * |---|---|
 * | `{ do: 'prepare', limits }` | `{ is: 'prepared', batch }`: a batch, null, or `pull` |
 * | `{ do: 'send', batch }` | `{ is: 'answered', answer, isReplayed }` or `{ is: 'refused', error }` |
 * | `{ do: 'settle', batch, answer }` | `{ is: 'settled', receipts }`, null if another window has settled it |
 * | `{ do: 'drop', batch }`, `{ do: 'hold', batch, reason }`, `{ do: 'retry' }` | `{ is: 'done' }` |
 * | `lose` and `fail` with `error`, `pull` and `finish` with `outcome` | nothing: the push is over |
 *
 * `pull`: the watermark is void, or the schema is out of date. After a pull, what remains can be sent. `retry`: refused
 * rows may be acceptable by now.
 */
export class PushLoop {
    outcome = { applied: 0, setAside: 0, refused: 0, batches: 0 };
    _batch = null;
    /** What follows when the batch is dropped; null for the next batch. */
    _ending = null;
    _reused = 0;
    /**
     * A batch was applied after rows of an earlier one were refused: it may have removed the reason. Or the server has
     * refused rows of this batch before, and what it says is as old.
     */
    _mayTakeRefused = false;
    _isReplayed = false;
    _hasRetried = false;

    constructor({ isUserWide, rows = 500, bytes = 256 * 1024 }) {
        this.isUserWide = isUserWide;
        this._limits = { rows, bytes };
    }

    start() {
        return { do: 'prepare', limits: { ...this._limits } };
    }

    handle(event) {
        switch (event.is) {
            case 'prepared': return this._prepared(event.batch);
            case 'answered': return this._answered(event);
            case 'settled': return this._settled(event.receipts);
            case 'refused': return this._refused(event.error, this._batch);
            default: return this._ending ?? this.start();
        }
    }

    _prepared(batch) {
        if (batch === 'pull') return { do: 'pull', outcome: this.outcome };
        if (batch === null) return this._nothing();
        this._batch = batch;
        this._ending = null;
        return { do: 'send', batch };
    }

    _nothing() {
        if (!this._mayTakeRefused || this._hasRetried) return { do: 'finish', outcome: this.outcome };
        this._hasRetried = true;
        this._ending = null;
        this.outcome.refused = 0;
        return { do: 'retry' };
    }

    _answered({ answer, isReplayed = false }) {
        this._isReplayed = isReplayed;
        this.outcome.batches++;
        return { do: 'settle', batch: this._batch, answer };
    }

    _settled(receipts) {
        if (receipts) {
            if (this.outcome.refused > 0 && receipts.applied > 0) this._mayTakeRefused = true;
            if (this._isReplayed && receipts.refused > 0) this._mayTakeRefused = true;
            for (const name of ['applied', 'setAside', 'refused']) this.outcome[name] += receipts[name];
        }
        return this.start();
    }

    _refused(error, batch) {
        const { status, code } = error;
        const fail = { do: 'fail', error };
        if (error.isResync) return this._drop({ do: 'pull', outcome: this.outcome });
        if (error.isAccessLost) return this.isUserWide ? fail : { do: 'lose', error };
        if (error.problem === null || error.isTemporary) return fail;
        if (code === 'batch_too_large') return this._shrink(error, error.problem.limit ?? this._limits.rows / 2);
        if (status === 413 || OF_ONE_ROW.includes(code)) return this._shrink(error, batch.rows.length / 2);
        if (code === 'collection_not_uploadable') return this._drop({ do: 'pull', outcome: this.outcome });
        if (code === 'batch_id_reused' && this._reused < MOST_REUSED) {
            this._reused++;
            return this._drop(null);
        }
        // Any other of these refusals comes after the look for an earlier upload with this id.
        return OF_ROLE.includes(code) || [400, 409, 422].includes(status) ? this._drop(fail) : fail;
    }

    _shrink({ code, detail }, rows) {
        const { _batch: batch, _limits: limits } = this;
        if (batch.rows.length <= 1 || limits.rows <= 1) {
            this._ending = null;
            this.outcome.refused += batch.rows.length;
            return { do: 'hold', batch, reason: { field: null, code, detail, existing: null } };
        }
        limits.rows = Math.max(1, Math.min(Math.floor(rows), batch.rows.length - 1));
        return this._drop(null);
    }

    _drop(ending) {
        this._ending = ending;
        return { do: 'drop', batch: this._batch };
    }
}
