// The fields of a task that a plan edits, whatever the schema says of them.

const field = (name, label, kind, document, isNullable = false) => ({
    name, label, kind, isNullable, isRequired: !isNullable, document,
    isNumeric: kind === 'integer' || kind === 'number', type: kind === 'text' || kind === 'date' ? 'string' : kind,
});

export const NAME = field('name', 'Name', 'text', { maxLength: 512 });
export const START = field('planned_start', 'Start', 'date', { format: 'date' }, true);
export const BEGAN = field('actual_start', 'Began', 'date', { format: 'date' }, true);
export const ENDED = field('actual_finish', 'Finished', 'date', { format: 'date' }, true);
export const DURATION = field('duration', 'Working days', 'integer', { type: 'integer', minimum: 1, maximum: 36525 });
export const PERCENT = field('percent_complete', 'Done, %', 'number', { type: 'number', minimum: 0, maximum: 100 });

const FIELDS = new Map([NAME, START, BEGAN, ENDED, DURATION, PERCENT].map(each => [each.name, each]));

/** A field of a task that the plan edits, by its name. */
export const fieldOfPlan = name => FIELDS.get(name);
