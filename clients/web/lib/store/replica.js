import { notLoaded, sentenceOf } from '../common/error.js';
import { EVERYTHING, isSameFilter } from '../common/filter-text.js';
import { isDirty, shown } from '../rows/record.js';
import { Schema } from '../rows/schema.js';
import { deleteRow, editRows, giveUpRow, insertRow, updateRow } from './edit.js';
import { dropFilesOf, unsentFiles } from './files.js';
import { Differing, MOST_KEPT, dropKept, keepDiffering, takePage } from './kept.js';
import { nextBatch } from './next-batch.js';
import { beginSession, checkOwner, endSession, unsentCount } from './owner.js';
import { beginningWith, keyRange } from './transaction.js';
import { dropCollections, owe } from './forget.js';
import { dropBatch, holdBatch, settle } from './settle.js';
import { filterOf, firstState, keptOf, positionOf, reset, settledOf } from './state.js';
import { Unit } from './unit.js';

/**
 * A copy of all projects of a user, or of one, in an IndexedDB database that several windows share. Every page, edit,
 * batch and answer is one transaction, so a window can die at any moment.
 */
export class Replica {
    /** Told of each transaction that wrote, when it is stored: a `Change`. */
    onChange = () => {};
    _schema = null;
    _judging = null;
    /** The module with all that is about indexes, once it was needed. */
    _indexing = null;
    /** The module with all that is about parts, once it was needed. */
    _parting = null;

    /**
     * `project` is null for all projects. `clock` returns milliseconds, `newID` a UUID. `schema` is what the app brought, if
     * it did: the answer to `GET /schemas/`, or only its list. `user` is the name of the one user who may have the copy,
     * or null. `mostKept`, `judge` and `partingModule` are for tests.
     */
    constructor(database, {
        project, clock, newID, user = null, onConflict = 'overwrite', schema = null, mostKept = MOST_KEPT,
        judge = loadJudge, partingModule = loadParting,
    }) {
        Object.assign(this, { database, project, clock, newID, user, onConflict, mostKept, judge, partingModule });
        const document = Array.isArray(schema) ? { schema_version: '', collections: schema } : schema;
        this.brought = document && new Schema(document, project === null);
    }

    /** Gives a new database its first state. */
    prepare() {
        return this._write(async unit => {
            unit.state = { ...unit.state };
        });
    }

    state() {
        return this.database.read(transaction => this._state(transaction));
    }

    /** The schema that the rows follow; null before the first pull. */
    schema() {
        return this.database.read(async transaction => this._schemaOf(transaction, await this._state(transaction)));
    }

    // Pulls.

    /**
     * Adopts the schema. The drain and what is kept are dropped, since they belong to the old one. With a new field the rows lack
     * something of all commits up to the watermark, so that is void as well. Collections that are not in it any more
     * leave the copy; if one comes back, its rows come again.
     */
    async adopt(schema) {
        await this.parting();
        return this._write(async unit => {
            if (unit.state.schemaVersion === schema.version) return unit.state;
            const resync = unit.schema !== null && schema.hasMoreThan(unit.schema);
            if (unit.schema !== null) await dropCollections(unit, unit.schema, schema);
            if (unit.schema !== null && unit.state.schemaVersion === null) await owe(unit, unit.schema, schema);
            await unit.transaction.put('meta', schema.document, 'schema');
            await this._reset(unit, resync);
            unit.state = { ...unit.state, schemaVersion: schema.version };
            return unit.state;
        });
    }

    /**
     * Drops the drain and what is kept, and with `resync` also the watermark. `isRestored`: the watermark is of another history. Null if
     * the state is not `known` any more.
     */
    reset(resync, known, isRestored = false) {
        return this._writeIfStill(known, async unit => {
            await this._reset(unit, resync, isRestored);
            return unit.state;
        });
    }

    /**
     * See `takePage`. Returns also the state. Null, and nothing is stored, if the state is not `known` any more.
     * `mayAsk`: what differs can be asked for again.
     */
    async apply(page, known, asked = null, mayAsk = true) {
        const take = work => this._writeIfStill(known, async unit => ({ ...await work(unit), state: unit.state }));
        try {
            return await take(unit => takePage(unit, page, { asked, mayAsk, mostKept: this.mostKept }));
        } catch (error) {
            if (!(error instanceof Differing)) throw error;
            return take(unit => keepDiffering(unit, page, asked, error.differing));
        }
    }

    // Pushes.

    nextBatch(limits) {
        return this._write(unit => nextBatch(unit, limits, this));
    }

