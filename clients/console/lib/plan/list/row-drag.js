import { SIZES } from '../view/geometry.js';
import { isWithinOneOf } from './cells.js';

const SLACK = 4;
const EDGE = 28;
const SPEED = 10;

/**
 * The mouse carries rows of the list by their names: between two rows, or onto one, to stand below it. Escape lets go.
 * Fingers scroll; for them there is the menu.
 */
export class RowDrag {
    _drag = null;

    constructor(page) {
        this.page = page;
    }

    listen(element) {
        Object.assign(this, { element });
        element.addEventListener('pointerdown', event => this._press(event));
        element.addEventListener('pointermove', event => this._drag && this._move(event));
        element.addEventListener('pointerup', () => this._release(true));
        element.addEventListener('pointercancel', () => this._release(false));
        element.addEventListener('keydown', event => this._escape(event), true);
    }

    _press(event) {
        const { button, pointerType, target, clientX: x, clientY: y } = event;
        const isName = target.closest('.plan-rows .name') && !target.closest('button');
        if (button !== 0 || pointerType === 'touch' || !isName || this.page.list.structure.whyNot()) return;
        const node = this.page.plan.rows[this.page.chart.list.indexAt(y)];
        if (node) this._drag = { id: node.task.id, x, y, isMoving: false, pointer: event.pointerId };
    }

    _move({ clientX, clientY }) {
        const drag = this._drag;
        if (!drag.isMoving && Math.hypot(clientX - drag.x, clientY - drag.y) < SLACK) return;
        if (!drag.isMoving) this._begin(drag);
        drag.y = clientY;
        this._show();
    }

    _begin(drag) {
        const { list, plan, chart: { selected } } = this.page;
        drag.isMoving = true;
        this.element.setPointerCapture(drag.pointer);
        this.element.classList.add('dragging');
        const chosen = selected && list.cells.tops(selected).some(({ task }) => task.id === drag.id);
        if (!chosen) this.page.select(plan.node(drag.id), { scroll: false });
        this._scroll(drag);
    }

    /** The tasks that are carried, as they are by now. */
    get _nodes() {
        const { list: { cells }, chart: { selected } } = this.page;
        return selected ? cells.tops(selected) : [];
    }

    _show() {
        const { chart: { list } } = this.page;
        list.showDrop(this._placeAt(this._drag.y)?.mark ?? null);
    }

    /** As long as rows are held near an edge, what is behind the edge comes into sight. */
    _scroll(drag) {
        if (this._drag !== drag) return;
        const { top, bottom } = this.element.getBoundingClientRect();
        const step = drag.y < top + SIZES.head + EDGE ? -SPEED : drag.y > bottom - EDGE ? SPEED : 0;
        if (step !== 0) {
            this.page.chart.element.scrollTop += step;
            this._show();
        }
        requestAnimationFrame(() => this._scroll(drag));
    }

    /** `{ place, mark }`: the place among siblings, and where the mark stands; null if the rows can't go there. */
    _placeAt(y) {
        const { plan, chart: { list } } = this.page;
        const at = list.placeAt(y);
        const index = Math.floor(at);
        const node = plan.rows[index];
        if (index < 0) return null;
        if (!node) return { place: { parent: null, before: null }, mark: { index: plan.rows.length, depth: 0 } };
        if (isWithinOneOf(node, new Set(this._nodes))) return null;
        const { depth, parent } = node;
        if (at - index < .3) return { place: { parent, before: node }, mark: { index, depth } };
        if (at - index <= .7) return { place: { parent: node, before: null }, mark: { index, depth, isInside: true } };
        const place = this.page.list.typing.placeBelow(node);
        return { place, mark: { index: index + 1, depth: place.parent === node ? depth + 1 : depth } };
    }

    _release(isDone) {
        const drag = this._drag;
        this._drag = null;
        if (!drag?.isMoving) return;
        this.element.classList.remove('dragging');
        this.page.chart.list.showDrop(null);
        const found = isDone && this._nodes.length > 0 && this._placeAt(drag.y);
        if (found) this.page.list.structure.move(this._nodes, found.place);
    }

    _escape(event) {
        if (event.key !== 'Escape' || !this._drag?.isMoving) return;
        event.stopPropagation();
        event.preventDefault();
        this._release(false);
    }
}
