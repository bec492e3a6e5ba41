// The schedule of a project, computed from its rows. Pure: nothing here reads or writes rows.
export { dateOf, dayOf } from './days.js';
export { schedule, scheduling } from './schedule.js';
