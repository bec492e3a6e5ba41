import { commandOf } from './keys.js';
import { lengthened, stepped } from './view/drag.js';
import { nextZoom } from './view/time-scale.js';

/** Does what the keys in the list of rows say. */
export class PlanKeys {
    listener = event => this._press(event);

    constructor(page) {
        this.page = page;
    }

    _press(event) {
        const command = commandOf(event);
        if (!command || event.target !== event.currentTarget) return;
        event.preventDefault();
        const { chart, plan } = this.page;
        this[`_${command.name}`](command.step, chart.selected ?? plan.rows[0]);
    }

    _go(step, node) {
        const { chart, plan } = this.page;
        const place = chart.selected ? node.index + step : 0;
        this.page.select(plan.rows[Math.max(0, Math.min(plan.rows.length - 1, place))]);
    }

    _page(step, node) {
        this._go(step * this.page.chart.pageRows, node);
    }

    /** Opens what is below; what is open already is entered. */
    _open(_, node) {
        if (node.children.length === 0) return;
        if (this.page.plan.collapsed.has(node.task.id)) this.page.toggle(node, true);
        else this.page.select(node.children[0]);
    }

    /** Closes what is below; what is closed already is left. */
    _close(_, node) {
        if (node.children.length > 0 && !this.page.plan.collapsed.has(node.task.id)) this.page.toggle(node, false);
        else if (node.parent) this.page.select(node.parent);
    }

    _move(step, node) {
        this._change(node, stepped(node.task, step, this.page.plan.workingDays));
    }

    _lengthen(step, node) {
        this._change(node, lengthened(node.task, step));
    }

    _change(node, values) {
        if (!values || node.bar.kind === 'summary' || !this.page.canEdit(node)) return;
        this.page.editing.nudge(node, values);
        this.page.select(node);
    }

    _link(_, node) {
        this.page.linkTo(node);
    }

    _pan(step) {
        this.page.chart.pan(step);
    }

    _show(_, node) {
        this.page.open(node);
    }

    _zoom(step) {
        this.page.zoom(nextZoom(this.page.chart.zoom, step));
    }

    _today() {
        this.page.goToToday();
    }
}
