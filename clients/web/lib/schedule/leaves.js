import { dayOf } from './days.js';

/**
 * What each task without tasks below it says of its dates, by its number: boundaries between working days, and how many
 * days it takes. `null` entries of the rows, and fields that a schema leaves out, are as if they were not set.
 */
export class Leaves {
    constructor(count) {
        /** Where it is planned, or where it began. For a task without dates: where the project begins. */
        this.anchor = new Float64Array(count);
        this.length = new Float64Array(count);
        /** Of a milestone: 1 if it may also stand at the end of its day, since its day is one of work. */
        this.room = new Uint8Array(count);
        this.hasDate = new Uint8Array(count);
        /** It has begun or is finished, so no link moves it. */
        this.isFixed = new Uint8Array(count);
        this.isFinished = new Uint8Array(count);
    }

    /** `start` is the project's first day. */
    set(place, task, days, start) {
        const own = startOf(task);
        const isMoment = isMilestone(task);
        this.hasDate[place] = own === null ? 0 : 1;
        this.isFinished[place] = isFinished(task) ? 1 : 0;
        this.isFixed[place] = own !== null && (isFinished(task) || dayOf(task.actual_start) !== null) ? 1 : 0;
        this.anchor[place] = days.before(own ?? start);
        this.length[place] = isMoment ? 0 : task.duration ?? 1;
        this.room[place] = isMoment && own !== null && days.isWorking(own) ? 1 : 0;
        if (!isMoment) this._finish(place, task, days);
    }

    /** A task that is finished has the length that it took. */
    _finish(place, task, days) {
        const end = dayOf(task.actual_finish);
        if (end === null) return;
        const last = days.before(end + 1);
        const hasStart = dayOf(task.actual_start) !== null || dayOf(task.planned_start) !== null;
        if (!hasStart) this.anchor[place] = last - this.length[place];
        this.anchor[place] = Math.min(this.anchor[place], last);
        this.length[place] = last - this.anchor[place];
    }

    /** The same tasks, to change some. */
    copy() {
        const copy = new Leaves(0);
        for (const [name, list] of Object.entries(this)) copy[name] = list.slice();
        return copy;
    }
}

/** The day on which a task begins, as people know or plan it; null if they don't. */
export function startOf(task) {
    const planned = dayOf(task.actual_start) ?? dayOf(task.planned_start);
    return isMilestone(task) ? dayOf(task.actual_finish) ?? planned : planned ?? dayOf(task.actual_finish);
}

/** Whether the task is a moment: it has no length. */
export const isMilestone = task => task.is_milestone === true || task.duration === 0;

/** Whether nothing is left to do. */
export const isFinished = task =>
    Boolean(task.actual_finish) || task.status === 'COMPLETE' || task.percent_complete >= 100;
