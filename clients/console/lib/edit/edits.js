import { catalogOf } from '../data/catalog.js';
import { write } from '../data/write.js';
import { Refusals } from './undo/refusals.js';
import { Report } from './undo/report.js';
import { actOf, areSame } from './undo/step.js';
import { Waiting, timer } from './undo/waiting.js';

export { areSame };

/** So many steps can be taken back. */
const MOST = 200;

/**
 * All edits of this window, with the way back. What is done in one go is a *step*: edits of several rows, and a sentence
 * that names it. The steps are known until the window is closed.
 *
 * An edit never overwrites what its author has not seen: it says which values it expects, and fields with others are
 * left. Taking a step back is an edit like any other, so it leaves alone what somebody else has written since.
 */
export class Edits {
    _done = [];
    _undone = [];
    /** Edits, and the turns of undo and redo, happen one after the other, in the order in which they are asked for. */
    _last = Promise.resolve();
    /** An undo that asks the server about new rows. Turns wait for it, edits do not. */
    _asking = null;
    _listeners = { change: new Set(), turn: new Set(), report: new Set(), trouble: new Set() };
    /** How many steps were made, so a turn knows whether one came in between. */
    _count = 0;

    /** `wait(callback, milliseconds)` returns what ends the wait. */
    constructor(tidemark, { wait = timer } = {}) {
        Object.assign(this, { tidemark, _wait: wait });
        this.waiting = new Waiting(tidemark, { wait, onDue: deletion => this._delete(deletion) });
        this._refusals = new Refusals(tidemark, () => [...this._done, ...this._undone].flatMap(({ acts }) => acts));
    }

    /**
     * Makes a step. `name` is a sentence without its end, such as `Move “Walls”`. Each of `changes` is one of
     * - `{ collection, id, update: values, expected, isWhole }`: fields that have not the `expected` value are left
     *   alone, and with `isWhole` the others of the row, too,
     * - `{ collection, insert: row, id }`: the id may be left out; `tidemark.newID()` makes one for rows that others of
     *   the step refer to,
     * - `{ collection, id, delete: true }`: the row is hidden at once, and deleted after ten seconds.
     *
     * All is stored, in one transaction, when the promise resolves to `{ ids, refused, left, deletion }`: an id for each
     * change; `{ change, error }` for each that can't be; `{ change, fields, row }` for each with fields that have
     * another value than the expected one, `row` being the row as it was; and what waits to be deleted, or null. It
     * throws if nothing at all could be done.
     */
    apply({ name, changes }) {
        this._tell('turn', false);
        return this._afterOthers(() => this._apply(name, changes));
    }

    /**
     * Changes one field from the value `before`, which the user saw when they began. If it has another value by now,
     * nothing is changed, and the result is `{ meanwhile }`: the row as it is. Throws if the row is gone. `more` are
     * values of other fields that go with it, and `others` changes of other rows.
     */
    async save(collection, id, field, before, value, options = {}) {
        const { isForced = false, name = `Change ${field.label}`, more = {}, others = [] } = options;
        const change = {
            collection: collection.name, id, update: { ...more, [field.name]: value },
            expected: isForced ? {} : { [field.name]: before }, isWhole: true,
        };
        const { left, refused } = await this.apply({ name, changes: [change, ...others] });
        const why = refused.find(each => each.change === change);
        if (why) throw why.error;
        const meanwhile = left.find(each => each.change === change);
        return meanwhile ? { meanwhile: meanwhile.row } : {};
    }

    /** The names of the steps that `undo` and `redo` are about; null if there are none. */
    get undoName() {
        return this._done.at(-1)?.name ?? null;
    }

    get redoName() {
        return this._undone.at(-1)?.name ?? null;
    }

    get canUndo() {
        return this.undoName !== null;
    }

    /**
     * Takes the last step back; null if there is none. Otherwise a `Report` of what was taken back, and what was not,
     * and why. A step with a deletion that has happened can't be taken back: it is off the list, and the report says so.
     */
    undo() {
        return this._inTurn(() => this._done.at(-1), step => this._back(step));
    }

    /** Makes the step again that was taken back last, as `undo`. New rows get new ids: a deleted one never comes back. */
    redo() {
        return this._inTurn(() => this._undone.at(-1), step => this._again(step));
    }

    /** Takes this deletion back, whatever was done since, as long as it waits. Resolves to whether it did. */
    async keep(deletion) {
        this._tell('turn', true);
        return this._cancel(deletion);
    }

