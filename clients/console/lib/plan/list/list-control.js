import { followAnchor } from '../../edit/editor.js';
import { openMenu } from '../../edit/menu.js';
import { whyNot } from '../../fields/access.js';
import { notify } from '../../notices.js';
import { CellEdits } from './cell-edits.js';
import { Cells, isWithinOneOf, namesOf } from './cells.js';
import { PlanKeys } from './plan-keys.js';
import { Structure } from './structure.js';
import { Typing } from './typing.js';

const NO_PLACE = 'There is no place for it there.';

/** The list of tasks under the user's hands: which cells are chosen, and what is done to them. */
export class ListControl {
    /** The columns that the window has room for. */
    shown = [];

    constructor(page) {
        this.page = page;
        this.cells = new Cells(page.plan);
        this.edits = new CellEdits(page);
        this.structure = new Structure(page);
        this.typing = new Typing(page);
    }

    /** Begins to listen, once the page has its chart. */
    listen() {
        const { element } = this.page.chart.list;
        new PlanKeys(this.page).listen(element);
        this._onResize = () => this.fit();
        addEventListener('resize', this._onResize);
        this.fit();
    }

    /** Loads what copies and pastes cells, and what carries rows by the mouse: after the first look at a plan. */
    load() {
        this._loading ??= this._load().catch(error => {
            this._loading = null;
            notify(`Rows can't be copied, pasted or carried: ${error.message}`, 'bad');
        });
        return this._loading;
    }

    async _load() {
        const [{ PlanClipboard }, { RowDrag }] = await Promise.all([import('./clipboard.js'), import('./row-drag.js')]);
        if (this.page.isOver) return;
        this._clipboard = new PlanClipboard(this.page);
        for (const each of [this._clipboard, new RowDrag(this.page)]) each.listen(this.page.chart.list.element);
    }

    async pasteFromButton() {
        await this.load();
        await this._clipboard?.pasteFromButton();
    }

    stop() {
        removeEventListener('resize', this._onResize);
        this._clipboard?.stop();
    }

    /** Shows the columns that there is room for. */
    fit() {
        const { chart, columns } = this.page;
        this.shown = columns.shownAt(innerWidth / parseFloat(getComputedStyle(document.documentElement).fontSize));
        this.cells.column = Math.min(this.cells.column, this.shown.length - 1);
        chart.list.setColumns(this.shown);
        chart.refresh();
    }

    get column() {
        return this.shown[this.cells.column];
    }

    /** Whether the reader may add tasks. */
    get canAdd() {
        const { columns, data } = this.page;
        return columns.whyNot(columns.all[0], null, data?.who) === null;
    }

    /** Notes which cell is the active one now. */
    note(node, { column = this.cells.column, isExtending = false } = {}) {
        const { chart: { selected } } = this.page;
        if (isExtending && selected) this.cells.extend(selected);
        else this.cells.single();
        Object.assign(this.cells, { column, isAtEnd: false });
    }

    /** Goes to the row that adds a task. */
    selectEnd() {
        this.cells.single();
        this.cells.isAtEnd = true;
        this.page.chart.select(null);
        this.page.chart.scrollToEnd();
    }

    /** A click on a cell makes it the active one; on the active one it edits. With Shift it chooses a block. */
    click(shown, column, { shiftKey, pointerType }) {
        const { chart, plan } = this.page;
        const node = plan.node(shown.task.id);
        if (!node) return undefined;
        const isActive = chart.selected === node && this.cells.column === column && !this.cells.isBlock;
        const wasHere = isActive && this._hadFocus;
        this.page.select(node, { column, isExtending: shiftKey });
        if (pointerType === 'touch' && this.shown.length === 1) return this.page.open(node);
        return wasHere && !shiftKey ? this.edits.edit(node, this.column) : undefined;
    }

    /** What the press before a click has found. */
    press() {
        this._hadFocus = document.activeElement === this.page.chart.list.element;
    }

    /** The menu of the active row, at a button. */
    openMenuAt(anchor) {
        const node = this.page.chart.selected ?? this.page.plan.rows[0];
        if (node) this.openMenu(node, anchor);
    }

    openMenu(shown, anchor = this.page.chart.list.cellOf(shown.task.id, this.column.name)) {
        const { structure, typing, page: { plan } } = this;
        const node = plan.node(shown.task.id) ?? shown;
        if (this.page.chart.selected !== node) this.page.select(node);
        const nodes = this.cells.tops(node);
        // The tasks may be other objects by the time that something is chosen.
        const present = () => nodes.map(({ task }) => plan.node(task.id)).filter(Boolean);
        const why = structure.whyNot();
        const lift = step => ({
            work: () => structure.liftAll(present(), step),
            why: why ?? (structure.lifted(nodes, step) ? null : NO_PLACE),
        });
        const shift = (step, place) => ({
            work: () => structure.shift(present(), step), why: this._whyNotAdd() ?? (place ? null : NO_PLACE),
        });
        openMenu(anchor, 'Task', [
            { text: 'Open', keys: 'Ctrl Enter', work: () => this.page.open(plan.node(node.task.id)) },
            {
                text: 'Add a task below', keys: 'Shift Enter', why: this._whyNotAdd(),
                work: () => typing.beginBelow(present().at(-1)),
            },
            { text: 'Indent', keys: 'Tab in a name', ...shift(1, structure.indented(nodes)) },
            { text: 'Outdent', keys: 'Shift Tab in a name', ...shift(-1, structure.outdented(nodes)) },
            { text: 'Move up', keys: 'Alt ↑', ...lift(-1) },
            { text: 'Move down', keys: 'Alt ↓', ...lift(1) },
            {
                text: 'Paste rows', keys: 'Ctrl V', why: this._whyNotAdd(),
                work: () => this.pasteFromButton(),
            },
            ...this.page.linkControl.itemsFor(node),
            {
                text: 'Delete', keys: 'Ctrl Del', why: this._whyNotRemove(),
                work: () => this.remove(plan.node(node.task.id)),
            },
        ], this.page.chart.list.element);
    }

    /** Deletes the chosen tasks; after ten seconds, so it can be taken back. */
    async remove(node) {
        const { context: { edits }, chart, plan } = this.page;
        const why = this._whyNotRemove();
        if (why) return this.edits.say(why);
        const nodes = this.cells.tops(node);
        const changes = nodes.map(({ task: { id } }) => ({ collection: 'tasks', id, delete: true }));
        const gone = new Set(nodes);
        const next = plan.rows.slice(node.index).find(each => !isWithinOneOf(each, gone));
        this.page.select(next ?? plan.rows[nodes[0].index - 1] ?? null);
        await edits.apply({ name: `Delete ${namesOf(nodes)}`, changes })
            .catch(error => this.edits.say(error.detail ?? String(error), 'bad'));
        return chart.list.element.focus({ preventScroll: true });
    }

    /** What is drawn now is elsewhere than before. */
    drawn() {
        followAnchor();
    }

    _whyNotAdd() {
        const { columns, data } = this.page;
        return columns.whyNot(columns.all[0], null, data.who);
    }

    _whyNotRemove() {
        const { columns: { collection }, data: { who } } = this.page;
        return collection ? whyNot(collection, 'delete', who) : 'The plan is still loading.';
    }
}