    settle(batch, answer) {
        return this._write(unit => settle(unit, batch, answer));
    }

    drop(batch) {
        return this._write(unit => dropBatch(unit, batch));
    }

    hold(batch, reason) {
        return this._write(unit => holdBatch(unit, batch, reason));
    }

    /** Lets refused rows go into batches again. */
    retryRefused() {
        return this.database.write(transaction => transaction.clear('refused'));
    }

    /** The server's inbox has nothing more of these. Meanwhile others may have come. */
    forgetYielded(done) {
        const isDone = ({ id, batch }) => done.some(each => each.id === id && each.batch === batch);
        return this._write(async unit => {
            const { yielded = [] } = unit.state;
            unit.state = { ...unit.state, yielded: yielded.filter(each => !isDone(each)) };
        });
    }

    // Parts.

    /** See `namePart`. The first one gives the copy what it needs for parts. */
    async namePart(name, part) {
        const { namePart } = await this.loadParts();
        await this.database.part();
        return this._write(unit => namePart(unit, name, part));
    }

    /** See `removePart`. */
    async removePart(name) {
        const { removePart } = await this.loadParts();
        return this._write(unit => removePart(unit, name));
    }

    async parts() {
        const parting = await this.parting();
        return parting ? this.database.read(async transaction => parting.listParts(await this._unit(transaction))) : [];
    }

    /** See `wantedFilter`. `values` are those of functions, by name. */
    async wantedFilter(values = {}) {
        const parting = await this.parting();
        if (parting === null) return { filter: EVERYTHING, error: null };
        return this.database.write(async transaction => parting.wantedFilter(await this._unit(transaction), values),
            'relaxed');
    }

    /** The module with all that is about parts if the copy has any, whichever window has named them; otherwise null. */
    async parting() {
        return await this.database.hasParts() ? this.loadParts() : null;
    }

    /** The same for the first part. Throws `not_loaded`. */
    async loadParts() {
        this._parting ??= await this.partingModule().catch(cause => {
            throw notLoaded('The files that parts of a copy need', cause);
        });
        return this._parting;
    }

    /** Whether batches wait for a drain that has them. */
    hasAnswered() {
        return this.database.read(async transaction => {
            const { answered } = await (await this._unit(transaction)).batches();
            return answered.length > 0;
        });
    }

    // Edits.

    insert(collection, row) {
        return this._edit(unit => insertRow(unit, collection, row));
    }

    update(collection, id, values) {
        return this._edit(unit => updateRow(unit, collection, id, values));
    }

    delete(collection, id) {
        return this._edit(unit => deleteRow(unit, collection, id));
    }

    edit(edits) {
        return this._edit(unit => editRows(unit, edits));
    }

    giveUp(collection, id) {
        return this._write(unit => giveUpRow(unit, collection, id));
    }

    // Files: see lib/files/stored.js.

    readFiles(work) {
        return this.database.read(async transaction => work(await this._unit(transaction)));
    }

    writeFiles(work, durability) {
        return this.database.write(async transaction => work(await this._unit(transaction)), durability);
    }

    // What the app sees.

    /** A row; null if there is none, or if it was deleted here. */
    async row(collection, id) {
        const record = await this._read(transaction => transaction.get('rows', [collection, id]));
        return record && record._status !== 'deleted' ? shown(record) : null;
    }

    /**
     * The rows of a collection, of one project in it, or those that refer to a row, in the order of their ids. With
     * `where`, `order` or `limit`: see `Question`.
     */
    async rows(collection, options = {}) {
        return (await this.query(collection, options)).rows;
    }

    /**
     * The same with the copy's state, `{ revision, life, isSettled, isBlank, rows }`. With `ids`, only those of them.
     * `isBlank`: it has no row of the server's, and no drain has begun. A question is answered from `known`, what it
     * has answered before, and always with all rows: see `answer`.
     */
    async query(collection, options = {}, ids = null, known = null) {
        const { project = null, refersTo = null, where, order, limit } = options;
        const indexing = (where ?? order ?? limit ?? null) === null ? null : await this.indexing();
        return this.database.read(async transaction => {
            const state = await this._state(transaction);
            const read = some => (some === null ? this._records(transaction, collection, project, refersTo)
                : Promise.all(some.map(id => transaction.get('rows', [collection, id]))));
            const isAsked = each => each && each._status !== 'deleted' && each.collection === collection
                && (project === null || each.project_id === project);
            const answer = indexing
                ? await indexing.answer(this, { transaction, state, collection, options, read, isAsked, ids, known })
                : { rows: (await read(ids)).filter(isAsked).map(shown) };
            const isBlank = state.since === 0 && state.drain === null
                && await transaction.count('digests') === 0;
            const { revision, life } = state;
            return { revision, life, isSettled: settledOf(state) !== null, isBlank, ...answer };
        });
    }

