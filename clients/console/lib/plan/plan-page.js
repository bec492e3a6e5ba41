import { finishEditor } from '../edit/editor.js';
import { closePopover } from '../edit/popover.js';
import { Stayed } from '../edit/undo/stayed.js';
import { element, empty, fill, loading, withoutTurns } from '../elements.js';
import { notify, notifyError } from '../notices.js';
import { pathTo } from '../routes.js';
import { Editing } from './editing.js';
import { Followers } from './followers/followers.js';
import { followersText } from './followers/words.js';
import { LinkControl } from './links/link-control.js';
import { LinkEdits } from './links/link-edits.js';
import { Columns } from './list/columns.js';
import { ListControl } from './list/list-control.js';
import { whyStays } from './model/bars.js';
import { todayAt, untilTomorrow } from './model/days.js';
import { Plan } from './model/plan.js';
import { Scheduler } from './model/scheduler.js';
import { NoTasks } from './none.js';
import { LazyDetails } from './panel/lazy-details.js';
import { goTo, keepPlace, placeOf } from './places.js';
import { PlanData } from './plan-data.js';
import { Printing } from './print/printing.js';
import { Toolbar } from './toolbar.js';
import { Troubles } from './troubles.js';
import { Chart } from './view/chart.js';
import { ZOOMS, nextZoom } from './view/time-scale.js';

const ROUTE = '/plan/:project';
const SUMMARY = 'It begins and ends with the tasks below it: move those.';

/** The plan of a project, as long as it is shown. */
export class PlanPage {
    title = 'Plan';
    _isShown = false;

    constructor(context, project, query) {
        Object.assign(this, { context, project });
        this._place = placeOf(this);
        this.plan = new Plan();
        this.plan.collapsed = this._place?.collapsed ?? new Set();
        this._scheduler = new Scheduler(this.plan, () => this.refresh());
        this.editing = new Editing(context.edits, this.plan, () => this.changed());
        this.followers = new Followers(this.plan, {
            editing: this.editing, onShown: () => this._showFollowers(), schedule: () => this._scheduler.fresh(),
        });
        this.links = new LinkEdits(context, project, this.plan, this.editing, () => this.refresh());
        this.columns = new Columns({ workingDays: () => this.plan.workingDays, names: () => this.data.names });
        this.list = new ListControl(this);
        this.linkControl = new LinkControl(this);
        this._build();
        this.toolbar.showFollowing(this.followers.isOn);
        this.chart.today = todayAt(new Date());
        this._zoom(Object.hasOwn(ZOOMS, query.zoom ?? '') ? query.zoom : this._place?.zoom ?? 'week');
        this._follow();
        this._awaitTomorrow();
        this._onLeave = () => {
            this.followers.flush();
            this.editing.flush({ isLeft: true });
        };
        this._stopTurns = context.edits.onTurn(() => this.followers.flush());
        addEventListener('pagehide', this._onLeave);
    }

    close() {
        this.isOver = true;
        closePopover();
        finishEditor();
        this._onLeave();
        [this.editing, this.toolbar, this._stayed].forEach(each => each.stop());
        this._stopReport();
        this._stopTurns();
        removeEventListener('pagehide', this._onLeave);
        keepPlace(this);
        clearTimeout(this._midnight);
        const parts = [this.data, this._scheduler, this.chart, this.troubles, this.links, this.list, this.details];
        [...parts, this._printing].forEach(each => each.stop());
        this._stopState();
    }

    /** Makes a task's row the active one. `column` is the place of its active cell; `isExtending` chooses a block. */
    select(node, { column, isExtending, ...options } = {}) {
        this.list.note(node, { column, isExtending });
        this.chart.select(node, options);
        if (node) this.details.show(node);
    }

    open(node) {
        this.select(node);
        this.details.open(node);
    }

    toggle(node, isOpen) {
        this.plan.toggle(node.task.id, isOpen);
        this.refresh();
    }

