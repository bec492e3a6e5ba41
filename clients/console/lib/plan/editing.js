import { areSame } from '../edit/edits.js';
import { askWhich } from '../edit/meanwhile.js';
import { quoted } from '../edit/undo/words.js';
import { notify } from '../notices.js';
import { stepName } from './followers/words.js';
import { fieldOfPlan } from './model/plan-fields.js';
import { withProgress } from './progress.js';

const MEMBER = 100;
const PAUSE = 250;
/** More edits than these are shown at once, by the tasks as a whole. */
const FEW = 20;

function timer(callback, milliseconds) {
    const number = setTimeout(callback, milliseconds);
    return () => clearTimeout(number);
}

/**
 * Edits of tasks by the chart, its keys and the panel. An edit is shown at once, stored as a step of the edit layer, and
 * sent when there is a network. Until the copy's rows have it, they are shown with it.
 */
export class Editing {
    role = null;
    isArchived = false;
    _pending = new Map();
    _nudged = null;
    /** The copy's rows, as the last query had them. */
    _rows = [];
    /** Tasks that the copy's rows do not have yet, by id. */
    _inserted = new Map();
    /** The schema's tasks, and how users and rows are called; null until they are known. */
    collection = null;
    names = null;
    /** Called when many tasks have changed at once: the plan is to be made again of `present`. */
    onMany = () => {};

    /**
     * `onShown()` is called when the plan has changed. `wait(callback, milliseconds)` returns what ends the wait.
     * `ask(field, theirs, mine)` resolves to whether the user's value is to stand.
     */
    constructor(edits, plan, onShown, wait = timer, ask = askWhich) {
        Object.assign(this, { edits, plan, onShown, _wait: wait, _ask: ask });
        this._stops = [edits.onReport?.(report => this._forget(report)), edits.onTurn?.(() => this.flush())];
    }

    stop() {
        this._stops.forEach(stop => stop?.());
    }

    /** Of the schema. */
    setCatalog(collection, names) {
        Object.assign(this, { collection, names });
    }

    /** Whether the reader's role allows to edit tasks. The server judges again. */
    get isAllowed() {
        return this.role >= MEMBER && !this.isArchived;
    }

    /** Why tasks can't be edited, as a sentence; null if they can, and as long as the role is not known. */
    get whyNot() {
        if (this.isArchived) return 'The project is archived. An owner can unarchive it.';
        return this.role === null || this.role >= MEMBER ? null : 'This needs the role Member.';
    }

    /** Shows a task with other values, without an edit. */
    preview({ task: { id } }, values) {
        this.plan.change(id, values);
        this.onShown();
    }

    /**
     * Resolves when the edit is stored, or was refused and taken back. `before` is the task, or those fields of it, as
     * the user saw them when they began. If a field has another value by now, the user is asked which one is to stand.
     * `others` are edits of tasks that follow, `{ id, values }`, in the same step.
     */
    change(node, changed, seen = node.task, others = []) {
        const { id } = node.task;
        if (this._nudged?.id === id) this.flush();
        const values = withProgress(this.collection, node.task, changed);
        const before = { ...taken(node.task, values), ...seen };
        const theirs = this._meanwhile(id, values, before);
        if (theirs) return this._settle(node, values, theirs);
        if (others.length > 0) return this._changeAll(node, values, others);
        const expected = { ...taken(before, values), ...only(this._pending.get(id)?.values ?? {}, values) };
        this._note(node, values);
        return this._store(node, values, expected);
    }

    _changeAll(node, values, others) {
        const done = this.go(stepName(node, others.length), [{ id: node.task.id, values }, ...others]);
        this.onShown();
        return done;
    }

