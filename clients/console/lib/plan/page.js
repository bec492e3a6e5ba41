import { element } from '../elements.js';

/** A project as a Gantt chart. */
export function open(context, { project }) {
    return { element: element('p', { class: 'loading', text: `Plan of ${project}` }), title: 'Plan', close() {} };
}
