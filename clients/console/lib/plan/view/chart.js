import { element } from '../../elements.js';
import { paint, rowsInSight } from '../drawing/paint.js';
import { paletteOf } from '../drawing/palette.js';
import { arrowAt } from './arrows.js';
import { boxOf, SIZES } from './geometry.js';
import { Pointer } from './pointer.js';
import { RowList } from '../list/row-list.js';
import { Ring } from './ring.js';
import { Tip } from './tip.js';
import { TimeScale } from './time-scale.js';

/**
 * The list of rows and the canvas, in one scrolled box. Both are drawn in the same frame, so they never drift apart.
 * The canvas has the size of what is in sight, whatever the size of the plan.
 */
export class Chart {
    selected = null;
    hovered = null;
    /** The id of the link under the mouse. */
    pointed = null;
    today = 0;
    /** The arrows that were drawn last, as `{ link, path }`. */
    arrows = [];
    /** LinkHandles, or null. */
    handles = null;
    _pull = null;
    _frame = null;
    _isStale = true;

    /** `handlers`: see Pointer and RowList; `onScale(zoom)` hears of another zoom. */
    constructor(plan, handlers) {
        Object.assign(this, { plan, handlers });
        this.list = new RowList(handlers);
        this.canvas = element('canvas', { class: 'plan-canvas', 'aria-hidden': 'true' });
        this._ring = new Ring();
        this._tip = new Tip(plan);
        const back = () => this.list.element.focus();
        this._anchor = element('span', { class: 'plan-anchor', tabindex: -1, onfocus: back });
        this._time = element('div', { class: 'plan-time' }, this.canvas, this._ring.element, this._tip.element,
            this._anchor);
        this._view = element('div', { class: 'plan-view' }, this.list.element, this._time);
        this._size = element('div', { class: 'plan-size' }, this._view);
        this.element = element('div', { class: 'plan-scroll', tabindex: -1 }, this._size);
        this._pointer = new Pointer(this, handlers);
        this._listen();
    }

    /** Takes the handles by which links are pulled, once their file is there. */
    takeHandles(handles) {
        this.handles = handles;
        this._ring.element.after(...handles.elements);
        this.draw();
    }

    // What is shown.

    /** Shows what the plan holds now. */
    refresh() {
        this._isStale = true;
        this._fit();
    }

    select(node, { scroll = true } = {}) {
        this.selected = node;
        if (scroll && node) this.scrollToRow(node);
        this.draw();
    }

    /** Shows the row below all tasks. */
    scrollToEnd() {
        this._fit();
        this.element.scrollTop = this.element.scrollHeight;
    }

    hover(found, place) {
        this.hovered = found?.node ?? null;
        this.pointed = null;
        this._tip.show(found?.part === 'row' ? null : this.hovered, place, this._time);
        this.draw();
    }

    /** The start of the selected bar stays where it is, or the day in the middle if that bar is out of sight. */
    zoomTo(zoom) {
        const anchor = this.scale && this._resting();
        this._zoom = zoom;
        this.scale = null;
        this._fit();
        if (anchor && this.scale) this.element.scrollLeft = this.scale.x(anchor.day) - anchor.x;
    }

    /** What stays where it is. */
    _resting() {
        const { scale, selected, canvas: { clientWidth: width }, element: { scrollLeft } } = this;
        const start = selected?.bar.start ?? null;
        const x = start === null ? -1 : scale.x(start) - scrollLeft;
        if (x >= 0 && x < width) return { day: start, x };
        return { day: scale.first + (scrollLeft + width / 2) / scale.pixels, x: width / 2 };
    }

    get zoom() {
        return this._zoom;
    }

    /** Shows an arrow that is pulled from a bar, with what it would be in words; null takes it away. */
    showPull(pull, ...words) {
        this._pull = pull;
        this.hovered = pull?.target?.node ?? null;
        if (pull) this._tip.say(words, this.spotOf(pull.event), this._time);
        else this._tip.hide();
        this.draw();
    }

    /** Shows which link is pointed at, with what it says. */
    point(link, place) {
        this.pointed = link?.id ?? null;
        if (link) this._tip.say(this.handlers.links.words(link), place, this._time);
        this.draw();
    }

    /** An element at a place of the canvas, for what opens there. The focus comes back to the list. */
    anchorAt({ x, y }) {
        this._tip.hide();
        this._anchor.style.transform = `translate(${x}px, ${y}px)`;
        return this._anchor;
    }

    /** The same below the row of a task. */
    anchorBelow({ index }) {
        return this.anchorAt({ x: 0, y: SIZES.head + (index + 1) * SIZES.row - this.element.scrollTop });
    }

    /** Opens the link whose arrow is here; false if there is none. */
    openArrow(event) {
        const arrow = arrowAt(this.arrows, this.placeOf(event));
        if (arrow) this.handlers.onLink(arrow.link, this.spotOf(event));
        return arrow !== null;
    }

    // Where the mouse is.

    /** Within the canvas. */
    spotOf(event) {
        const { left, top } = this.canvas.getBoundingClientRect();
        return { x: event.clientX - left, y: event.clientY - top };
    }

    /** Within the chart. */
    placeOf(event) {
        const { scrollLeft, scrollTop } = this.element;
        const { x, y } = this.spotOf(event);
        return { x: x + scrollLeft, y: y < SIZES.head ? -1 : y + scrollTop - SIZES.head };
    }

    // Scrolling.

    scrollToDay(day, part = .3) {
        if (this.scale) this.element.scrollLeft = this.scale.x(day) - this.canvas.clientWidth * part;
    }

