import { fingerprint } from './batches.js';
import { changesOf, chunks, parentsFirst, sorted } from './changes.js';
import { invalidAnswer } from './error.js';
import { Report } from './report.js';

/** `pushChanges`: what may be uploaded, in as many batches as it takes. */
export class Push {
    constructor({ transport, path, schemas, batches, uploadable, batchRows, modes, onProgress, onReport }) {
        Object.assign(this, { transport, path, schemas, batches, uploadable, batchRows, modes, onProgress, onReport });
    }

    /**
     * Resolves when everything was answered. Throws otherwise; then all rows stay to be pushed again, which is
     * harmless.
     */
    async run({ changes, lastPulledAt }, signal) {
        try {
            return await this.attempt(changes, lastPulledAt, signal);
        } catch (error) {
            if (error.code !== 'collection_not_uploadable' || this.uploadable) throw error;
        }
        // The server has another schema than when it was asked.
        this.schemas.forget();
        return this.attempt(changes, lastPulledAt, signal);
    }

    async attempt(changes, lastPulledAt, signal) {
        const { edits, kept } = sorted(changes, await this.uploadableCollections(changes, signal));
        const report = new Report(kept);
        await this.deliver(edits, lastPulledAt, report, signal);
        if (report.hasNews) await this.onReport?.(report.news);
        return { experimentalRejectedIds: report.rejectedIds };
    }

    async uploadableCollections(changes, signal) {
        if (this.uploadable) return new Set(this.uploadable);
        const collections = await this.schemas.collections(signal);
        return new Set(Object.keys(changes).filter(name => collections.get(name)?.isUploadable));
    }

    /** Sends the edits, split where the server takes less at a time, one part after the other. */
    async deliver(edits, lastPulledAt, report, signal) {
        const parts = edits.length > this.batchRows ? await this.split(edits, this.batchRows, signal) : [edits];
        let sent = 0;
        while (parts.length) {
            const part = parts.shift();
            if (!part.length) continue;
            try {
                report.add(await this.upload(part, lastPulledAt, signal));
            } catch (error) {
                const size = this.fittingSize(error, part.length);
                if (size === null) throw error;
                if (size > 0) {
                    parts.unshift(...await this.split(part, size, signal));
                    continue;
                }
                report.leaveOut(part[0], error);
            }
            sent += part.length;
            this.onProgress?.({ phase: 'push', rows: sent, total: edits.length });
        }
    }

    async split(edits, size, signal) {
        return chunks(parentsFirst(edits, await this.schemas.collections(signal)), size);
    }

    /** One batch, under an id that stays the same until it is answered. */
    async upload(edits, lastPulledAt, signal) {
        const body = { last_pulled_at: lastPulledAt ?? 0, ...this.modes, changes: changesOf(edits) };
        const print = fingerprint(`${this.path} ${JSON.stringify(body)}`);
        let answer;
        try {
            answer = await this.post(await this.batches.idFor(print), body, signal);
        } catch (error) {
            if (error.status !== 422 || error.code !== 'batch_id_reused') throw error;
            answer = await this.post(await this.batches.renew(print), body, signal);
        }
        await this.batches.forget(print);
        return answer;
    }

    /**
     * A redirect can make a read of an upload, and a proxy answers anything: only an answer about this batch counts.
     */
    async post(id, body, signal) {
        const sent = { client_batch_id: id, ...body };
        const answer = await this.transport.json('POST', this.path, { body: sent, signal });
        const isOurs = typeof answer?.client_batch_id === 'string' && answer.client_batch_id.toLowerCase() === id;
        if (!isOurs || answer.applied === null || typeof answer.applied !== 'object') {
            throw invalidAnswer('The answer to an upload does not say what became of it.');
        }
        return answer;
    }

    /**
     * Rows for the next try of a part that was refused as a whole because it is too large, or for rows that the server
     * could not leave out; 0 where it is a single row; null where the trouble is another.
     */
    fittingSize({ status, code, problem, errors }, rows) {
        const { limit } = problem ?? {};
        if (code === 'batch_too_large' && Number.isInteger(limit) && limit > 0 && limit < rows) return limit;
        const isOfRows = code === 'invalid_rows' && errors?.length > 0 && this.modes.on_error !== 'reject_batch';
        if (code !== 'batch_too_large' && status !== 413 && !isOfRows) return null;
        return rows === 1 ? 0 : Math.ceil(rows / 2);
    }
}