    /**
     * Several edits in one go, which `name` names: `{ insert, task }`, the values of a new task and how it is shown, or
     * `{ id, values }`. They are shown at once, stored together, and are one step to take back.
     */
    async go(name, edits) {
        const isLarge = edits.length > FEW;
        const noted = edits.map(edit => this._noted(edit, !isLarge));
        const changes = noted.map(({ change }) => change);
        if (isLarge) this.onMany();
        const { refused, left } = await this.edits.apply({ name, changes })
            .catch(error => ({ refused: changes.map(change => ({ change, error })), left: [] }));
        const failed = new Map([...refused, ...left].map(each => [each.change, each]));
        for (const { change, entry } of noted) this._settled(change, entry, failed.has(change));
        const [first] = failed.values();
        const why = first?.error?.detail ?? 'somebody else has changed it meanwhile.';
        if (first) notify(`Not all was stored: ${why}`, 'bad');
    }

    /** An edit by a key. Presses that follow soon are one edit with it, so a row's history tells what was meant. */
    nudge(node, values) {
        const { id } = node.task;
        if (this._nudged?.id !== id) this.flush();
        this._nudged?.stop();
        const before = { ...taken(node.task, values), ...this._nudged?.before };
        this._note(node, values);
        const stop = this._wait(() => this.flush(), PAUSE);
        this._nudged = { id, stop, before, values: { ...this._nudged?.values, ...values } };
    }

    /** Stores what keys have edited, without waiting for more. A page that is left asks nothing any more. */
    flush({ isLeft = false } = {}) {
        const nudged = this._nudged;
        nudged?.stop();
        this._nudged = null;
        if (!nudged) return Promise.resolve();
        const { id, values, before } = nudged;
        const node = this.plan.node(id);
        const theirs = !isLeft && node && this._meanwhile(id, values, before);
        return theirs ? this._settle(node, values, theirs) : this._store(node ?? { task: { id } }, values, before);
    }

    /** The same with the rows that were there last. */
    get present() {
        return this.applied(this._rows);
    }

    /** The rows of the copy, with what it does not have yet. */
    applied(tasks) {
        this._rows = tasks;
        const all = this._inserted.size === 0 ? tasks : this._withInserted(tasks);
        if (this._pending.size === 0) return all;
        return all.map(task => {
            const edit = this._pending.get(task.id);
            return edit && this._isAhead(task, edit) ? { ...task, ...edit.values } : task;
        });
    }

    _note(node, values) {
        this._remember(node, values);
        this.preview(node, values);
    }

    _remember(node, values) {
        const { id, name } = node.task;
        const known = this._pending.get(id);
        const entry = {
            name, before: { ...taken(node.task, values), ...known?.before }, values: { ...known?.values, ...values },
            written: [...known?.written ?? [], values], isStored: false, isSeen: false,
        };
        this._pending.set(id, entry);
        return entry;
    }

    /** Shows an edit. Returns the change for the edit layer, and the entry of what is shown until it is stored. */
    _noted({ insert, task, id, values }, isShown) {
        const collection = 'tasks';
        if (insert) {
            const entry = { task, isStored: false, isSeen: false };
            this._inserted.set(task.id, entry);
            if (isShown) this.plan.put(task);
            return { change: { collection, id: insert.id, insert }, entry };
        }
        const node = this.plan.node(id);
        if (!node) return { change: { collection, id, update: values }, entry: null };
        const change = { collection, id, update: values, expected: taken(node.task, values), isWhole: true };
        const entry = this._remember(node, values);
        if (isShown && ('parent' in values || 'rank' in values)) this.plan.put({ ...node.task, ...values });
        else if (isShown) this.plan.change(id, values);
        return { change, entry };
    }

    /** An edit is stored, or it is taken back. If the task was edited again meanwhile, the later edit decides. */
    _settled({ id, insert }, entry, isFailed) {
        const known = insert ? this._inserted.get(id) : this._pending.get(id);
        if (!known || known !== entry) return;
        known.isStored = true;
        if (!isFailed) return;
        if (insert) {
            this._inserted.delete(id);
            this.plan.drop(id);
        } else {
            this._pending.delete(id);
            const node = this.plan.node(id);
            if (node) this.plan.put({ ...node.task, ...known.before });
        }
        this.onShown();
    }

