import { dayOf, weekdayOf } from './days.js';

// 1950-01-01 and 2150-01-01. Outside, every day is a working day.
const FIRST = -7305;
const LAST = 65_744;

/**
 * The working days of a calendar row: a mask of weekdays (Monday is 1, Sunday 64) without the days off. Counts and
 * searches take the same time for a day and for a decade.
 */
export class WorkingDays {
    /** How many working days lie between FIRST and each day. */
    _before = new Int32Array(LAST - FIRST + 1);

    /** Without a calendar: Monday to Friday. */
    constructor({ working_days: mask = 31, exceptions = [] } = {}) {
        const isOff = daysOff(exceptions);
        for (let day = FIRST; day < LAST; day += 1) {
            const works = (mask >> weekdayOf(day)) & 1 && !isOff[day - FIRST] ? 1 : 0;
            this._before[day - FIRST + 1] = this._before[day - FIRST] + works;
        }
    }

    isWorking(day) {
        return day < FIRST || day >= LAST || this._before[day - FIRST + 1] > this._before[day - FIRST];
    }

    /** The working days from `start` to `finish`, both included; negative if `finish` is earlier. */
    count(start, finish) {
        return this._until(finish + 1) - this._until(start);
    }

    /** The last day of work that begins on `start` and takes so many working days. At least `start`. */
    finish(start, duration) {
        return duration < 1 ? start : this._dayWith(this._until(start) + duration) ?? start + duration - 1;
    }

    /** The working day that is `step` working days away. From a day off, the next one in that direction is one step. */
    move(day, step) {
        if (step === 0) return day;
        const before = this._until(day) + (step > 0 && this.isWorking(day) ? 1 : 0);
        return this._dayWith(before + step + (step > 0 ? 0 : 1)) ?? day + step;
    }

    /** The boundary at which a day begins: how many working days lie before it. */
    before(day) {
        return this._isEmpty ? day : this._until(day);
    }

    /** The first working day after a boundary. */
    after(boundary) {
        return this._isEmpty ? boundary : this._dayWith(boundary + 1);
    }

    /** This day, or the next working day. */
    onOrAfter(day) {
        return this.isWorking(day) ? day : this.move(day, 1);
    }

    /** Such a calendar is used as if every day were one of work. */
    get _isEmpty() {
        return this._before.at(-1) === 0;
    }

    _until(day) {
        if (day < FIRST) return day - FIRST;
        if (day > LAST) return this._before.at(-1) + day - LAST;
        return this._before[day - FIRST];
    }

    /** The working day that is number `count` from FIRST on; null if the calendar has none. */
    _dayWith(count) {
        if (count < 1) return FIRST + count - 1;
        const all = this._before.at(-1);
        if (count > all) return all === 0 ? null : LAST + count - all - 1;
        let [low, high] = [1, LAST - FIRST];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this._before[middle] >= count) high = middle;
            else low = middle + 1;
        }
        return FIRST + low - 1;
    }
}

function daysOff(exceptions) {
    const isOff = new Uint8Array(LAST - FIRST);
    for (const { exc_start: start, exc_end: end } of exceptions) {
        const [first, last] = [dayOf(start), dayOf(end)];
        if (first !== null && last !== null) isOff.fill(1, clamped(first), clamped(last + 1));
    }
    return isOff;
}

const clamped = day => Math.max(0, Math.min(LAST - FIRST, day - FIRST));
