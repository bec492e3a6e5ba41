import { dateOf } from '../model/days.js';
import { isMilestone, startOfTask } from '../model/bars.js';

// What a drag or a key makes of a task: the fields to write, or null if nothing changes. Bars begin on working days,
// and are at least one working day long.

/** The bar as a whole, by so many days of the calendar. It keeps its working days. */
export function moved(task, days, workingDays) {
    const start = startOfTask(task);
    if (start === null || days === 0) return null;
    return changed(task, { planned_start: dateOf(nearest(start + days, days, workingDays)) });
}

/** The bar as a whole, by working days. */
export function stepped(task, steps, workingDays) {
    const start = startOfTask(task);
    if (start === null) return null;
    return changed(task, { planned_start: dateOf(workingDays.move(start, steps)) });
}

/** The end of the bar, by so many days of the calendar. */
export function endMoved(task, days, workingDays) {
    const start = startOfTask(task);
    if (start === null || isMilestone(task) || days === 0) return null;
    const end = workingDays.finish(start, task.duration) + days;
    return changed(task, { duration: atLeastOne(workingDays.count(start, end)) });
}

/** The start of the bar, by so many days of the calendar. The end stays. */
export function startMoved(task, days, workingDays) {
    const start = startOfTask(task);
    if (start === null || isMilestone(task) || days === 0) return null;
    const end = workingDays.finish(start, task.duration);
    const begin = Math.min(nearest(start + days, days, workingDays), end);
    return changed(task, { planned_start: dateOf(begin), duration: atLeastOne(workingDays.count(begin, end)) });
}

/** The length, by working days. */
export function lengthened(task, steps) {
    if (startOfTask(task) === null || isMilestone(task)) return null;
    return changed(task, { duration: atLeastOne(task.duration + steps) });
}

/** A day off gives way to the next working day in the direction of the move. */
const nearest = (day, direction, workingDays) =>
    workingDays.isWorking(day) ? day : workingDays.move(day, Math.sign(direction));

const MOST = 36_525;
const atLeastOne = duration => Math.max(1, Math.min(MOST, duration));

function changed(task, values) {
    const fresh = Object.entries(values).filter(([name, value]) => task[name] !== value);
    return fresh.length > 0 ? Object.fromEntries(fresh) : null;
}
