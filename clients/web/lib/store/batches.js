/**
 * The upload queue. At most one batch waits for its answer. Answered batches stay until a drain has delivered their
 * commits: until then the server may be replaced by one that lost them.
 *
 * A batch is `{ number, id, body, rows, epoch, answer, parts }`. `answer` is its place among all answers, null while it
 * waits. `parts` are its commits by project, without those that nothing can happen to any more.
 */
export class Batches {
    _removed = new Set();

    constructor(stored) {
        this._all = stored;
        this._before = new Map(stored.map(batch => [batch.number, batch]));
    }

    get all() {
        return this._all;
    }

    /** The batch that was sent and not answered. */
    get waiting() {
        return this._all.find(({ answer }) => answer === null) ?? null;
    }

    get answered() {
        return this._all.filter(({ answer }) => answer !== null);
    }

    /** Whether a row is in a batch. */
    holds(collection, id, condition = () => true) {
        return this._all.some(batch => condition(batch)
            && batch.rows.some(row => row.collection === collection && row.id === id));
    }

    /** Whether the server has answered the deletion of a row, so that only its tombstone is missing. */
    isDeletionAnswered({ collection, id, _status }) {
        return _status === 'deleted' && this.answered.some(({ rows }) => rows.some(row =>
            row.bucket === 'deleted' && row.collection === collection && row.id === id));
    }

    /** The fields of a row that the server has answered, and no drain has delivered. */
    sentOf({ collection, id }) {
        const rows = this.answered.flatMap(batch => batch.rows);
        return rows.filter(row => row.collection === collection && row.id === id).flatMap(({ changed }) => changed);
    }

    replace(batch) {
        this._all = this._all.map(each => (each.number === batch.number ? batch : each));
    }

    remove({ number }) {
        this._all = this._all.filter(each => each.number !== number);
        this._removed.add(number);
    }

    async save(transaction) {
        const changed = this._all.filter(batch => this._before.get(batch.number) !== batch);
        for (const number of this._removed) await transaction.delete('batches', number);
        for (const batch of changed) await transaction.put('batches', batch);
    }
}

/** Where batches stand after a drain, which reached these heads. `answersBefore` is the drain's. */
export class Standing {
    constructor(heads, answersBefore) {
        Object.assign(this, { heads, answersBefore });
    }

    /** Drains have delivered the batch's commits, if the server has still the same history. */
    isReached = ({ answer, parts }) =>
        answer !== null && Object.keys(parts).every(each => this._isPartReached(each, parts));

    /** The drain can't contain the batch: the answer came after the drain was requested. */
    isOpen = batch => batch.answer !== null && !this.isReached(batch) && batch.answer > this.answersBefore;

    /** The drain contains the batch, or the server has lost it. */
    isTold = batch => batch.answer !== null && (this.isReached(batch) || batch.answer <= this.answersBefore);

    /** The answer came before the drain, and the drain ends below it. */
    isLost = batch => this.isTold(batch) && !this.isReached(batch);

    /** The projects with a part of an open batch. */
    openProjects(batches) {
        return new Set(batches.filter(this.isOpen).flatMap(({ parts }) =>
            Object.keys(parts).filter(each => !this._isPartReached(each, parts))));
    }

    _isPartReached(project, parts) {
        return (this.heads[project] ?? -1) >= parts[project];
    }
}