    /** With the new tasks that the copy's rows do not have yet. As for edits, the second answer counts. */
    _withInserted(tasks) {
        const there = new Set(tasks.map(({ id }) => id));
        for (const [id, entry] of this._inserted) {
            if (there.has(id) || (entry.isStored && entry.isSeen)) this._inserted.delete(id);
            else entry.isSeen = entry.isStored;
        }
        return [...tasks, ...[...this._inserted.values()].map(({ task }) => task)];
    }

    /** The row of the copy, with the names of the fields that somebody else has changed since the user saw it. */
    _meanwhile(id, values, before) {
        const { before: known = {}, written = [] } = this._pending.get(id) ?? {};
        const own = [before, values, known, ...written];
        const row = this._rows.find(each => each.id === id);
        const names = Object.keys(values).filter(name =>
            row && !own.some(each => name in each && areSame(each[name], row[name])));
        return names.length > 0 ? { row, names } : null;
    }

    /** Asks about each field that somebody else has changed, and stores what the user wants. */
    async _settle(node, values, { row, names }) {
        const { id } = node.task;
        this._pending.delete(id);
        this.preview(node, taken(row, values));
        const wanted = { ...values };
        for (const name of names) {
            const field = this.collection?.field(name) ?? fieldOfPlan(name);
            if (!await this._ask(field, row[name] ?? null, values[name], this.names)) delete wanted[name];
        }
        const present = this.plan.node(id);
        if (present && Object.keys(wanted).length > 0) await this.change(present, wanted, row);
    }

    /** Stores an edit, if the fields still have what the user saw. What came in between is asked about. */
    async _store(node, values, expected) {
        const { id, name } = node.task;
        const edit = this._pending.get(id);
        const change = { collection: 'tasks', id, update: values, expected };
        try {
            const { left } = await this.edits.apply({ name: stepOf(values, edit?.name ?? name ?? id), changes: [change] });
            if (edit) edit.isStored = true;
            const [other] = left;
            if (other && this.plan.node(id)) await this._settle(this.plan.node(id), only(values, asKeys(other.fields)),
                { row: other.row, names: other.fields });
        } catch (error) {
            this._takeBack(id, edit);
            notify(`${quoted(edit?.name ?? id)} was not changed: ${error.detail ?? error}`, 'bad');
        }
    }

    /** What was taken back or done again is in the copy's rows: they count from now on. */
    _forget({ rows }) {
        for (const { collection, id, fields, row, isGone } of rows) {
            if (isGone) this._inserted.delete(id);
            if (collection !== 'tasks' || fields.length === 0) continue;
            this._pending.delete(id);
            if (this.plan.node(id)) this.preview(this.plan.node(id), only(row, asKeys(fields)));
        }
    }

    _takeBack(id, edit) {
        if (this._pending.get(id) !== edit) return;
        this._pending.delete(id);
        this.plan.change(id, edit.before);
        this.onShown();
    }

    /** A query that began before the edit was stored may still answer, once: so the second answer counts. */
    _isAhead(task, edit) {
        const isThere = Object.entries(edit.values).every(([name, value]) => task[name] === value);
        if (isThere || (edit.isStored && edit.isSeen)) this._pending.delete(task.id);
        if (edit.isStored) edit.isSeen = true;
        return !isThere && this._pending.get(task.id) === edit;
    }
}

const taken = (task, values) => Object.fromEntries(Object.keys(values).map(name => [name, task[name] ?? null]));
const asKeys = names => Object.fromEntries(names.map(name => [name, null]));
const only = (values, names) => Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(names, name)));

/** What the edit is called: `Move “Walls”`. */
function stepOf(values, name) {
    const names = Object.keys(values);
    if (names.every(each => each === 'planned_start' || each === 'duration')) {
        return `${names.includes('planned_start') ? 'Move' : 'Change the length of'} ${quoted(name)}`;
    }
    const label = names.length === 1 ? fieldOfPlan(names[0])?.label : null;
    return label ? `Change ${label} of ${quoted(name)}` : `Change ${quoted(name)}`;
}
