const DONE = 'COMPLETE';
const NOT_BEGUN = new Set(['BACKLOG', 'NOT_STARTED']);

/**
 * Values to write to a task, with what goes with them: 100 % and “Complete” are set together, and taken back so. What
 * the values name themselves stays. A schema without these fields, or with other words, is left alone.
 */
export function withProgress(collection, task, values) {
    if (!knows(collection)) return values;
    const status = values.status ?? task.status;
    const percent = values.percent_complete ?? task.percent_complete;
    if ('percent_complete' in values && !('status' in values)) {
        if (percent === 100) return { ...values, ...(status === DONE ? {} : { status: DONE }) };
        if (status === DONE) return { ...values, status: percent > 0 ? 'IN_PROGRESS' : 'NOT_STARTED' };
    }
    if ('status' in values && !('percent_complete' in values)) {
        if (status === DONE && percent !== 100) return { ...values, percent_complete: 100 };
        if (NOT_BEGUN.has(status) && percent === 100) return { ...values, percent_complete: 0 };
    }
    return values;
}

const knows = collection => collection?.field('percent_complete')?.isPercent === true
    && [DONE, 'IN_PROGRESS', 'NOT_STARTED'].every(each =>
        collection.field('status')?.choices.some(({ value }) => value === each));
