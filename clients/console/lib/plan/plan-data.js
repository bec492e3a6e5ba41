/**
 * What a plan is made of, from live queries: every window follows what any of them edits. `onTasks(count)` is called
 * when the tasks are other objects, `onChange()` when something else has changed.
 */
export class PlanData {
    /** The project's row; null until it is there, undefined if there is none. */
    row = null;
    hasTasks = false;
    _people = new Map();
    _calendars = [];

    constructor(context, project, { plan, editing, onTasks, onChange }) {
        Object.assign(this, { context, project, plan, editing, onTasks, onChange });
        const follow = (collection, take) =>
            context.tidemark.live(collection, { project }, rows => take.call(this, rows));
        this._stops = [
            follow('calendars', this._setCalendars), follow('projects', this._setProject),
            follow('memberships', this._setMembers), follow('tasks', this._setTasks),
            follow('dependencies', this._setDependencies),
        ];
    }

    stop() {
        this._stops.forEach(stop => stop());
    }

    person(id) {
        return this._people.get(id) ?? `user ${id}`;
    }

    _setProject([row]) {
        this.row = row;
        this.editing.isArchived = row?.is_archived === true;
        this._setCalendars(this._calendars);
    }

    _setCalendars(calendars) {
        this._calendars = calendars;
        this.plan.setCalendar(calendars.find(({ id }) => id === this.row?.calendar));
        this.onChange();
    }

    _setMembers(memberships) {
        const { user } = this.context.state;
        this._people = new Map(memberships.map(each => [each.user, each.display_name || `user ${each.user}`]));
        this.editing.role = memberships.find(each => each.user === user?.id)?.role ?? null;
        this.onChange();
    }

    _setTasks(tasks) {
        this.hasTasks = true;
        this.plan.setTasks(this.editing.applied(tasks));
        this.onTasks(tasks.length);
    }

    _setDependencies(dependencies) {
        this.plan.setDependencies(dependencies);
        this.onChange();
    }
}
