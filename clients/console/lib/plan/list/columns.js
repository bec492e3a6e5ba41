import { whyNotEdit } from '../../fields/access.js';
import { textOf } from '../../fields/format.js';
import { inputText } from '../../fields/parse.js';
import { isMilestone, startOfTask, whyStays } from '../model/bars.js';
import { dateOf, dayOf } from '../model/days.js';
import { dateShort, daysText, percentText } from '../texts.js';

/**
 * The columns of the plan's list. `of` is the field that a cell writes. `isSpan`: a task with others below it has it
 * from them. The least width of the window is in rem.
 */
const COLUMNS = [
    { name: 'name', label: 'Task', of: 'name', width: 'minmax(0, 1fr)', least: 0 },
    { name: 'start', label: 'Start', of: 'planned_start', width: '5.6rem', least: 70, isSpan: true },
    { name: 'end', label: 'Finish', of: 'duration', width: '5.6rem', least: 70, isSpan: true },
    { name: 'days', label: 'Days', of: 'duration', width: '3.3rem', least: 70, isSpan: true },
    { name: 'percent', label: 'Done', of: 'percent_complete', width: '3.4rem', least: 44, isSpan: true },
    { name: 'assignee', label: 'Assignee', of: 'assignee', width: '7.5rem', least: 90 },
    { name: 'status', label: 'Status', of: 'status', width: '6.6rem', least: 90 },
];

/** What of a bar a field moves. */
const PARTS = { planned_start: 'start', duration: 'end' };

const FINISH = { kind: 'date', type: 'string', document: { format: 'date' }, isNullable: false, isRequired: true };

/** What the list shows of tasks, what its cells take, and what they make of it. */
export class Columns {
    /** Of the schema, once it is known. Without it nothing can be edited. */
    collection = null;
    all = COLUMNS;

    /** `workingDays()` are the project's; `names` is for users and rows: see Names. */
    constructor({ workingDays, names }) {
        Object.assign(this, { workingDays, names });
    }

    /** A schema of one's own may leave fields out. */
    setCollection(collection) {
        this.collection = collection;
        this.all = COLUMNS.filter(({ of }) => collection.field(of));
    }

    /** What a window of so many rem shows. */
    shownAt(width) {
        return this.all.filter(({ least }) => width >= least);
    }

    // What a cell shows.

    /** The text of a cell in the list, where a year of today is left out. */
    text({ name, of }, { task, bar }, today) {
        switch (name) {
            case 'name': return task.name;
            case 'start': case 'end': return bar[name] === null ? '–' : dateShort(bar[name], today);
            case 'days': return daysText(bar, this.workingDays());
            case 'percent': return percentText(bar.percent);
            default: return this._textOf(of, task[of] ?? null);
        }
    }

    /** The text of a cell for another program, or to be pasted here. */
    copied(column, node) {
        const value = this.value(column, node);
        if (column.name === 'assignee' || column.name === 'status') return this._textOf(column.of, value);
        if (column.name === 'percent' && value !== null) return `${Math.round(value * 100) / 100}%`;
        return inputText(this.field(column), value);
    }

    _textOf(name, value) {
        const field = this.collection?.field(name);
        return field ? textOf(field, value, this.names()) : '';
    }

    // What a cell takes.

    /** The field that an editor of a cell is made for. Its label is the column's. */
    field({ name, label, of }) {
        const found = this.collection.field(of);
        return Object.assign(Object.create(name === 'end' ? FINISH : found), { name: of, label });
    }

    /** The value with which the editor of a cell begins. */
    value({ name, of }, { task, bar }) {
        if (name === 'start' || name === 'end') return bar[name] === null ? null : dateOf(bar[name]);
        return bar.kind === 'summary' && name === 'days' ? Number(daysText(bar, this.workingDays()))
            : bar.kind === 'summary' && name === 'percent' ? bar.percent : task[of] ?? null;
    }

    /** Why a cell can't be edited, as a sentence; null if it can. `who` is the reader: see whoIn. */
    whyNot({ of, isSpan, label }, node, who) {
        if (!this.collection) return 'The plan is still loading.';
        if (isSpan && node?.children.length > 0) return `${label} of a task with others below it comes from them.`;
        return whyNotEdit(this.collection, this.collection.field(of), node?.task ?? null, who)
            ?? (node && PARTS[of] ? whyStays(node.task, PARTS[of]) : null);
    }

    /**
     * The fields to write for a cell's value, as `{ values }`, or `{ problem }`. `task` is as it is by then: a block that
     * is pasted sets the start before the finish.
     */
    valuesOf({ name, of }, task, value) {
        if (name === 'end') return this._finish(task, value);
        return { values: { [of]: value } };
    }

    /** A finish is a length. A task without a start gets one, so that it ends on this day. */
    _finish(task, value) {
        const [start, end, days] = [startOfTask(task), dayOf(value), this.workingDays()];
        if (isMilestone(task)) return { values: { planned_start: value } };
        if (start === null) return { values: { planned_start: dateOf(days.move(end, 1 - (task.duration ?? 1))) } };
        if (end < start) return { problem: 'The finish is before the start.' };
        return { values: { duration: Math.max(1, days.count(start, end)) } };
    }
}
