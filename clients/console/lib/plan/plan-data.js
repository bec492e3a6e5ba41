import { whenCatalog } from '../data/catalog.js';
import { whoIn } from '../data/who.js';
import { Names } from '../fields/row-name.js';

/**
 * What a plan is made of, from live queries: every window follows what any of them edits. `onTasks(count)` is called
 * when the tasks are other objects, `onChange()` when something else has changed, `onCatalog(catalog)` once.
 */
export class PlanData {
    /** The project's row; null until it is there, undefined if there is none. */
    row = null;
    catalog = null;
    hasTasks = false;
    /** How users and rows are called; null until the schema is known. */
    names = null;
    _lists = new Map();
    _maps = new Map();
    _people = new Map();

    constructor(context, project, { plan, editing, onTasks, onChange, onCatalog, onError }) {
        Object.assign(this, { context, project, plan, editing, onTasks, onChange, onCatalog });
        editing.onMany = () => this._show(editing.present);
        const follow = (collection, take) =>
            // Unsettled: a large plan fills while its first sync runs.
            context.tidemark.live(collection, { project, unsettled: true }, rows => {
                this._lists.set(collection, rows);
                this._maps.delete(collection);
                take.call(this, rows);
            });
        this._stops = [
            follow('calendars', this._setCalendars), follow('projects', this._setProject),
            follow('memberships', this._setMembers), follow('tasks', this._setTasks),
            follow('dependencies', this._setDependencies),
            whenCatalog(context, catalog => this._setCatalog(catalog), onError),
        ];
    }

    stop() {
        this._stops.forEach(stop => stop());
    }

    person(id) {
        return this._people.get(id) ?? `user ${id}`;
    }

    /** The rows of a collection by id; undefined for one that is not followed, or not there yet. */
    rowsOf = name => {
        if (!this._maps.has(name) && this._lists.has(name)) {
            this._maps.set(name, new Map(this._lists.get(name).map(row => [row.id, row])));
        }
        return this._maps.get(name);
    };

    /** Who the reader is in the project: see fields/access.js. Nobody, until that is known. */
    get who() {
        const isKnown = this.catalog && this._lists.has('projects') && this._lists.has('memberships');
        return isKnown ? whoIn(this.context, this.catalog, this.rowsOf, this.project)
            : { user: null, role: null, isArchived: false };
    }

    _setCatalog(catalog) {
        this.catalog = catalog;
        this.names = new Names(catalog, this.rowsOf);
        this.onCatalog(catalog);
    }

    _setProject([row]) {
        this.row = row;
        this.editing.isArchived = row?.is_archived === true;
        this.plan.setStart(row?.start_date);
        this._setCalendars(this._lists.get('calendars') ?? []);
    }

    _setCalendars(calendars) {
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
        this._show(this.editing.applied(tasks));
    }

    _show(tasks) {
        this.plan.setTasks(tasks);
        this.onTasks(tasks.length);
    }

    _setDependencies(dependencies) {
        this.plan.setDependencies(dependencies);
        this.onChange();
    }
}
