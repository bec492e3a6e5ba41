import { element } from '../elements.js';
import { isMilestone, startOfTask } from './model/bars.js';
import { dateOf } from './model/days.js';

/**
 * The fields of a task that its panel can edit, as labels with inputs. `onChange(values)` gets what was entered once it
 * is whole: a date half typed is no date.
 */
export function fieldsOf({ task, children }, onChange) {
    const isParent = children.length > 0;
    const start = startOfTask(task);
    return [
        field('Name', { value: task.name, required: true, maxlength: 512 }, ({ value }) => ({ name: value }), onChange),
        !isParent && field('Start', { type: 'date', value: start === null ? '' : dateOf(start) },
            ({ value }) => ({ planned_start: value || null }), onChange),
        !isParent && !isMilestone(task) && field('Working days', {
            type: 'number', min: 1, max: 36525, step: 1, required: true, value: task.duration,
        }, ({ valueAsNumber }) => ({ duration: valueAsNumber }), onChange),
        !isParent && field('Done, %', {
            type: 'number', min: 0, max: 100, step: 'any', required: true, value: task.percent_complete,
        }, ({ valueAsNumber }) => ({ percent_complete: valueAsNumber }), onChange),
    ];
}

function field(text, options, valuesOf, onChange) {
    const input = element('input', { ...options, onchange: () => input.reportValidity() && onChange(valuesOf(input)) });
    return element('label', { class: 'field' }, element('span', { text }), input);
}