    /** The same for a day that may be far from all bars: the chart goes on until there. */
    reachDay(day, part = .3) {
        if (!this.scale) return;
        const days = this.canvas.clientWidth / this.scale.pixels;
        const { start, end } = this._reached ?? { start: day, end: day };
        this._reached = { start: Math.min(start, day - days * part), end: Math.max(end, day + days * (1 - part)) };
        this._fit();
        this.scrollToDay(day, part);
    }

    /** Rows go up or down as far as needed; bars that are out of sight come to a third of the width. */
    scrollToRow(node) {
        const [top, room] = [node.index * SIZES.row, this._view.clientHeight - SIZES.head];
        const { scrollTop } = this.element;
        if (top < scrollTop) this.element.scrollTop = top;
        else if (top + SIZES.row > scrollTop + room) this.element.scrollTop = top + SIZES.row - room;
        const box = this.scale && boxOf(node, node.index, this.scale);
        const { scrollLeft } = this.element;
        if (box && (box.right < scrollLeft + 20 || box.left > scrollLeft + this.canvas.clientWidth - 20)) {
            this.scrollToDay(node.bar.start);
        }
    }

    /** By a third of what is in sight. */
    pan(step) {
        this.element.scrollLeft += step * this.canvas.clientWidth / 3;
    }

    /** How many rows are in sight as a whole. */
    get pageRows() {
        return Math.max(1, Math.floor((this._view.clientHeight - SIZES.head) / SIZES.row) - 1);
    }

    // Drawing.

    draw() {
        this._frame ??= requestAnimationFrame(() => {
            this._frame = null;
            this._draw();
        });
    }

    /** In this turn: what stands at a row needs its element. */
    drawNow() {
        cancelAnimationFrame(this._frame);
        this._frame = null;
        this._draw();
    }

    stop() {
        cancelAnimationFrame(this._frame);
        this._frame = -1;
        this._stops.forEach(stop => stop());
    }

    _draw() {
        if (!this.scale) return;
        const picture = this._picture();
        paint(this._context, picture);
        this.arrows = picture.arrows;
        const sight = rowsInSight(picture);
        this.list.show({
            rows: this.plan.rows, ...sight, y: picture.y, selected: this.selected, hovered: this.hovered,
            today: this.today, isStale: this._isStale,
        });
        this._ring.show(picture);
        this.handles?.show(picture);
        this._isStale = false;
        this.handlers.onDrawn?.();
    }

    _picture() {
        this._palette ??= paletteOf(this.element);
        const { plan, scale, selected, hovered, pointed, today, canvas, element: scroller, _palette: palette } = this;
        return {
            plan, scale, palette, selected, hovered, pointed, today, pull: this._pull, arrows: [],
            hasDates: !this.list.has('end'),
            isWrong: link => this.handlers.links.isWrong(link), width: canvas.clientWidth, height: canvas.clientHeight,
            x: scroller.scrollLeft, y: scroller.scrollTop,
        };
    }

    /** Makes room for all rows and days, and lets the canvas fill what is in sight. */
    _fit() {
        const { clientWidth: width, clientHeight: height } = this.element;
        if (width === 0) return;
        this._view.style.width = `${width}px`;
        this._view.style.height = `${height}px`;
        this._fitScale();
        this._size.style.width = `${this.list.element.offsetWidth + this.scale.width}px`;
        this._size.style.height = `${Math.max(height, SIZES.head + (this.plan.rows.length + 1) * SIZES.row)}px`;
        // A canvas of another size is empty, so it is filled before the browser shows it.
        if (this._fitCanvas()) this._draw();
        else this.draw();
    }

    /** Days are added at the ends only if bars go past them, so the chart stays still under a bar that is dragged. */
    _fitScale() {
        const span = this._span();
        const { scale } = this;
        const width = this.canvas.clientWidth;
        if (scale && span.start >= scale.first && span.end <= scale.last && scale.width >= width) return;
        this.scale = new TimeScale(this._zoom, span, width);
        if (scale) this.element.scrollLeft += (scale.first - this.scale.first) * this.scale.pixels;
    }

    /** The first and the last day of all bars and of what was asked for. */
    _span() {
        const { plan: { span }, today, _reached: reached } = this;
        const { start, end } = span ?? reached ?? { start: today, end: today };
        return { start: Math.floor(Math.min(start, reached?.start ?? start)),
            end: Math.ceil(Math.max(end, reached?.end ?? end)) };
    }

    /** Whether the size has changed. */
    _fitCanvas() {
        const { canvas } = this;
        const ratio = devicePixelRatio || 1;
        const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
        if (canvas.width === width && canvas.height === height && this._context) return false;
        Object.assign(canvas, { width, height });
        this._context ??= canvas.getContext('2d', { alpha: false });
        this._context.setTransform(ratio, 0, 0, ratio, 0, 0);
        return true;
    }

    _listen() {
        const sizes = new ResizeObserver(() => this._fit());
        sizes.observe(this.element);
        const recolour = () => {
            this._palette = null;
            this.draw();
        };
        const dark = matchMedia('(prefers-color-scheme: dark)');
        dark.addEventListener('change', recolour);
        addEventListener('themechange', recolour);
        this.element.addEventListener('scroll', () => {
            this._tip.hide();
            this.draw();
        }, { passive: true });
        this._stops = [
            () => sizes.disconnect(), () => dark.removeEventListener('change', recolour),
            () => removeEventListener('themechange', recolour), () => this._pointer.stop(),
            () => this.handles?.stop(),
        ];
    }
}
