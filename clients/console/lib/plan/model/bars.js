import { isMilestone } from '../../../tidemark/lib/schedule/leaves.js';
import { dayOf } from './days.js';
import { visibleNodes } from './tree.js';

export { isMilestone } from '../../../tidemark/lib/schedule/leaves.js';

/**
 * Gives each node below `roots` its bar: `{ kind, start, end, percent, isCritical, isOverdue }`, from the first day to
 * the last, both included. `kind` is `task`, `milestone`, `summary`, or `none` for what has no dates.
 *
 * A bar begins where the task began, otherwise where people planned it (`planned_start`), otherwise where its links let
 * it stand, and without links where a scheduler put it. It is as long as its working days. A task with others below it
 * spans them; its percentage is theirs, weighed by their working days. `schedule` says what is critical and overdue;
 * without it, or without dates in it, a scheduler's flag says what is critical.
 */
export function setBars(roots, workingDays, schedule) {
    for (const node of visibleNodes(roots, new Set()).reverse()) setBar(node, workingDays, schedule);
}

/** Gives one node its bar, and then all that it is below. */
export function setBarsFrom(node, workingDays, schedule) {
    for (let each = node; each; each = each.parent) setBar(each, workingDays, schedule);
}

/** Of a task: the day on which its links let it stand, if it has no date of its own. */
export const LINKED = Symbol('where links let it stand');

/** The day on which the task begins; null if it has none. */
export const startOfTask = task => ownStart(task) ?? task[LINKED] ?? dayOf(task.scheduled_start)
    ?? dayOf(task.early_start);

/** Why a task's bar, or one end of it, stays; null if it can be moved. `part` is `bar`, `start` or `end`. */
export function whyStays({ actual_start: start, actual_finish: finish }, part) {
    if (finish) return 'It is finished, so it stays. Its panel has the days on which it began and ended.';
    return start && part !== 'end' ? 'It has begun, so it stays. Its panel has the day on which it began.' : null;
}

/** Whether nothing but a link, or a scheduler, says where the task begins. */
export const isWithoutStart = task => ownStart(task) === null;

const ownStart = task => (isMilestone(task) ? dayOf(task.actual_finish) : null)
    ?? dayOf(task.actual_start) ?? dayOf(task.planned_start);

function setBar(node, workingDays, schedule) {
    node.bar = node.children.length > 0 ? summaryBar(node, workingDays) : taskBar(node.task, workingDays);
    markBar(node, schedule);
}

/** What the schedule says of a bar that stands where it did. */
export function markBar({ task, bar }, schedule) {
    const marks = schedule?.marks(task.id);
    bar.isCritical = marks ? marks.isCritical : task.is_critical === true;
    bar.isOverdue = marks?.isOverdue === true;
}

function taskBar(task, workingDays) {
    // Schemas of one's own may leave these fields out.
    const { duration = 1, percent_complete: percent = 0 } = task;
    const start = startOfTask(task);
    const weight = Math.max(1, duration);
    if (start === null) return { kind: 'none', start: null, end: null, percent, weight };
    if (isMilestone(task)) return { kind: 'milestone', start, end: start, percent, weight };
    return { kind: 'task', start, end: endOf(task, start, workingDays), percent, weight };
}

function endOf({ actual_finish: finish, duration = 1 }, start, workingDays) {
    return finish ? Math.max(start, dayOf(finish)) : workingDays.finish(start, duration);
}

function summaryBar({ task, children }, workingDays) {
    const dated = children.map(({ bar }) => bar).filter(({ start }) => start !== null);
    if (dated.length === 0) return taskBar(task, workingDays);
    let [start, end, weight, done] = [Infinity, -Infinity, 0, 0];
    for (const bar of dated) {
        start = Math.min(start, bar.start);
        end = Math.max(end, bar.end);
        weight += bar.weight;
        done += bar.weight * bar.percent;
    }
    return { kind: 'summary', start, end, percent: done / weight, weight };
}
