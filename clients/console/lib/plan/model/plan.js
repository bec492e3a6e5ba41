import { compareSiblings } from '../../../tidemark/lib/order/key.js';
import { WorkingDays } from '../../../tidemark/lib/schedule/working-days.js';
import { isWithoutStart, LINKED, markBar, setBars, setBarsFrom } from './bars.js';
import { dayOf } from './days.js';
import { isWithin, treeOf, visibleNodes } from './tree.js';

/** What the chart shows: the tasks in their tree, the rows in sight, their bars, and the links between them. */
export class Plan {
    rows = [];
    links = [];
    collapsed = new Set();
    workingDays = new WorkingDays();
    /** The project's first day; null if it is not known yet. */
    start = null;
    /** The bars of tasks that a preview shows elsewhere, by id, as they are; null without a preview. */
    former = null;
    /** What `setSchedule` was given last. */
    schedule = null;
    _tasks = [];
    _dependencies = [];
    _nodes = new Map();
    _roots = [];

    setTasks(tasks) {
        this._tasks = tasks;
        this._build();
    }

    setDependencies(dependencies) {
        this._dependencies = dependencies;
        this._link();
    }

    /** `row` is the project's calendar, undefined if it has none. */
    setCalendar(row) {
        this.workingDays = new WorkingDays(row);
        setBars(this._roots, this.workingDays, this.schedule);
    }

    /** `date` is the project's first day. */
    setStart(date) {
        this.start = dayOf(date);
    }

    /** What a schedule is computed from: the tasks as they are shown. */
    scheduled(today) {
        const tasks = Array.from(this._nodes.values(), ({ task }) => task);
        return { tasks, dependencies: this._dependencies, calendar: this.workingDays, start: this.start, today };
    }

    /** Shows what was computed: dates of tasks that have only links, what is critical or overdue, broken links. */
    setSchedule(schedule) {
        this.schedule = schedule;
        const nodes = [...this._nodes.values()];
        const isMoved = nodes.filter(node => this._setLinked(node)).length > 0;
        if (isMoved) setBars(this._roots, this.workingDays, schedule);
        else for (const node of nodes) markBar(node, schedule);
        for (const link of this.links) link.broken = schedule.broken.get(link.id) ?? null;
    }

    /** Shows a task with other values, until the tasks are set again. */
    change(id, values) {
        const node = this.node(id);
        if (!node) return;
        node.task = { ...node.task, ...values };
        setBarsFrom(node, this.workingDays, this.schedule);
    }

    /** Shows a task that is new, or stands elsewhere, until the tasks are set again. Only its part is built again. */
    put(task) {
        const node = this.node(task.id) ?? { task, parent: null, children: [], depth: 0, index: -1 };
        const former = node.parent;
        if (this._nodes.has(task.id)) this._detach(node);
        node.task = task;
        this._nodes.set(task.id, node);
        const parent = this.node(task.parent);
        node.parent = parent && !isWithin(parent, node) ? parent : null;
        const siblings = this.siblingsOf(node);
        const place = siblings.findIndex(each => compareSiblings(task, each.task) < 0);
        siblings.splice(place < 0 ? siblings.length : place, 0, node);
        for (const each of visibleNodes([node], new Set())) each.depth = each.parent ? each.parent.depth + 1 : 0;
        setBarsFrom(node, this.workingDays, this.schedule);
        if (former && former !== node.parent) setBarsFrom(former, this.workingDays, this.schedule);
        this._arrange();
        return node;
    }

    /** Takes a task out that has none below it, until the tasks are set again. */
    drop(id) {
        const node = this.node(id);
        if (!node) return;
        this._detach(node);
        this._nodes.delete(id);
        this._tasks = this._tasks.filter(each => each.id !== id);
        if (node.parent) setBarsFrom(node.parent, this.workingDays, this.schedule);
        this._arrange();
    }

    _detach(node) {
        const siblings = this.siblingsOf(node);
        siblings.splice(siblings.indexOf(node), 1);
    }

    /** The tasks that stand where this one stands, and itself. */
    siblingsOf(node) {
        return node.parent?.children ?? this._roots;
    }

    get roots() {
        return this._roots;
    }

    node(id) {
        return this._nodes.get(id) ?? null;
    }

    /** The place of a task among the rows in sight; -1 if an ancestor is collapsed. */
    indexOf(id) {
        return this.node(id)?.index ?? -1;
    }

    /** Shows or hides what is below a task. */
    toggle(id, isOpen = this.collapsed.has(id)) {
        if (isOpen) this.collapsed.delete(id);
        else if (this.node(id)?.children.length > 0) this.collapsed.add(id);
        this._arrange();
    }

    toggleAll(isOpen) {
        const parents = [...this._nodes.values()].filter(({ children }) => children.length > 0);
        this.collapsed = new Set(isOpen ? [] : parents.map(({ task }) => task.id));
        this._arrange();
    }

    /** Opens everything above a task. */
    reveal(id) {
        for (let node = this.node(id)?.parent; node; node = node.parent) this.collapsed.delete(node.task.id);
        this._arrange();
    }

    /** All tasks from top to bottom, whatever is collapsed. */
    get all() {
        return visibleNodes(this._roots, new Set());
    }

    /** The first and the last day of all bars; null without any. */
    get span() {
        let [start, end] = [Infinity, -Infinity];
        for (const { bar } of this._roots) {
            if (bar.start === null) continue;
            start = Math.min(start, bar.start);
            end = Math.max(end, bar.end);
        }
        return start === Infinity ? null : { start, end };
    }

    _build() {
        const { roots, nodes } = treeOf(this._tasks);
        this._roots = roots;
        this._nodes = nodes;
        for (const node of this._nodes.values()) this._setLinked(node);
        setBars(roots, this.workingDays, this.schedule);
        this._link();
        this._arrange();
    }

    _link() {
        this.links = [];
        for (const { id, predecessor, successor, dep_type: kind = 'FS', lag = 0 } of this._dependencies) {
            const [from, to] = [this.node(predecessor), this.node(successor)];
            const broken = this.schedule?.broken.get(id) ?? null;
            if (from && to) this.links.push({ id, from, to, kind, lag, broken });
        }
    }

    /** Whether a task has another day from its links. */
    _setLinked(node) {
        const isLinked = node.children.length === 0 && isWithoutStart(node.task);
        const day = isLinked ? this.schedule?.of(node.task.id)?.planned.start : undefined;
        if (node.task[LINKED] === day) return false;
        node.task = { ...node.task, [LINKED]: day };
        return true;
    }

    _arrange() {
        this.rows = visibleNodes(this._roots, this.collapsed);
        for (const node of this._nodes.values()) node.index = -1;
        for (const [index, node] of this.rows.entries()) node.index = index;
    }
}