    goToToday() {
        this.chart.reachDay(this.chart.today);
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
        const handlers = this._handlers();
        this.chart = new Chart(this.plan, handlers);
        this.details = new LazyDetails(this.plan, handlers);
        this.toolbar = new Toolbar({
            onAdd: () => this.list.typing.beginAtEnd(), onMenu: anchor => this.list.openMenuAt(anchor),
            onZoom: zoom => this.zoom(zoom), onZoomStep: step => this.zoom(nextZoom(this.chart.zoom, step)),
            onPan: step => this.chart.pan(step), onToday: () => this.goToToday(),
            onFollow: isOn => this._setFollowing(isOn),
            onToggleAll: isOpen => this._toggleAll(isOpen), onDetails: () => this._toggleDetails(),
            edits: this.context.edits,
        });
        this._printing = new Printing(() => this._printed());
        this._none = new NoTasks({
            onAdd: () => this.list.typing.beginAtEnd(), onPaste: () => this.list.pasteFromButton(),
            user: () => this.context.state.user?.username,
        });
        this.troubles = new Troubles(this.context, this.project, this.plan);
        this._body = element('div', { class: 'plan-body' }, loading('Loading the plan …'));
        this._status = element('p', { class: 'plan-status', role: 'status' });
        this.element = element('div', { class: 'plan' }, this.toolbar.element, this.troubles.element, this._body,
            this._status);
        this.list.listen();
    }

    async _historyOf(id) {
        const { History } = await import('../row/history.js');
        const { context, columns: { collection }, data: { names } } = this;
        return new History({ context, collection, names }, id);
    }

    /** Why a bar, or its start or end, can't be moved, as a sentence; null if it can. */
    whyNotMove({ task, bar }, part) {
        if (this.editing.whyNot) return this.editing.whyNot;
        if (bar.kind === 'summary') return SUMMARY;
        return whyStays(task, part);
    }

    /**
     * Stores an edit whose values were typed. If others would have to move with it, the user is asked. Another parent is
     * another place: the last one below it.
     */
    async change(node, values, before = node.task) {
        if ('parent' in values) {
            return this.list.structure.move([node], { parent: this.plan.node(values.parent), before: null });
        }
        const pushed = this.followers.of(node.task.id, values);
        if (!pushed.isPossible) notify(followersText(pushed, this.plan));
        const others = pushed.moves.filter(each => each.values);
        const way = others.length > 0 ? await this._ask(node, pushed) : 'one';
        const present = this.plan.node(node.task.id);
        if (!present || !way) return void this.refresh();
        return this.editing.change(present, values, before, way === 'all' ? others : []);
    }

    async _ask(node, pushed) {
        const { askFollowers } = await import('./followers/ask-followers.js');
        return askFollowers(this.plan, node, pushed, this.chart.today);
    }

    _showFollowers() {
        this.changed();
        const { shown } = this.followers;
        const text = shown ? followersText(shown, this.plan) : '';
        if (this._status.textContent !== text) this._status.textContent = text;
    }

    /** Whether what follows a task is to move with it. */
    _setFollowing(isOn) {
        this.followers.isOn = isOn;
        this.toolbar.showFollowing(isOn);
    }

    /** What a printed page shows. */
    _printed() {
        const { plan, chart: { today }, data: { row } } = this;
        return this._isShown ? { plan, today, name: row?.name ?? '', isWrong: link => this.links.isWrong(link) } : null;
    }

    /** What chart, list and panel ask and tell. */
    _handlers() {
        return {
            links: this.links,
            onLink: (link, spot) => this.linkControl.open(link, spot),
            whyNotMove: (node, part) => this.whyNotMove(node, part),
            onRefuse: why => notify(why),
            columns: this.columns, cells: this.list.cells, canAdd: () => this.list.canAdd,
            canEdit: () => this.canEdit(),
            isCollapsed: node => this.plan.collapsed.has(node.task.id),
            workingDays: () => this.plan.workingDays,
            onSelect: (node, options) => this.select(node, options),
            onCell: (...pressed) => this.list.click(...pressed), onPress: () => this.list.press(),
            onTwice: node => this.list.shown.length === 1 && this.open(node),
            onMenu: (node, anchor) => this.list.openMenu(node, anchor), onDrawn: () => this.list.drawn(),
            onAdd: () => this.list.typing.beginAtEnd(),
            onToggle: node => this.toggle(node),
            onOpen: node => this.open(node),
            onPreview: (node, values) => this.followers.preview(node, values),
            onDrop: (node, values, before) => this.followers.drop(node, values, before),
            onChange: (node, values, before) => this.change(node, values, before),
            collection: () => this.columns.collection, rows: () => this.data, history: id => this._historyOf(id),
            onGo: id => this.goTo(id),
            onClose: () => this.chart.list.element.focus(),
            person: id => this.data.person(id),
        };
    }

