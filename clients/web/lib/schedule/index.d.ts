/** Days are numbers, counted from 1970-01-01. */
export type Day = number;

/** A row of the copy, as `rows()` returns it. Fields that a schema leaves out are as if they were not set. */
export type ScheduledRow = { id: string, [field: string]: unknown };

export interface ScheduleInput {
    tasks: ScheduledRow[];
    dependencies: ScheduledRow[];
    /** The project's calendar. Without it: Monday to Friday. */
    calendar?: { working_days?: number, exceptions?: { exc_start: string, exc_end: string }[] };
    /** The project's first day. Without it: today. */
    start?: Day | null;
    today: Day;
}

export interface Dates { start: Day; finish: Day }

export interface ScheduledTask {
    /** Where it stands: where it began, else where it is planned, else as early as its links let it. */
    planned: Dates;
    /** As early as its planned start and its links let it. What has begun stays. */
    early: Dates;
    /** As late as it may without moving the last end of the project. Null for what is finished, as is `float`. */
    late: Dates | null;
    /** Working days from `early` to `late`. */
    float: number | null;
    isCritical: boolean;
    /** It ought to be finished before today, and is not. */
    isOverdue: boolean;
    isFinished: boolean;
    isSummary: boolean;
}

export interface BrokenLink {
    /** Its tasks stand where it does not let them; it is part of a cycle; it joins a task and one above it. */
    reason: 'dates' | 'cycle' | 'ancestor';
    /** For `dates`: the task that is too early, the end of it, how many working days, and the first day for it. */
    task: string | null;
    end: 'start' | 'finish' | null;
    days: number;
    day: Day | null;
}

export interface Pushed {
    /** False over a part of a project. */
    isPossible: boolean;
    /** `values` is what to write; null for a task without a date of its own, which moves by itself. */
    moves: { id: string, from: Day, to: Day, values: { planned_start: string } | null }[];
    /** Tasks that would have to move but have begun. */
    stays: string[];
}

export interface Schedule {
    /** Null for a task that has neither dates nor links. */
    of(id: string): ScheduledTask | null;
    marks(id: string): { isCritical: boolean, isOverdue: boolean } | null;
    /** By the id of the dependency. */
    broken: Map<string, BrokenLink>;
    /** The last day of what is left to do. */
    finish: Day | null;
    /** What the changes would break has to move, and what that would break in turn. Nothing is pulled. */
    push(changes: Map<string, Record<string, unknown>>, options?: { isPart?: boolean }): Pushed;
}

export function schedule(input: ScheduleInput): Schedule;
/** The same in pieces. */
export function scheduling(input: ScheduleInput): Generator<void, Schedule>;
/** The day of a date such as `2026-03-02`; null for null. */
export function dayOf(date: string | null): Day | null;
export function dateOf(day: Day): string;
