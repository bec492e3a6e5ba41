import { element } from '../elements.js';
import { isMilestone, startOfTask } from './model/bars.js';
import { dateOf } from './model/days.js';

const START = {
    text: 'Start', options: { type: 'date' }, name: 'planned_start',
    shown: task => startOfTask(task) === null ? '' : dateOf(startOfTask(task)), read: ({ value }) => value || null,
};
const NUMBER = { type: 'number', required: true };
const NAME = {
    text: 'Name', options: { required: true, maxlength: 512 }, name: 'name', shown: ({ name }) => name,
    read: ({ value }) => value,
};
const DURATION = {
    text: 'Working days', options: { ...NUMBER, min: 1, max: 36525, step: 1 }, name: 'duration',
    shown: ({ duration }) => duration, read: ({ valueAsNumber }) => valueAsNumber,
};
const PERCENT = {
    text: 'Done, %', options: { ...NUMBER, min: 0, max: 100, step: 'any' }, name: 'percent_complete',
    shown: ({ percent_complete: percent }) => percent, read: ({ valueAsNumber }) => valueAsNumber,
};

/** What a task's panel can edit. The dates of a parent are those of what is below it. */
export function fieldsOf({ task, children }) {
    if (children.length > 0) return [NAME];
    return isMilestone(task) ? [NAME, START, PERCENT] : [NAME, START, DURATION, PERCENT];
}

/**
 * Labels with inputs. `onChange(values)` gets what was entered once it is whole: a date half typed is no date.
 * `show(node)` shows other values, but leaves the input that is being edited as it is.
 */
export class Fields {
    constructor(fields, onChange) {
        this._inputs = fields.map(field => ({ field, input: inputOf(field, onChange) }));
        this.element = element('div', { class: 'plan-fields' }, this._inputs.map(({ field, input }) =>
            element('label', { class: 'field' }, element('span', { text: field.text }), input)));
    }

    show({ task }) {
        for (const { field, input } of this._inputs) {
            const value = `${field.shown(task)}`;
            if (input !== document.activeElement && input.value !== value) input.value = value;
        }
    }
}

function inputOf({ name, options, read }, onChange) {
    const input = element('input', {
        ...options, onchange: () => input.reportValidity() && onChange({ [name]: read(input) }),
    });
    return input;
}