    _follow() {
        this.data = new PlanData(this.context, this.project, {
            plan: this.plan, editing: this.editing, onTasks: count => this._takeTasks(count),
            onChange: () => this._take(), onCatalog: catalog => this._takeCatalog(catalog),
            onError: notifyError,
        });
        this._stopState = this.context.onState(() => this._isShown || this._show());
        const { edits } = this.context;
        const { chart, details } = this;
        this._stayed = new Stayed(edits, () => [document.activeElement, chart.selected?.task.id, details.isOpen]);
        this._stopReport = edits.onReport(report => this._showChanged(report));
    }

    _takeCatalog(catalog) {
        const collection = catalog.collection('tasks');
        if (!collection) return;
        this.columns.setCollection(collection);
        this.editing.setCatalog(collection, this.data.names);
        this.list.fit();
    }

    /** The tasks are other objects now. The selected one stays, if it is still there. */
    _takeTasks(count) {
        const { chart } = this;
        this.toolbar.showCount(`${count.toLocaleString()} ${count === 1 ? 'task' : 'tasks'}`);
        chart.selected = chart.selected && this.plan.node(chart.selected.task.id);
        chart.hovered = null;
        this.list.typing.keep();
        this.followers.renew();
        this._take();
    }

    _take() {
        const { row } = this.data;
        if (row) document.title = withoutTurns(`${row.name} · Plan · Tidemark`);
        this.toolbar.showReadOnly(this.editing.whyNot);
        this._show();
        this.changed();
    }

    /** The plan has other tasks, links or days, so another schedule. */
    changed() {
        this.refresh();
        this._scheduler.compute(this.chart.today);
    }

    /** The chart once the tasks are there, even if there are none: they are typed into its list. */
    _show() {
        const { row, hasTasks } = this.data ?? {};
        const isWhole = hasTasks && this.context.state.isComplete;
        const hasChart = this.plan.rows.length > 0 || (isWhole && row);
        if (hasChart && this._isShown) this._begin();
        else if (hasChart) this._showChart();
        else if (isWhole && row === undefined) this._showNone();
    }

    _showChart() {
        this._isShown = true;
        this.toolbar.element.hidden = false;
        fill(this._body, this.chart.element, this._none.element, this.details.element);
        this.chart.refresh();
        // What the first look at a plan does not need comes after it.
        this.details.load();
        this._printing.load();
        this.linkControl.load();
        this.list.load();
        // When it is needed, it is asked for again, and what is wrong is told.
        this.context.edits.load().catch(() => {});
        if (this.plan.rows.length > 0) return this._begin();
        this.goToToday();
        return this.list.selectEnd();
    }

    /** Goes to where a reader begins, once there is something: rows may come a little after the project. */
    _begin() {
        if (this._isBegun || this.plan.rows.length === 0) return;
        this._isBegun = true;
        if (this.chart.selected || this.list.typing.isOn) return;
        this.select(goTo(this._place, this), { scroll: false });
    }

    _showNone() {
        this._isShown = false;
        this.toolbar.element.hidden = true;
        fill(this._body, empty('There is no such project', 'It does not exist, or you are not a member of it.'));
    }

    refresh() {
        if (!this._isShown) return;
        this.toolbar.showRole(this.list.canAdd, this.canEdit());
        this._none.show(this.plan.rows.length === 0, this.list.canAdd);
        this.chart.refresh();
        this.details.show(this.chart.selected);
    }

    _toggleAll(isOpen) {
        this.plan.toggleAll(isOpen);
        const { selected } = this.chart;
        if (selected?.index < 0) this.chart.selected = root(selected);
        this.refresh();
    }

    _toggleDetails() {
        if (this.details.isOpen) this.details.close();
        else if (this.plan.rows.length > 0) this.open(this.chart.selected ?? this.plan.rows[0]);
    }

    goTo(id) {
        this.plan.reveal(id);
        this.refresh();
        this.select(this.plan.node(id));
    }

    /**
     * Selects what an undo or redo has changed: the selected task, if it is among it. A row that has just come back is in
     * the plan a little later.
     */
    _showChanged({ rows }) {
        const changed = rows.filter(({ collection, isGone }) => collection === 'tasks' && !isGone);
        const { id } = changed.find(each => each.id === this.chart.selected?.task.id) ?? changed[0] ?? {};
        if (this.plan.node(id)) this._stayed.go(() => this.goTo(id));
    }

    _awaitTomorrow() {
        this._midnight = setTimeout(() => {
            this.chart.today = todayAt(new Date());
            this.changed();
            this._awaitTomorrow();
        }, untilTomorrow(new Date()) + 1000);
    }
}

const root = node => node.parent ? root(node.parent) : node;