    _cancel(deletion) {
        if (!this.waiting.cancel(deletion)) return false;
        const without = step => ({ ...step, acts: step.acts.filter(act => act.deletion !== deletion) });
        this._done = this._done.map(without).filter(({ acts }) => acts.length > 0);
        this._told(Report.ofKept(deletion));
        return true;
    }

    /** Forgets all steps, and deletes nothing that waits. */
    clear() {
        Object.assign(this, { _done: [], _undone: [] });
        this.waiting.drop();
        this._tell('change');
    }

    /** Loads what takes steps back and tells of it: once a page is shown, or when it is needed. */
    load() {
        return import('./undo/later.js').catch(cause => {
            throw Object.assign(new Error('not loaded', { cause }), { detail: NOT_LOADED });
        });
    }

    /** Calls back when other steps can be taken back or made again. Returns a function that ends it. */
    onChange(callback) {
        return this._listen('change', callback);
    }

    /**
     * Calls back before a step, an undo or a redo, with whether it is an undo or redo: what was edited before and is no
     * step yet is to be one now.
     */
    onTurn(callback) {
        return this._listen('turn', callback);
    }

    /** Calls back with the `Report` of each step that was taken back or made again. */
    onReport(callback) {
        return this._listen('report', callback);
    }

    /** Calls back with the error of a deletion that failed when its time had come. */
    onTrouble(callback) {
        return this._listen('trouble', callback);
    }

    async _apply(name, changes) {
        const now = changes.filter(change => !change.delete);
        const edits = this.waiting.all.length === 0 ? now : await Promise.all(now.map(each => this._meant(each)));
        const outcomes = new Map((await this._edit(edits)).map((outcome, place) => [now[place], outcome]));
        const acts = now.map(change => !outcomes.get(change).error && actOf(change, outcomes.get(change)));
        const { act, refused: missing } = await this._begin(name, changes.filter(change => change.delete));
        this._push({ name, acts: [...acts, act].filter(Boolean) });
        const result = { ...resultOf(changes, outcomes, missing), deletion: act?.deletion ?? null };
        if (result.refused.length === changes.length && changes.length > 0) throw result.refused[0].error;
        return result;
    }

    /** The change as the row is: it is shown without the references that a deletion is going to clear. */
    async _meant(change) {
        const { collection, id, expected } = change;
        const row = expected && await this.tidemark.row(collection, id);
        const [shown] = row ? this.waiting.shown(collection, [row]) : [];
        if (!shown || shown === row) return change;
        const names = Object.keys(expected).filter(name => areSame(shown[name], expected[name]));
        return { ...change, expected: { ...expected, ...Object.fromEntries(names.map(name => [name, row[name]])) } };
    }

    /** Begins deletions. Returns the act, null if there is none, and what there is no row of. */
    async _begin(name, changes) {
        const found = await Promise.all(changes.map(async change => {
            const { collection, id } = change;
            return { change, collection, id, row: await this.tidemark.row(collection, id) };
        }));
        const rows = found.filter(({ row }) => row !== null).map(({ collection, id, row }) => ({ collection, id, row }));
        const missing = found.filter(({ row }) => row === null).map(({ change }) => ({ change, error: new Gone() }));
        if (rows.length === 0) return { act: null, refused: missing };
        const deletion = this.waiting.begin(name, rows);
        this._look(deletion).catch(error => this._tell('trouble', error));
        return { act: { ...rows[0], rows, deletion, refused: {} }, refused: missing };
    }

    /** Looks at what goes along. What the server would refuse for certain is not begun. */
    async _look(deletion) {
        const catalog = await catalogOf(this.tidemark);
        await this.waiting.look(deletion, catalog);
        const isProject = deletion.rows.some(({ collection }) => catalog.collection(collection)?.scope === 'project');
        if (deletion.cascade.blockers.size === 0 || isProject || !this._cancel(deletion)) return;
        const { blockedText } = await this.load();
        this._tell('trouble', Object.assign(new Error('in use'), { detail: blockedText(deletion, catalog) }));
    }

    /** Resolves to whether the rows are deleted, as far as they are still there. */
    _delete({ rows }) {
        return this._afterOthers(async () => {
            const outcomes = await this._edit(rows.map(({ collection, id }) => ({ collection, id, delete: true })));
            const failed = outcomes.find(({ error }) => error && !(error instanceof Gone));
            if (failed) throw failed.error;
            return true;
        }).catch(error => {
            this._tell('trouble', error);
            return false;
        });
    }

