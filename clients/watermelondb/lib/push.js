import { Answered } from './answered.js';
import { changesOf, chunks, parentsFirst, sorted, waiting } from './changes.js';
import { invalidAnswer } from './common/error.js';
import { uuid } from './common/uuid.js';
import { Report } from './report.js';

/** The maximum length of a batch in characters, so that it is stored as one value; a single row may be longer. */
const BATCH_LENGTH = 500_000;

/** Implements `pushChanges`: uploads what may be uploaded, in as many batches as needed. */
export class Push {
    /** The server has refused a collection that the app names as uploadable. */
    _acceptsLess = false;

    constructor({
        transport, scope, owner, schemas, outbox, withheld, bases, uploadable, localColumns, batchRows, modes,
        onProgress, onReport,
    }) {
        Object.assign(this, { transport, scope, owner, schemas, outbox, withheld, bases });
        Object.assign(this, { uploadable, localColumns, batchRows, modes, onProgress, onReport });
    }

    /**
     * Returns `{ answer, error }`. `answer` must be returned to WatermelonDB. `error`, if any, ended the push after a
     * part of it was answered; `answer` lists the other rows as unsent. Throws if nothing was answered.
     */
    async run({ changes, lastPulledAt }, signal) {
        try {
            return await this.attempt(changes, lastPulledAt, signal);
        } catch (error) {
            if (error.code !== 'collection_not_uploadable') throw error;
        }
        // The server's schema has changed since it was requested, or the app knows only its own.
        this._acceptsLess = true;
        this.schemas.forget();
        return this.attempt(changes, lastPulledAt, signal);
    }

    async attempt(changes, lastPulledAt, signal) {
        await this.settle(signal);
        const uploadable = await this.uploadableCollections(changes, signal);
        const { project } = this.scope;
        const { edits, kept, unsent: keptNew } = sorted(changes, uploadable, this.localColumns, project);
        const report = new Report(kept);
        const isSettling = !await this.outbox.isEmpty();
        if (!isSettling) await this.tellRemoved(kept, report, signal);
        const toSend = isSettling
            ? await this.leftover(edits, lastPulledAt, report)
            : await this.ready(await this.news(edits, signal), keptNew, report, signal);
        const modes = isSettling ? this.settlingModes() : this.modes;
        // An edit on an older version than the server's would be refused after every pull.
        const isJudgedByWatermark = this.modes.on_conflict === 'reject';
        const stamped = isJudgedByWatermark ? toSend : await this.bases.stamped(toSend);
        const { unsent, error } = await this.deliver(stamped, lastPulledAt, report, signal, modes);
        await this.tell(report);
        // The rest of settled rows can only be answered together with these rows, unless it must wait for a resync.
        if (error && (isSettling ? !error.isResync : unsent.length === toSend.length)) throw error;
        for (const { collection, id } of unsent) report.keep(collection, id);
        for (const edit of edits) if (await this.withheld.has(edit)) report.keep(edit.collection, edit.id);
        return { answer: { experimentalRejectedIds: report.rejectedIds }, error };
    }

    async tell(report) {
        if (!report.hasNews) return;
        try {
            await this.onReport?.(report.news);
        } catch (error) {
            // The batches will be sent again, and their answers reported again.
            this.outbox.answers.clear();
            throw error;
        }
    }

    async uploadableCollections(changes, signal) {
        if (this.uploadable && !this._acceptsLess) return new Set(this.uploadable);
        const collections = await this.schemas.collections(signal);
        const isWanted = name => this.uploadable?.includes(name) ?? true;
        return new Set(Object.keys(changes).filter(name => isWanted(name) && collections.get(name)?.isUploadable));
    }

    async tellRemoved(kept, report, signal) {
        // An app that names what is uploadable knows what is not, as long as the server takes it.
        if (!this.schemas.isKnown || !Object.keys(kept).length) return;
        const removed = await this.schemas.removed(signal);
        for (const [name, ids] of Object.entries(kept)) if (removed.has(name)) report.tellRemoved(name, ids);
    }

    /** The edits without those that have to wait for the rows in `unsent`. */
    async ready(edits, unsent, report, signal) {
        if (!unsent.length) return edits;
        const held = waiting(edits, unsent, await this.schemas.collections(signal));
        for (const { collection, id } of held) report.keep(collection, id);
        return edits.filter(edit => !held.has(edit));
    }

    /** The edits without what the server already accepted, for rows of which it lacks some columns. */
    async news(edits, signal) {
        await this.withheld.prune(edits);
        if (await this.withheld.isEmpty()) return edits;
        const collections = await this.schemas.collections(signal);
        const known = name => collections.get(name)?.fields ?? new Set();
        return this.withheld.reduced(edits, known);
    }

    // Batches of an earlier push that were not answered.

    /**
     * Sends the batches of earlier pushes again, unchanged. If the server applied one before, it sends the same answer
     * and applies nothing. Throws if one of them gets no answer.
     */
    async settle(signal) {
        for (const body of await this.outbox.bodies()) {
            if (this.outbox.answers.has(body.client_batch_id)) continue;
            try {
                await this.settleOne(body, signal);
            } catch (error) {
                if (!isRefusal(error)) throw error;
                // Nothing of it was applied. Its rows are ordinary unsent rows.
                await this.outbox.remove(body.client_batch_id);
            }
        }
    }

    async settleOne(body, signal) {
        const answer = await this.post(body, signal);
        const report = new Report();
        report.add(answer);
        await this.tell(report);
        await this.note(body, answer);
        this.outbox.answers.set(body.client_batch_id, answer);
    }

    async note({ changes }, answer) {
        await this.withheld.note(changes, answer);
        await this.owner.noteDeleted(answer.applied.projects?.deleted ?? []);
    }

