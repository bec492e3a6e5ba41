import { isDirty, isLocal, seen, seenAt } from '../rows/record.js';

/**
 * Rows that are not in the part that the copy holds, and stay because of an edit. They are shown, and their edits are
 * sent. The digest does not count them. A row is outside no more when a drain delivers it, and goes at the end of the
 * first drain that has all its answered edits. Each method is part of a transaction.
 */
export class Outside {
    constructor(unit) {
        Object.assign(this, { unit, rows: unit.rows });
    }

    /** The number of the drain that is stored now, or was last. */
    get drain() {
        return this.unit.state.drainNumber;
    }

    /**
     * A drain says that the row has left the part. Whether a later answer is in the drain, only its end tells: the row
     * of such a batch stays as well.
     */
    async leave(record) {
        const { answersBefore } = this.unit.state;
        const mayBeOpen = ({ answer }) => answer === null || answer > answersBefore;
        const batches = await this.unit.batches();
        if (!isDirty(record) && !batches.holds(record.collection, record.id, mayBeOpen)) this.rows.remove(record);
        else this.keep(seenAt(record, seen(record), this.drain));
    }

    /** The row stays, as one outside. */
    keep(record) {
        this.rows.put({ ...record, _outside: true });
    }

    /** The filter does not have these projects any more. What the drain had of them after all stays. */
    async leaveProjects(projects, holds) {
        for (const project of projects) {
            for (const record of await this.rows.ofProject(project)) {
                if (record._drain === this.drain) continue;
                if (isDirty(record) || holds(record)) this.keep(record);
                else this.rows.remove(record);
            }
        }
    }

    /** At the end of a drain: rows whose edits are answered go. `holds` says whether a row is in an open batch. */
    async clear(holds) {
        for (const record of await this.rows.outside()) {
            if (!isDirty(record) && !holds(record)) this.rows.remove(record);
        }
    }

    /**
     * A drain to a filter begins again. Of projects that came in with it, the new one need not say anything: they may
     * be outside again. So what it has delivered of them goes. What is edited or in a batch is outside until it comes.
     */
    async forgetDelivered() {
        const projects = new Set((await this.unit.transaction.keys('digests')).map(([project]) => project));
        const batches = await this.unit.batches();
        for (const project of projects) {
            const records = (await this.rows.ofProject(project)).filter(each => !each._outside && !isLocal(each));
            if (records.some(({ _drain }) => _drain !== this.drain)) continue;
            for (const record of records) {
                if (isDirty(record) || batches.holds(record.collection, record.id)) this.keep(record);
                else this.rows.remove(record);
            }
        }
    }
}