    /** The module with all that is about indexes. */
    async indexing() {
        this._indexing ??= await import('../indexes/index.js');
        return this._indexing;
    }

    /** One transaction on the copy that changes no row. */
    tend(work) {
        return this._write(work, 'relaxed');
    }

    /** How many rows are unsent, what was refused, and how far the copy is. */
    status() {
        return this.database.read(async transaction => {
            const unit = await this._unit(transaction);
            const [unsent, refused] = [await unsentCount(unit), await transaction.all('refused')];
            const { owner, since, lastSync } = unit.state;
            const [aside, files] = [await transaction.count('aside'), await unsentFiles(unit)];
            const [settled, drain] = [settledOf(unit.state), progressOf(unit.state)];
            return { owner, isComplete: since > 0, settled, drain, lastSync, unsent, refused, aside, files };
        });
    }

    /** The rows with unsent edits, in the order of their ids, without deletions that only wait for their tombstones. */
    unsent() {
        return this.database.read(async transaction => {
            const unit = await this._unit(transaction);
            const [records, batches] = [await unit.rows.unsent(), await unit.batches()];
            return records.filter(record => !batches.isDeletionAnswered(record)).map(unsentRow);
        });
    }

    /** Edits that are not going to reach the server, the oldest first. */
    async setAside() {
        const copies = await this._read(transaction => transaction.all('aside'));
        return copies.map(copy => ({ ...copy, detail: detailOf(copy) }));
    }

    dismiss(number) {
        return this.database.write(async transaction => {
            await this._state(transaction);
            await transaction.delete('aside', number);
        });
    }

    // The user.

    session() {
        return this.database.read(async transaction => await transaction.get('meta', 'session') ?? null);
    }

    /**
     * Begins a session, and returns the one before; null if there was none. If the copy belongs to another user,
     * everything is wiped in the same transaction; throws `unsent_edits`, and changes nothing, if that user has unsent
     * edits and `discard` is not set. With `owner`, the id of a user, throws `other_user` instead of wiping; and always
     * on the copy of the one `user` who may have it.
     *
     * What was edited before anybody began becomes theirs who begin first, if they say so with `adopt`. Throws
     * `unclaimed_edits` if they neither adopt nor discard it.
     */
    begin(session, options = {}) {
        return this._write(unit => beginSession(unit, session, options, this));
    }

    /** Replaces the session's tokens, if it is still this session. Returns whether it is. */
    renew(known, changes) {
        return this.database.write(async transaction => {
            const session = await transaction.get('meta', 'session') ?? null;
            if (session?.life !== known.life || session.access !== known.access) return false;
            await transaction.put('meta', { ...session, ...changes }, 'session');
            return true;
        });
    }

    /** Ends the session and wipes everything. Throws `unsent_edits` as `begin` does. Returns `{ session, left }`. */
    wipe({ discard = false } = {}) {
        return this._write(unit => endSession(unit, { discard }, this));
    }

    /** Ends the session. The copy waits for its user, with what is unsent. Returns the same. */
    leave() {
        return this._write(unit => endSession(unit, { isLeft: true }, this));
    }

    /** The user has lost the one project of this copy: unsent edits go aside, everything else goes. */
    lose(code) {
        return this._write(async unit => {
            const batches = await unit.batches();
            for (const record of await unit.rows.ofProject(this.project)) {
                if (isDirty(record) && !batches.isDeletionAnswered(record)) await unit.setAside(record, code);
                unit.rows.remove(record);
            }
            for (const batch of batches.all) batches.remove(batch);
            await unit.transaction.clear('refused');
            await dropFilesOf(unit, this.project);
            await unit.setHeads({});
            await dropKept(unit);
            unit.state = reset(unit.state, true);
        });
    }

    // Inside of transactions.

    /** Reads what the copy has, if it is not somebody else's by now. */
    _read(work) {
        return this.database.read(async transaction => {
            if (this.user !== null) await this._state(transaction);
            return work(transaction);
        });
    }

    async _state(transaction) {
        const known = await transaction.get('meta', 'state');
        checkOwner(known?.owner ?? null, this.user);
        // A copy of an earlier version has no revision.
        return known ? { revision: 0, ...known } : firstState({ life: this.newID(), device: this.newID() });
    }