    /** Stores edits. Returns what became of each; rows of collections that take no uploads are changed on the server. */
    async _edit(edits) {
        if (edits.length === 0) return [];
        const outcomes = await this.tidemark.edit(edits);
        return Promise.all(outcomes.map((outcome, place) => {
            const { error } = outcome;
            if (error?.code === 'unknown_row') return { ...outcome, error: new Gone() };
            const isOnline = error?.code === 'collection_not_uploadable' && edits[place].update;
            return isOnline ? this._patch(edits[place], outcome) : outcome;
        }));
    }

    async _patch({ collection: name, update, expected = {} }, { id, before }) {
        if (before === null) return { id, before, after: null, left: [], error: new Gone() };
        const left = Object.keys(expected).filter(each => !areSame(before[each], expected[each]));
        const values = Object.fromEntries(Object.entries(update).filter(([each]) => !left.includes(each)));
        const outcome = { id, before, after: { ...before, ...values }, left, error: null };
        if (Object.keys(values).length === 0) return outcome;
        return write(this.tidemark, { name, isUploadable: false }, before, values)
            .then(() => outcome, error => ({ ...outcome, error }));
    }

    // Back and forth.

    async _back(step) {
        const { Back } = await this.load();
        const [catalog, count] = [await catalogOf(this.tidemark), this._count];
        await this._refusals.look();
        const back = new Back(step, catalog, this.waiting);
        if (!back.isAsking(this.tidemark)) return this._tookBack(back, count);
        const asked = back.ask(this.tidemark, this._wait)
            .then(() => this._afterOthers(() => this._tookBack(back, count)));
        this._asking = asked.catch(() => {}).finally(() => {
            this._asking = null;
        });
        return { asked };
    }

    async _tookBack(back, count) {
        const { step } = back;
        if (!this._done.includes(step)) return null;
        const outcomes = await this._edit(back.edits);
        const { report, undone } = back.done(outcomes);
        this._done = this._done.filter(each => each !== step);
        if (undone.acts.length > 0 && this._count === count) this._undone.push(undone);
        return this._told(report);
    }

    async _again(step) {
        const { Back, againOf, withIDs } = await this.load();
        const catalog = await catalogOf(this.tidemark);
        const ids = new Map(step.acts.filter(({ insert }) => insert)
            .map(({ collection, id }) => [`${collection} ${id}`, this.tidemark.newID()]));
        const { acts } = withIDs(step, ids, catalog);
        const edits = acts.filter(({ deletion }) => !deletion).map(againOf);
        const outcomes = await this._edit(edits);
        const deletions = acts.filter(({ deletion }) => deletion).flatMap(({ rows }) => rows);
        const { act } = await this._begin(step.name, deletions);
        this._undone = this._undone.filter(each => each !== step).map(each => withIDs(each, ids, catalog));
        const report = Back.reportOf(step, edits, outcomes);
        const done = edits.map((edit, place) => !outcomes[place].error && actOf(edit, outcomes[place]));
        this._keep({ name: step.name, acts: [...done, act].filter(Boolean) });
        return this._told(report);
    }

    _push(step) {
        if (step.acts.length === 0) return;
        this._count += 1;
        this._undone = [];
        this._keep(step);
        this._tell('change');
    }

    _keep(step) {
        if (step.acts.length > 0) this._done = [...this._done, step].slice(-MOST);
    }

    _told(report) {
        this._tell('change');
        this._tell('report', report);
        return report;
    }

    _inTurn(pick, work) {
        this._tell('turn', true);
        return this._turn(pick, work);
    }

    async _turn(pick, work) {
        const result = await this._afterOthers(() => {
            if (this._asking) return { asked: this._asking.then(() => this._turn(pick, work)) };
            const step = pick();
            return step ? work(step) : null;
        });
        return result?.asked ?? result;
    }

    _afterOthers(work) {
        const result = this._last.then(work);
        this._last = result.catch(() => {});
        return result;
    }

    _listen(kind, callback) {
        this._listeners[kind].add(callback);
        return () => this._listeners[kind].delete(callback);
    }

    _tell(kind, value) {
        for (const callback of this._listeners[kind]) callback(value);
    }
}

const NOT_LOADED = 'The files for this can\'t be loaded. Check the network, and load the page again.';

function resultOf(changes, outcomes, missing) {
    const found = changes.filter(change => outcomes.has(change)).map(change => ({ change, ...outcomes.get(change) }));
    return {
        ids: changes.map(change => outcomes.get(change)?.id ?? change.id),
        refused: [...found.filter(({ error }) => error).map(({ change, error }) => ({ change, error })), ...missing],
        left: found.filter(({ error, left }) => !error && left.length > 0)
            .map(({ change, left, before }) => ({ change, fields: left, row: before })),
    };
}

class Gone extends Error {
    code = 'deleted';
    detail = 'The row is not there any more: somebody has deleted it.';
}
