import { invalidAnswer, sentenceOf } from '../common/error.js';

/** Codes with which a row is refused because of its project. */
const OF_PROJECT = ['project_archived', 'membership_revoked', 'project_deleted', 'not_a_member', 'not_found'];

/** Whether a row was refused because of its project. */
export const isOfProject = ({ code }) => OF_PROJECT.includes(code);

/**
 * What the server did with a batch. A row's fate is one of
 * - `{ is: 'applied', version, kept }`: accepted, but for the edits of the fields in `kept`
 * - `{ is: 'skipped', code }`: the row or its parent was deleted, or the server never had it
 * - `{ is: 'refused', reasons }`: the server has the row and did not change it
 * - `{ is: 'notCreated', reasons }`: the server does not have the row, or its project takes no edits
 */
export class Answer {
    _fates = new Map();

    /** Throws `invalid_answer` unless it answers this batch. `project` is null for a batch over all projects. */
    constructor(json, batchID, project) {
        if (json?.client_batch_id?.toLowerCase() !== batchID.toLowerCase()) {
            throw invalidAnswer('The answer to an upload is about another batch.');
        }
        const timestamps = project === null ? json.timestamps : { [project]: json.timestamp };
        if (!timestamps || !Object.values(timestamps).every(each => Number.isSafeInteger(each) && each > 0)) {
            throw invalidAnswer('The answer to an upload does not say where it was committed.');
        }
        /** The batch's commit in each project whose rows were judged. */
        this.timestamps = timestamps;
        this._readApplied(json.applied ?? {});
        each(json.skipped, (collection, entry) => this._skip(collection, entry));
        each(json.conflicts, (collection, { id, fields }) => conflictsIn(fields).forEach(reason =>
            this._refuse(collection, id, reason)));
        each(json.rejected, (collection, entry) => this._refuse(collection, entry.id, reasonOf(entry)));
        each(json.rejected_ids, (collection, id) => this._set(collection, id,
            { is: 'notCreated', reasons: this._fates.get(`${collection} ${id}`)?.reasons ?? [] }));
    }

    /** What became of a row; undefined if the answer does not mention it. */
    fateOf({ collection, id }) {
        return this._fates.get(`${collection} ${id}`);
    }

    _set(collection, id, fate) {
        this._fates.set(`${collection} ${id}`, fate);
    }

    _readApplied(applied) {
        for (const [collection, { created = [], updated = [], deleted = [] }] of Object.entries(applied)) {
            for (const { id, server_version: version } of [...created, ...updated]) {
                this._set(collection, id, { is: 'applied', version, kept: [] });
            }
            for (const id of deleted) this._set(collection, id, { is: 'applied', version: 0, kept: [] });
        }
    }

    _skip(collection, { id, field = null, code }) {
        const fate = this._fates.get(`${collection} ${id}`);
        if (field === null) this._set(collection, id, { is: 'skipped', code });
        else if (fate?.is === 'applied') fate.kept.push(field);
    }

    _refuse(collection, id, reason) {
        const known = this._fates.get(`${collection} ${id}`);
        this._set(collection, id, { is: 'refused', reasons: [...known?.reasons ?? [], reason] });
    }
}

const each = (lists, work) => Object.entries(lists ?? {}).forEach(([collection, entries]) =>
    entries.forEach(entry => work(collection, entry)));

/** A reason for each field that both sides changed. */
const conflictsIn = fields => (fields?.length > 0 ? fields : [null]).map(field =>
    reasonOf({ field, code: 'conflict', detail: 'Somebody else has changed it since this edit began.' }));

const reasonOf = ({ field = null, code, detail, existing = null }) =>
    ({ field, code, detail: sentenceOf({ code, detail }), existing });