    async _schemaOf(transaction, { schemaVersion }) {
        if (schemaVersion === null) return null;
        if (this._schema?.version !== schemaVersion) {
            this._schema = new Schema(await transaction.get('meta', 'schema'), this.project === null);
        }
        return this._schema;
    }

    async _unit(transaction) {
        const state = await this._state(transaction);
        const schema = await this._schemaOf(transaction, state) ?? this.brought;
        const unit = new Unit(transaction, state, schema, this.clock);
        Object.assign(unit, { project: this.project, judging: this._judging, brought: this.brought });
        unit.rows.hasOutside = this.database.isParted;
        unit.hasFiles = this.database.isFiled;
        if (unit.rows.hasOutside && this._parting) unit.outside = new this._parting.Outside(unit);
        return unit;
    }

    async _write(work, durability) {
        const done = await this.database.write(async transaction => {
            const unit = await this._unit(transaction);
            if (unit.state.indexes && !this._indexing) return null;
            if (unit.state.indexes) unit.rows.entries = new this._indexing.Entries(transaction, unit.state.indexes);
            const value = await work(unit);
            return { value, change: await unit.end() };
        }, durability);
        if (done === null) {
            await this.indexing().catch(() => this._dropIndexes());
            return this._write(work, durability);
        }
        this.onChange(done.change);
        return done.value;
    }

    /** This window can't load what keeps their entries. Whoever names them makes them again. */
    _dropIndexes() {
        return this.database.write(async transaction => {
            const { indexes, ...state } = await this._state(transaction);
            await Promise.all([transaction.put('meta', state, 'state'), transaction.clear('entries')]);
        });
    }

    /** In the order of the calls. */
    async _edit(work) {
        this._judging = await (this._loading ??= this.judge(this.brought?.document));
        if (!this._judging) this._loading = null;
        return this._write(work);
    }

    /** For what the server sends, which can be pulled again. A copy with parts needs to know what becomes of its rows. */
    async _writeIfStill(known, work) {
        await this.parting();
        return this._write(unit => (unit.state.step === known.step ? work(unit) : null), 'relaxed');
    }

    /**
     * When a drain begins again at the same watermark, what it has stored of projects that there were none of at the
     * watermark goes: the new one would not take all of it back. Unsent edits stay, and what the server answered and no
     * drain has covered. Likewise what came in with another filter: see `forgetDelivered`.
     */
    async _reset(unit, resync, isRestored = false) {
        const { drain, target } = positionOf({ ...unit.state, kept: null });
        const hadDrain = drain !== null;
        const isOther = hadDrain && !isSameFilter(target, filterOf(unit.state));
        await dropKept(unit);
        unit.state = reset(unit.state, resync, isRestored);
        if (!hadDrain) return;
        await unit.transaction.delete('meta', 'drain');
        if (unit.state.since === 0) return;
        const [heads, batches] = [await unit.heads(), await unit.batches()];
        const projects = new Set((await unit.transaction.keys('digests')).map(([project]) => project));
        for (const project of [...projects].filter(each => !Object.hasOwn(heads, each))) {
            for (const record of await unit.rows.ofProject(project)) {
                const isDelivered = record._status === 'synced' && record._drain > 0;
                if (isDelivered && !batches.holds(record.collection, record.id)) unit.rows.remove(record);
            }
        }
        if (isOther) await unit.outside?.forgetDelivered();
    }

    _records(transaction, collection, project, refersTo) {
        if (refersTo) return transaction.all('rows', [refersTo.collection, refersTo.id], 'references');
        if (project === null) return transaction.all('rows', keyRange(beginningWith(collection)));
        return transaction.all('rows', keyRange(beginningWith(project, collection)), 'project');
    }
}

/** Null if it can't be loaded: no network is no reason to refuse an edit. */
const loadJudge = brought => import('./judging.js').then(({ EditJudge }) => new EditJudge(brought), () => null);

const loadParting = () => import('../parts/index.js');

/** How far a pull is, in rows. Of kept pages nobody knows the total. */
function progressOf(state) {
    const kept = keptOf(state);
    return state.drain ?? (kept && { rows: kept.rows, total: null });
}

/** Why a copy was set aside, in words. */
const detailOf = ({ reason, reasons }) =>
    reasons.length > 0 ? reasons.map(({ detail }) => detail).join(' ') : sentenceOf({ code: reason });

/** A row with unsent edits, as the app sees it. */
const unsentRow = ({ collection, id, project_id, values, _status, _changed, _base }) => ({
    collection, id, project_id, status: _status, values, changed: _changed, base: _base?.values ?? null,
});
