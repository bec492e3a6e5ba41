import { arrowAt } from './arrows.js';
import { endMoved, moved, startMoved } from './drag.js';
import { edgeStep, hit } from './geometry.js';

const CURSORS = { bar: 'grab', start: 'ew-resize', end: 'ew-resize' };
const MAKERS = { bar: moved, start: startMoved, end: endMoved };
const SLACK = 3;

/**
 * The mouse on the canvas. A press selects, a drag moves a bar or one of its ends, a double click opens the task, and a
 * click on an arrow its link. A finger scrolls, and a tap opens the task: there, dates change in the panel.
 *
 * `handlers`: `whyNotMove(node, part)`, a sentence or null, and `onRefuse(why)` for a drag of such a bar; `onSelect(node)`,
 * `onOpen(node)`, `onLink(link, spot)`, `onPreview(node, values)`, with null once it is as it was
 * or the drag is over, and then `onDrop(node, values, before)`, with the task as it was pressed.
 */
export class Pointer {
    _drag = null;
    _end = new AbortController();

    constructor(chart, handlers) {
        Object.assign(this, { chart, handlers });
        const on = (name, listener) => chart.canvas.addEventListener(name, listener, { signal: this._end.signal });
        on('pointerdown', event => this._press(event));
        on('pointermove', event => this._move(event));
        on('pointerup', () => this._release(true));
        on('pointercancel', () => this._release(false));
        on('pointerleave', event => this._leave(event));
        on('click', event => this._click(event));
        on('mousedown', event => this._focus(event));
        on('dblclick', event => this._found(event) && handlers.onOpen(this._found(event).node));
        addEventListener('keydown', event => this._escape(event), { signal: this._end.signal, capture: true });
    }

    stop() {
        this._end.abort();
    }

    _press(event) {
        this._pressed = { x: event.clientX, y: event.clientY };
        if (event.button !== 0 || event.pointerType === 'touch' || this._arrow(event)) return;
        const found = this._found(event);
        this.handlers.onSelect(found?.node ?? null, { scroll: false });
        if (!found || found.part === 'row') return;
        this.chart.canvas.setPointerCapture(event.pointerId);
        const from = { x: event.clientX, day: this._dayAt(event) };
        const why = this.handlers.whyNotMove(found.node, found.part);
        this._drag = { ...found, task: found.node.task, from, why, values: null, isMoving: false };
        event.preventDefault();
    }

    _click(event) {
        const { x, y } = this._pressed ?? { x: event.clientX, y: event.clientY };
        if (Math.hypot(event.clientX - x, event.clientY - y) >= SLACK) return undefined;
        const found = this._found(event);
        if (event.pointerType === 'touch') return found && this.handlers.onOpen(found.node);
        return found && found.part !== 'row' ? undefined : this.chart.openArrow(event);
    }

    /** The handles are above the canvas, and the bar stays pointed at. */
    _leave({ relatedTarget }) {
        if (!this._drag && !this.chart.handles?.has(relatedTarget)) this.chart.hover(null);
    }

    /** The keyboard goes on where the mouse was. */
    _focus(event) {
        event.preventDefault();
        this.chart.list.element.focus({ preventScroll: true });
    }

    _move(event) {
        const { chart, chart: { canvas } } = this;
        if (this._drag) return this._pull(event);
        const [found, arrow] = [this._found(event), this._arrow(event)];
        canvas.style.cursor = arrow ? 'pointer' : found && this._isMovable(found) ? CURSORS[found.part] : '';
        if (event.pointerType === 'touch') return undefined;
        chart.hover(found, chart.spotOf(event));
        return arrow && chart.point(arrow.link, chart.spotOf(event));
    }

    /** A small move is a click that slipped. */
    _pull(event) {
        const drag = this._drag;
        drag.event = event;
        if (drag.isMoving) return this._pullTo(event);
        if (Math.abs(event.clientX - drag.from.x) < SLACK) return undefined;
        if (drag.why) return this._refuse(drag.why);
        drag.isMoving = true;
        this._scrollAtEdges(drag);
        return this._pullTo(event);
    }

    _refuse(why) {
        this._drag = null;
        this.handlers.onRefuse(why);
    }

    /** Counts in days, since the chart may get more of them while it is pulled. */
    _pullTo(event) {
        const drag = this._drag;
        const { plan, canvas } = this.chart;
        drag.node = plan.node(drag.task.id) ?? drag.node;
        canvas.style.cursor = drag.part === 'bar' ? 'grabbing' : 'ew-resize';
        drag.values = MAKERS[drag.part](drag.task, Math.round(this._dayAt(event) - drag.from.day), plan.workingDays);
        this.handlers.onPreview(drag.node, drag.values);
        this.chart.hover(drag, this.chart.spotOf(event));
    }

    /** As long as a bar is held near an edge, what is behind the edge comes into sight. */
    _scrollAtEdges(drag) {
        if (this._drag !== drag) return;
        const { canvas, element } = this.chart;
        const step = edgeStep(this.chart.spotOf(drag.event).x, canvas.clientWidth);
        if (step !== 0) {
            element.scrollLeft += step;
            this._pullTo(drag.event);
        }
        requestAnimationFrame(() => this._scrollAtEdges(drag));
    }

    _release(isDone) {
        const drag = this._drag;
        this._drag = null;
        this.chart.canvas.style.cursor = '';
        if (!drag?.isMoving) return;
        this.handlers.onPreview(drag.node, null);
        if (isDone && drag.values) this.handlers.onDrop(drag.node, drag.values, drag.task);
    }

    /** Escape lets go of the bar, where it was. */
    _escape(event) {
        if (event.key !== 'Escape' || !this._drag) return;
        event.stopPropagation();
        this._release(false);
        this.chart.hover(null);
    }

    _isMovable({ node, part }) {
        return part !== 'row' && this.handlers.whyNotMove(node, part) === null;
    }

    /** The arrow at a place that is beside all bars, with its link; null if there is none. */
    _arrow(event) {
        const found = this._found(event);
        return found && found.part !== 'row' ? null : arrowAt(this.chart.arrows, this.chart.placeOf(event));
    }

    _found(event) {
        const { plan, scale } = this.chart;
        return scale && hit(plan.rows, scale, this.chart.placeOf(event));
    }

    _dayAt(event) {
        const { scale } = this.chart;
        return scale.first + this.chart.placeOf(event).x / scale.pixels;
    }
}
