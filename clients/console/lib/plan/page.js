import { PlanPage } from './plan-page.js';

/** A project as a Gantt chart: its tasks in their tree, with bars, links and dates. */
export function open(context, { project, query }) {
    return new PlanPage(context, project, query);
}
