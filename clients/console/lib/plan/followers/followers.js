const PAUSE = 250;
const DATES = ['planned_start', 'duration', 'actual_start', 'actual_finish', 'is_milestone'];
const NONE = { isPossible: true, moves: [], stays: [] };

/** As long as the window is open, in all plans. */
let isWanted = false;

function timer(callback, milliseconds) {
    const number = setTimeout(callback, milliseconds);
    return () => clearTimeout(number);
}

/**
 * Moves what follows a task with it, if the reader wants that: what the move would break is pushed on, nothing is
 * pulled. Until the move is stored, the plan shows what would move, and `plan.former` where it stands.
 */
export class Followers {
    /** What is shown to move: `{ isPossible, moves, stays }` as Schedule.push() says; null if nothing is shown. */
    shown = null;
    _base = null;
    _nudged = null;
    _previewed = null;
    /** What the preview has changed, by id, as it was. */
    _kept = new Map();

    /**
     * `onShown()` is called when the plan shows something else. `schedule()` is that of the plan as it is shown, or null;
     * `isPart()` says whether the plan is a part of a project. `wait(callback, milliseconds)` returns what ends the wait.
     */
    constructor(plan, { editing, onShown, schedule, isPart = () => false, wait = timer }) {
        Object.assign(this, { plan, editing, onShown, _schedule: schedule, isPart, _wait: wait });
    }

    get isOn() {
        return isWanted;
    }

    set isOn(isOn) {
        this.flush();
        isWanted = isOn;
    }

    /** What has to move with a task that gets these values. */
    of(id, values) {
        if (!this.isOn || !DATES.some(name => name in values)) return NONE;
        const base = this._base ?? this._schedule();
        return base ? base.push(new Map([[id, values]]), { isPart: this.isPart() }) : NONE;
    }

    /** Shows a task with other values, and what would move with it. With null, or its own values, the preview is over. */
    preview({ task: { id } }, values) {
        this.flush();
        this._preview(id, values);
    }

    /** The plan has other rows: what is previewed is shown with them. */
    renew() {
        const previewed = this._previewed;
        if (!previewed) return;
        this._kept.clear();
        this._end();
        this._preview(previewed.id, previewed.values);
    }

    _preview(id, values) {
        this._takeBack();
        const task = this.plan.node(id)?.task;
        const isOver = !task || Object.entries(values ?? {}).every(([name, value]) => (task[name] ?? null) === (value ?? null));
        if (isOver) this._end();
        else this._show(id, values);
        this.onShown();
    }

    /** Stores what was dragged, with its followers. */
    drop(node, values, before) {
        const { moves } = this.of(node.task.id, values);
        return this.editing.change(node, values, before, moves.filter(each => each.values));
    }

    /** An edit by a key. Presses that follow soon are one edit with it. */
    nudge(node, values) {
        const { id } = node.task;
        if (!this.isOn) return this.editing.nudge(node, values);
        if (this._nudged?.id !== id) this.flush();
        this._nudged?.stop();
        const before = this._nudged?.before ?? node.task;
        const all = { ...this._nudged?.values, ...values };
        this._preview(id, all);
        this._nudged = { id, before, values: all, stop: this._wait(() => this.flush(), PAUSE) };
        return undefined;
    }

    /** Stores what keys have edited, without waiting for more. */
    flush() {
        const nudged = this._nudged;
        this._nudged = null;
        if (!nudged) return undefined;
        const { id, values, before } = nudged;
        nudged.stop();
        this._takeBack();
        this._end();
        const node = this.plan.node(id);
        return node ? this.drop(node, values, before) : undefined;
    }

    _end() {
        this._base = this._previewed = this.shown = null;
        this.plan.former = null;
    }

    _show(id, values) {
        if (this._previewed?.id !== id) this._end();
        this._previewed = { id, values };
        if (this.isOn) this._base ??= this._schedule();
        this._change(id, values);
        if (this.isOn) this._push(this.of(id, values));
    }

    _push(pushed) {
        this.shown = pushed;
        this.plan.former = new Map();
        for (const { id, values } of pushed.moves) {
            const node = this.plan.node(id);
            if (!node) continue;
            const { start, finish: end } = this._base.of(id).planned;
            this.plan.former.set(id, { ...node.bar, start, end });
            if (values) this._change(id, values);
        }
    }

    _change(id, values) {
        const { task } = this.plan.node(id);
        this._kept.set(id, Object.fromEntries(Object.keys(values).map(name => [name, task[name] ?? null])));
        this.plan.change(id, values);
    }

    /** Shows all tasks where they stand. */
    _takeBack() {
        for (const [id, values] of this._kept) this.plan.change(id, values);
        this._kept.clear();
    }
}
