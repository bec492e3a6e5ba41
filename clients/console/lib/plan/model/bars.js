import { dayOf } from './days.js';
import { visibleNodes } from './tree.js';

/**
 * Gives each node below `roots` its bar: `{ kind, start, end, percent, isCritical }`, from the first day to the last,
 * both included. `kind` is `task`, `milestone`, `summary`, or `none` for what has no dates.
 *
 * A bar begins where people planned it (`planned_start`), otherwise where the scheduler put it. It is as long as its
 * working days. A task with others below it spans them; its percentage is theirs, weighed by their working days.
 */
export function setBars(roots, workingDays) {
    for (const node of visibleNodes(roots, new Set()).reverse()) setBar(node, workingDays);
}

/** Gives one node its bar, and then all that it is below. */
export function setBarsFrom(node, workingDays) {
    for (let each = node; each; each = each.parent) setBar(each, workingDays);
}

/** The day on which the task begins; null if it has none. */
export const startOfTask = task => dayOf(task.planned_start) ?? dayOf(task.scheduled_start) ?? dayOf(task.early_start);

/** Whether the task is a moment: it is drawn as a diamond, and has no length to change. */
export const isMilestone = task => task.is_milestone || task.duration === 0;

function setBar(node, workingDays) {
    node.bar = node.children.length > 0 ? summaryBar(node, workingDays) : taskBar(node.task, workingDays);
}

function taskBar(task, workingDays) {
    // Schemas of one's own may leave these fields out.
    const { duration = 1, percent_complete: percent = 0 } = task;
    const isCritical = task.is_critical === true;
    const start = startOfTask(task);
    const weight = Math.max(1, duration);
    if (start === null) return { kind: 'none', start: null, end: null, percent, isCritical, weight };
    if (isMilestone(task)) return { kind: 'milestone', start, end: start, percent, isCritical, weight };
    return { kind: 'task', start, end: workingDays.finish(start, duration), percent, isCritical, weight };
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
    return { kind: 'summary', start, end, percent: done / weight, isCritical: task.is_critical === true, weight };
}
