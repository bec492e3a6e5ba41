import { lengthened, stepped } from '../view/drag.js';
import { commandOf } from './keys.js';

/** Does what the keys in the list of rows say. */
export class PlanKeys {
    constructor(page) {
        this.page = page;
    }

    listen(element) {
        element.addEventListener('keydown', event => this._press(event));
    }

    _press(event) {
        const command = commandOf(event);
        const { list, plan, chart } = this.page;
        if (!command || event.defaultPrevented || event.isComposing || event.target !== event.currentTarget) return;
        event.preventDefault();
        const node = chart.selected ?? (list.cells.isAtEnd ? null : plan.rows[0]);
        if (node) this[`_${command.name}`](command.step ?? command.typed, node);
        else this._atEnd(command);
    }

    /** On the row that adds a task. */
    _atEnd({ name, step, typed = null }) {
        const { list, plan } = this.page;
        if (['edit', 'add'].includes(name)) list.typing.beginAtEnd(typed ?? '');
        else if (name === 'go') this._to(plan.rows.length + step, false);
        else if (name === 'page') this._to(plan.rows.length - 1, false);
        else if (name === 'close') this._to(plan.rows.length - 1, false);
    }

    _go(step, node) {
        this._to(this.page.chart.selected ? node.index + step : 0, false);
    }

    _page(step, node) {
        this._to(node.index + step * this.page.chart.pageRows, false);
    }

    _extend(step, node) {
        this._to(node.index + step, true);
    }

    _extendPage(step, node) {
        this._extend(step * this.page.chart.pageRows, node);
    }

    /** Goes to a row. Below the last one is the row that adds a task. */
    _to(place, isExtending) {
        const { list, plan } = this.page;
        const last = plan.rows.length - 1;
        if (place > last && Number.isFinite(place) && !isExtending && list.canAdd) list.selectEnd();
        else if (last >= 0) this.page.select(plan.rows[Math.max(0, Math.min(last, place))], { isExtending });
    }

    _side(step, node) {
        this.page.select(node, { column: step < 0 ? 0 : this.page.list.shown.length - 1 });
    }

    _extendAside(step, node) {
        const { cells, shown } = this.page.list;
        const column = Math.max(0, Math.min(shown.length - 1, cells.column + step));
        this.page.select(node, { column, isExtending: true });
    }

    /** Opens what is below; otherwise goes to the next cell. */
    _open(_, node) {
        const { plan, list: { cells, shown } } = this.page;
        if (cells.column === 0 && plan.collapsed.has(node.task.id)) this.page.toggle(node, true);
        else this.page.select(node, { column: Math.min(shown.length - 1, cells.column + 1) });
    }

    /** Goes to the cell before; at a name it closes what is below, and what is closed already is left. */
    _close(_, node) {
        const { plan, list: { cells } } = this.page;
        if (cells.column > 0) this.page.select(node, { column: cells.column - 1 });
        else if (node.children.length > 0 && !plan.collapsed.has(node.task.id)) this.page.toggle(node, false);
        else if (node.parent) this.page.select(node.parent);
    }

    _single(_, node) {
        this.page.select(node);
    }

    _move(step, node) {
        this._change(node, 'bar', stepped(node.task, step, this.page.plan.workingDays));
    }

    _lengthen(step, node) {
        this._change(node, 'end', lengthened(node.task, step));
    }

    _change(node, part, values) {
        const why = this.page.whyNotMove(node, part);
        if (why) return void this.page.list.edits.say(why);
        if (!values) return undefined;
        this.page.followers.nudge(node, values);
        return this.page.select(node);
    }

    _link(_, node) {
        this.page.linkControl.linkTo(node);
    }

    _links(_, node) {
        this.page.linkControl.change(node);
    }

    _edit(typed, node) {
        this.page.list.edits.edit(node, this.page.list.column, typed);
    }

    _empty(_, node) {
        this.page.list.edits.empty(node, this.page.list.column);
    }

    _add(_, node) {
        this.page.list.typing.beginBelow(node);
    }

    _lift(step, node) {
        this.page.list.structure.lift(node, step);
    }

    _menu(_, node) {
        this.page.list.openMenu(node);
    }

    _show(_, node) {
        this.page.open(node);
    }

    _remove(_, node) {
        this.page.list.remove(node);
    }
}