    /**
     * The later edits of rows whose batches are settled now. These rows must count as synced before the next pull, or
     * WatermelonDB would keep its own values. So all other rows stay unsent until then.
     */
    async leftover(edits, lastPulledAt, report) {
        const answered = new Answered();
        await this.withheld.addTo(answered);
        for (const { client_batch_id: id, changes, last_pulled_at: since } of await this.outbox.bodies()) {
            // After a pull it is too late. The rows are sent again and end with WatermelonDB's values.
            if (since === (lastPulledAt ?? 0)) answered.add(changes, this.outbox.answers.get(id)?.rejected_ids);
        }
        const rests = [];
        for (const edit of edits) {
            rests.push([edit, await this.withheld.has(edit) ? undefined : answered.rest(edit)]);
        }
        for (const [{ collection, id }, rest] of rests) if (rest === undefined) report.keep(collection, id);
        return rests.map(([, rest]) => rest).filter(Boolean);
    }

    /** Cleans up after WatermelonDB has received all answers. */
    async done() {
        await this.outbox.removeAnswered();
        if (await this.outbox.isEmpty()) await this.withheld.dropDone();
    }

    /** The modes for the rest of settled rows. There is no pull before it, so `reject` would refuse it every time. */
    settlingModes() {
        const { on_conflict: onConflict } = this.modes;
        return { ...this.modes, on_conflict: onConflict === 'reject' ? 'overwrite' : onConflict };
    }

    // New batches.

    /**
     * Sends the edits in parts that the server accepts, one after another. Stops at the first error; `unsent` is
     * then that part and all later ones.
     */
    async deliver(edits, lastPulledAt, report, signal, modes) {
        const parts = edits.length > this.batchRows ? await this.split(edits, this.batchRows, signal) : [edits];
        let sent = 0;
        while (parts.length) {
            const part = parts.shift();
            if (!part.length) continue;
            if (part.length > 1 && JSON.stringify(part).length > BATCH_LENGTH) {
                parts.unshift(...await this.split(part, Math.ceil(part.length / 2), signal, true));
                continue;
            }
            try {
                report.add(await this.upload(part, lastPulledAt, signal, modes), deletions(parts));
            } catch (error) {
                const size = this.fittingSize(error, part.length);
                if (size === null) return { unsent: [part, ...parts].flat(), error };
                if (size > 0) {
                    parts.unshift(...await this.split(part, size, signal, true));
                    continue;
                }
                report.leaveOut(part[0], error);
            }
            sent += part.length;
            this.onProgress?.({ phase: 'push', rows: sent, total: edits.length });
        }
        return { unsent: [], error: null };
    }

    async split(edits, size, signal, isForced = false) {
        return chunks(parentsFirst(edits, await this.schemas.collections(signal)), size, isForced);
    }

    async upload(edits, lastPulledAt, signal, modes) {
        const body = { last_pulled_at: lastPulledAt ?? 0, ...modes, changes: changesOf(edits) };
        try {
            return await this.send({ client_batch_id: uuid(), ...body }, signal);
        } catch (error) {
            if (error.status !== 422 || error.code !== 'batch_id_reused') throw error;
        }
        return this.send({ client_batch_id: uuid(), ...body }, signal);
    }

    /** Sends one batch. It stays in the outbox unless the server refused it. */
    async send(body, signal) {
        await this.outbox.add(body);
        try {
            const answer = await this.post(body, signal);
            await this.note(body, answer);
            this.outbox.answers.set(body.client_batch_id, answer);
            return answer;
        } catch (error) {
            if (isRefusal(error)) await this.outbox.remove(body.client_batch_id);
            throw error;
        }
    }

    /**
     * Posts a batch. A redirect can turn the upload into a read, and a proxy can answer anything, so only
     * an answer about this batch counts.
     */
    async post(body, signal) {
        const answer = await this.transport.json('POST', this.scope.path, { body, signal });
        const { client_batch_id: id, applied } = answer ?? {};
        const isOurs = typeof id === 'string' && id.toLowerCase() === body.client_batch_id;
        if (!isOurs || applied === null || typeof applied !== 'object') {
            throw invalidAnswer('The answer to an upload is not about that upload.');
        }
        return answer;
    }

    /**
     * How many rows to send next, after a part was refused as a whole because it is too large, or because of rows that
     * the server could not leave out. 0 if the part is a single row; null for any other error.
     */
    fittingSize({ status, code, problem, errors }, rows) {
        const { limit } = problem ?? {};
        if (code === 'batch_too_large' && Number.isInteger(limit) && limit > 0 && limit < rows) return limit;
        const isOfRows = code === 'invalid_rows' && errors?.length > 0 && this.modes.on_error !== 'reject_batch';
        if (code !== 'batch_too_large' && status !== 413 && !isOfRows) return null;
        return rows === 1 ? 0 : Math.ceil(rows / 2);
    }
}

/** The ids that these parts delete, by collection. */
function deletions(parts) {
    const deleted = {};
    for (const { collection, kind, id } of parts.flat()) if (kind === 'deleted') (deleted[collection] ??= []).push(id);
    return deleted;
}

/**
 * The server checks these before it looks for an earlier upload with this id, so they say
 * nothing about an earlier attempt.
 */
const JUDGED_FIRST = ['not_found', 'not_a_member', 'membership_revoked', 'project_deleted'];

/**
 * Whether the server said that nothing of this batch is applied. With any other answer, an
 * earlier attempt may have been applied.
 */
function isRefusal({ status, code, problem, isTemporary }) {
    if (status === 413) return true;
    return Boolean(problem) && status >= 400 && status !== 401 && !isTemporary && !JUDGED_FIRST.includes(code);
}
