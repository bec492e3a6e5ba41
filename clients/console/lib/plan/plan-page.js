import { element, empty, fill, loading } from '../elements.js';
import { pathTo } from '../routes.js';
import { Details } from './details.js';
import { Editing } from './editing.js';
import { todayAt, untilTomorrow } from './model/days.js';
import { Plan } from './model/plan.js';
import { PlanKeys } from './plan-keys.js';
import { Toolbar } from './toolbar.js';
import { Troubles } from './troubles.js';
import { Chart } from './view/chart.js';
import { ZOOMS } from './view/time-scale.js';

const ROUTE = '/plan/:project';

/** The plan of a project, as long as it is shown. The rows come from live queries, so every window follows. */
export class PlanPage {
    title = 'Plan';
    _isShown = false;
    _people = new Map();

    constructor(context, project, query) {
        Object.assign(this, { context, project });
        this.plan = new Plan();
        this.editing = new Editing(context.tidemark, this.plan, () => this._refresh());
        this._build();
        this.chart.today = todayAt(new Date());
        this._zoom(query.zoom in ZOOMS ? query.zoom : 'week');
        this._follow();
        this._awaitTomorrow();
    }

    close() {
        clearTimeout(this._midnight);
        this._stops.forEach(stop => stop());
    }

    select(node, options) {
        this.chart.select(node, options);
        if (node) this.details.show(node);
    }

    open(node) {
        this.select(node);
        this.details.open(node);
    }

    toggle(node, isOpen) {
        this.plan.toggle(node.task.id, isOpen);
        this._refresh();
    }

    goToToday() {
        this.chart.scrollToDay(this.chart.today);
    }

    /** The zoom is in the address, so a link or a reload shows the same. */
    zoom(zoom) {
        history.replaceState(null, '', `#${pathTo(ROUTE, { project: this.project })}?zoom=${zoom}`);
        this._zoom(zoom);
    }

    canEdit() {
        return this.editing.isAllowed;
    }

    _zoom(zoom) {
        this.chart.zoomTo(zoom);
        this.toolbar.showZoom(zoom);
    }

    _build() {
        const handlers = {
            canEdit: () => this.canEdit(),
            isCollapsed: node => this.plan.collapsed.has(node.task.id),
            workingDays: () => this.plan.workingDays,
            onSelect: (node, options) => this.select(node, options),
            onToggle: node => this.toggle(node),
            onOpen: node => this.open(node),
            onPreview: (node, values) => this.editing.preview(node, values),
            onChange: (node, values) => this.editing.change(node, values),
            onGo: id => this._goTo(id),
            onClose: () => this.chart.list.element.focus(),
            person: id => this._people.get(id) ?? `user ${id}`,
        };
        this.chart = new Chart(this.plan, handlers);
        this.details = new Details(this.plan, handlers);
        this.toolbar = new Toolbar({
            onZoom: zoom => this.zoom(zoom), onToday: () => this.goToToday(),
            onToggleAll: isOpen => this._toggleAll(isOpen), onDetails: () => this._toggleDetails(),
        });
        this.troubles = new Troubles(this.context, this.project);
        this._body = element('div', { class: 'plan-body' }, loading('Loading the plan …'));
        this.element = element('div', { class: 'plan' }, this.toolbar.element, this.troubles.element, this._body);
        this.chart.list.element.addEventListener('keydown', new PlanKeys(this).listener);
    }

    _follow() {
        const { tidemark, state } = this.context;
        const options = { project: this.project };
        const live = (collection, callback) => tidemark.live(collection, options, callback);
        this._stops = [
            live('calendars', calendars => this._setCalendars(calendars)),
            live('projects', ([row]) => this._setProject(row)),
            live('memberships', memberships => this._setPeople(memberships, state.user)),
            live('tasks', tasks => this._setTasks(tasks)),
            live('dependencies', dependencies => {
                this.plan.setDependencies(dependencies);
                this._refresh();
            }),
            this.context.onState(() => this._isShown || this._show()),
            () => this.chart.stop(), () => this.troubles.stop(),
        ];
    }

    _setProject(row) {
        this._project = row;
        if (row) document.title = `${row.name} · Plan · Tidemark`;
        this.editing.isArchived = row?.is_archived === true;
        this._setCalendars(this._calendars ?? []);
        this._show();
    }

    _setCalendars(calendars) {
        this._calendars = calendars;
        this.plan.setCalendar(calendars.find(({ id }) => id === this._project?.calendar));
        this._refresh();
    }

    _setPeople(memberships, user) {
        this._people = new Map(memberships.map(each => [each.user, each.display_name || `user ${each.user}`]));
        this.editing.role = memberships.find(each => each.user === user?.id)?.role ?? null;
        this._refresh();
    }

    /** The tasks are other objects now. The selected one stays, if it is still there. */
    _setTasks(tasks) {
        this._hasTasks = true;
        this.plan.setTasks(this.editing.applied(tasks));
        this.toolbar.showCount(`${tasks.length.toLocaleString()} ${tasks.length === 1 ? 'task' : 'tasks'}`);
        this.chart.selected = this.chart.selected && this.plan.node(this.chart.selected.task.id);
        this.chart.hovered = null;
        this._show();
        this._refresh();
    }

    /** The chart once there are tasks, otherwise why there are none. */
    _show() {
        const hasChart = this.plan.rows.length > 0;
        const { isComplete } = this.context.state;
        if (hasChart && !this._isShown) {
            this._isShown = true;
            this.toolbar.element.hidden = false;
            fill(this._body, this.chart.element, this.details.element);
            this.chart.refresh();
            this._scrollToStart();
        } else if (!hasChart && this._hasTasks && isComplete) {
            this._isShown = false;
            this.toolbar.element.hidden = true;
            fill(this._body, this._project
                ? empty('No tasks yet', 'As soon as the project has tasks, their plan is here.')
                : empty('There is no such project', 'It does not exist, or you are not a member of it.'));
        }
    }

    /** Today if one of the first tasks is near it, otherwise the first task's start. */
    _scrollToStart() {
        const { rows } = this.plan;
        const { today, pageRows } = this.chart;
        const days = this.chart.canvas.clientWidth / this.chart.scale.pixels;
        const isNear = ({ children, bar: { start, end } }) =>
            children.length === 0 && start !== null && start < today + days / 2 && end > today - days / 4;
        const first = rows.find(({ bar }) => bar.start !== null)?.bar.start ?? today;
        if (rows.slice(0, pageRows).some(isNear)) this.chart.scrollToDay(today);
        else this.chart.scrollToDay(first, .05);
        if (!this.chart.selected) this.select(rows[0], { scroll: false });
    }

    _refresh() {
        if (!this._isShown) return;
        this.chart.refresh();
        this.details.show(this.chart.selected);
    }

    _toggleAll(isOpen) {
        this.plan.toggleAll(isOpen);
        const { selected } = this.chart;
        if (selected?.index < 0) this.chart.selected = this._root(selected);
        this._refresh();
    }

    _toggleDetails() {
        if (this.details.isOpen) this.details.close();
        else this.open(this.chart.selected ?? this.plan.rows[0]);
    }

    _root(node) {
        return node.parent ? this._root(node.parent) : node;
    }

    _goTo(id) {
        this.plan.reveal(id);
        this._refresh();
        this.select(this.plan.node(id));
    }

    _awaitTomorrow() {
        this._midnight = setTimeout(() => {
            this.chart.today = todayAt(new Date());
            this._refresh();
            this._awaitTomorrow();
        }, untilTomorrow(new Date()) + 1000);
    }
}
