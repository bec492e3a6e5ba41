import { element } from '../../elements.js';
import { linkText, quoted } from '../links/words.js';
import { boxOf, edgeStep, ENDS, SIZES, targetAt } from './geometry.js';

/**
 * Two handles beside the bar that is pointed at or selected. Pulled to another bar, they make a link: which ends the
 * pull leaves and enters decides its kind. Keyboards have “Link to …” in place of them.
 */
export class LinkHandles {
    _pull = null;
    _end = new AbortController();

    /** `links`: see LinkEdits. */
    constructor(chart, { links }) {
        Object.assign(this, { chart, links });
        this._handles = ENDS.map(end => this._handle(end));
        this.elements = this._handles.map(({ node }) => node);
        const options = { signal: this._end.signal, capture: true };
        addEventListener('keydown', event => this._pull && event.key === 'Escape' && this._escape(event), options);
    }

    stop() {
        this._end.abort();
    }

    /** Whether this is one of the handles. */
    has(node) {
        return this.elements.includes(node);
    }

    show({ hovered, selected, scale, x, y, width, height }) {
        const node = this._pull?.node ?? hovered ?? selected;
        const box = node?.index >= 0 && this.links.can('create') ? boxOf(node, node.index, scale) : null;
        const down = box && (box.top + box.bottom) / 2 - y + SIZES.head;
        for (const { end, node: handle } of this._handles) {
            const across = box && (end === 'start' ? box.left : box.right) - x;
            handle.hidden = !box || across < 0 || across > width || down < SIZES.head || down > height;
            if (!handle.hidden) handle.style.transform = `translate(${across}px, ${down}px)`;
        }
        this._shown = node;
    }

    _handle(end) {
        const node = element('span', {
            class: `plan-handle ${end}`, hidden: true, 'aria-hidden': 'true',
            onpointerdown: event => this._press(event, end), onpointermove: event => this._move(event),
            onpointerup: () => this._release(true), onpointercancel: () => this._release(false),
            onpointerleave: event => this._pull || event.relatedTarget === this.chart.canvas || this.chart.hover(null),
            onmousedown: event => event.preventDefault(),
        });
        return { end, node };
    }

    _press(event, end) {
        if (event.button !== 0 || !this._shown) return;
        event.preventDefault();
        event.target.setPointerCapture(event.pointerId);
        this._pull = { node: this._shown, end, event };
        this.chart.hover(null);
        this._pullTo(event);
        this._scrollAtEdges(this._pull);
    }

    _move(event) {
        if (!this._pull) return;
        Object.assign(this._pull, { event, isMoved: true });
        this._pullTo(event);
    }

    _pullTo(event) {
        const { chart, _pull: pull } = this;
        const { plan: { rows }, scale, element: { scrollLeft: left }, canvas: { clientWidth: width } } = chart;
        const place = chart.placeOf(event);
        const target = targetAt(rows, scale, place, { left, right: left + width });
        pull.target = target?.node === pull.node ? null : target;
        pull.kind = pull.target && `${pull.end === 'start' ? 'S' : 'F'}${pull.target.end === 'start' ? 'S' : 'F'}`;
        pull.why = pull.target && this.links.whyNotLinked(pull.node, pull.target.node, pull.kind);
        chart.showPull({ ...pull, place }, ...this._words(pull));
    }

    _words({ node, target, kind, why }) {
        if (!target) return [`From ${quoted(node)}`, 'Pull to the start or the end of another bar.'];
        return [`${quoted(node)} → ${quoted(target.node)}`, linkText({ kind, lag: 0 }), null, why];
    }

    /** As long as the pull is held near an edge, what is behind the edge comes into sight. */
    _scrollAtEdges(pull) {
        if (this._pull !== pull) return;
        const { chart, chart: { canvas, element: scroller } } = this;
        const { x, y } = chart.spotOf(pull.event);
        const [right, down] = [edgeStep(x, canvas.clientWidth), edgeStep(y, canvas.clientHeight)];
        if (right !== 0 || down !== 0) {
            scroller.scrollLeft += right;
            scroller.scrollTop += down;
            this._pullTo(pull.event);
        }
        requestAnimationFrame(() => this._scrollAtEdges(pull));
    }

    _release(isDone) {
        const pull = this._pull;
        this._pull = null;
        if (!pull) return;
        this.chart.showPull(null);
        if (!isDone) return;
        if (!pull.isMoved) this.chart.openArrow(pull.event);
        else if (pull.target) this.links.add(pull.node, pull.target.node, pull.kind);
    }

    _escape(event) {
        event.stopPropagation();
        this._release(false);
    }
}
