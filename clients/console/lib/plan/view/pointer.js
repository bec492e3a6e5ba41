import { endMoved, moved, startMoved } from './drag.js';
import { hit, SIZES } from './geometry.js';

const CURSORS = { bar: 'grab', start: 'ew-resize', end: 'ew-resize' };
const MAKERS = { bar: moved, start: startMoved, end: endMoved };
const SLACK = 3;
const EDGE = 24;
const SPEED = 8;

/**
 * The mouse on the canvas. A press selects, a drag moves a bar or one of its ends, a double click opens the task. A
 * finger scrolls: on touch screens dates change in the panel.
 *
 * `handlers`: `canEdit(node)`, `onSelect(node)`, `onOpen(node)`, `onPreview(node, values)` and, at the end of a drag,
 * `onChange(node, values, before)`, with the task as it was pressed; `values` is null if it is as it was.
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
        on('pointerleave', () => this._drag || chart.hover(null));
        on('mousedown', event => this._focus(event));
        on('dblclick', event => this._found(event) && handlers.onOpen(this._found(event).node));
        addEventListener('keydown', event => this._escape(event), { signal: this._end.signal, capture: true });
    }

    stop() {
        this._end.abort();
    }

    _press(event) {
        if (event.button !== 0) return;
        const found = this._found(event);
        this.handlers.onSelect(found?.node ?? null, { scroll: false });
        if (!found || event.pointerType === 'touch' || !this._isMovable(found)) return;
        this.chart.canvas.setPointerCapture(event.pointerId);
        const from = { x: event.clientX, day: this._dayAt(event) };
        this._drag = { ...found, task: found.node.task, from, values: null, isMoving: false };
        event.preventDefault();
    }

    /** The keyboard goes on where the mouse was. */
    _focus(event) {
        event.preventDefault();
        this.chart.list.element.focus({ preventScroll: true });
    }

    _move(event) {
        const { canvas } = this.chart;
        if (this._drag) return this._pull(event);
        const found = this._found(event);
        canvas.style.cursor = found && this._isMovable(found) ? CURSORS[found.part] : '';
        return event.pointerType === 'touch' ? undefined : this.chart.hover(found, this._spot(event));
    }

    /** A small move is a click that slipped. */
    _pull(event) {
        const drag = this._drag;
        drag.event = event;
        if (drag.isMoving) return this._pullTo(event);
        if (Math.abs(event.clientX - drag.from.x) < SLACK) return undefined;
        drag.isMoving = true;
        this._scrollAtEdges(drag);
        return this._pullTo(event);
    }

    /** Counts in days, since the chart may get more of them while it is pulled. */
    _pullTo(event) {
        const drag = this._drag;
        const { plan, canvas } = this.chart;
        canvas.style.cursor = drag.part === 'bar' ? 'grabbing' : 'ew-resize';
        drag.values = MAKERS[drag.part](drag.task, Math.round(this._dayAt(event) - drag.from.day), plan.workingDays);
        this._preview(drag, drag.values);
        this.chart.hover(drag, this._spot(event));
    }

    /** As long as a bar is held near an edge, what is behind the edge comes into sight. */
    _scrollAtEdges(drag) {
        if (this._drag !== drag) return;
        const { x } = this._spot(drag.event);
        const { canvas, element } = this.chart;
        const step = x < EDGE ? -SPEED : x > canvas.clientWidth - EDGE ? SPEED : 0;
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
        this._preview(drag, null);
        if (isDone && drag.values) this.handlers.onChange(drag.node, drag.values, drag.task);
    }

    /** Escape lets go of the bar, where it was. */
    _escape(event) {
        if (event.key !== 'Escape' || !this._drag) return;
        event.stopPropagation();
        this._release(false);
        this.chart.hover(null);
    }

    _preview({ node, task }, values) {
        const { planned_start, duration } = task;
        this.handlers.onPreview(node, { planned_start, duration, ...values });
    }

    _isMovable({ node, part }) {
        return part !== 'row' && node.bar.kind !== 'summary' && this.handlers.canEdit(node);
    }

    _found(event) {
        const { plan, scale } = this.chart;
        return scale && hit(plan.rows, scale, this._place(event));
    }

    _dayAt(event) {
        const { scale } = this.chart;
        return scale.first + this._place(event).x / scale.pixels;
    }

    /** Within the chart. */
    _place(event) {
        const { scrollLeft, scrollTop } = this.chart.element;
        const { x, y } = this._spot(event);
        return { x: x + scrollLeft, y: y < SIZES.head ? -1 : y + scrollTop - SIZES.head };
    }

    /** Within the canvas. */
    _spot(event) {
        const { left, top } = this.chart.canvas.getBoundingClientRect();
        return { x: event.clientX - left, y: event.clientY - top };
    }
}
