import { element, svg } from '../../elements.js';
import { label } from '../drawing/labels.js';
import { depthShown, levelShown } from '../list/row-list.js';
import { dateLong, dateShort, daysText, percentText } from '../texts.js';
import { arrow } from '../view/arrows.js';
import { boxOf, SIZES } from '../view/geometry.js';
import { TimeScale, ZOOMS } from '../view/time-scale.js';

/** The width of the bars on paper, in the pixels of the chart. */
const WIDTH = 800;
const MARGIN = 12;

/**
 * A plan for paper: a table of its rows, whose last column has the bars. The browser makes pages of it, and repeats the
 * names of the columns and the dates on each. `today` is a day; `isWrong(link)` tells of broken links.
 */
export function printView({ plan, name, today, isWrong }) {
    const scale = new PaperScale(plan.span ?? { start: today, end: today });
    const paths = pathsByRow(plan, scale, isWrong);
    const heads = ['Task', 'Start', 'Finish', 'Days', 'Done'];
    return element('div', { class: 'plan-print' },
        element('h1', { text: name }), element('p', { text: `Printed on ${dateLong(today)}` }),
        element('table', {}, element('thead', {}, element('tr', {},
            heads.map(text => element('th', { scope: 'col', text })), element('th', {}, dates(scale)))),
        element('tbody', {}, plan.rows.map((node, index) => row(node, { index, scale, plan, today, paths })))));
}

/** Shows from the first bar to the last one on one width. */
class PaperScale extends TimeScale {
    constructor(span) {
        super('quarter', span);
        const days = span.end - span.start + 2;
        const pixels = (WIDTH - 2 * MARGIN) / days;
        const zoom = Object.values(ZOOMS).find(each => each.pixels <= pixels) ?? ZOOMS.quarter;
        const first = Math.floor(span.start - MARGIN / pixels);
        Object.assign(this, { upper: zoom.upper, lower: zoom.lower, pixels, first, last: first + WIDTH / pixels });
    }
}

function row(node, { index, scale, plan, today, paths }) {
    const { task, bar, depth, children } = node;
    const cells = [
        bar.start === null ? '–' : dateShort(bar.start, today), bar.end === null ? '–' : dateShort(bar.end, today),
        daysText(bar, plan.workingDays), percentText(bar.percent),
    ];
    const box = boxOf(node, index, scale);
    return element('tr', {}, element('th', {
        scope: 'row', dir: 'auto', class: children.length > 0 ? 'parent' : null, style: { '--depth': depthShown(depth) },
        'data-level': levelShown(depth),
        text: task.name,
    }), cells.map(text => element('td', { text })), element('td', {}, svg('svg', {
        viewBox: `0 ${index * SIZES.row} ${WIDTH} ${SIZES.row}`,
    }, lines(scale, today, index), paths.get(node) ?? [], box && shape(bar, box))));
}

/** A bar with the part that is done, a bracket or a diamond. */
function shape(bar, { left, right, top, bottom }) {
    const kind = bar.isCritical ? 'critical' : '';
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    if (bar.kind === 'milestone') {
        const isDone = bar.percent >= 100 ? 'done' : '';
        const points = `${x},${top} ${right},${y} ${x},${bottom} ${left},${y}`;
        return svg('polygon', { class: `milestone ${isDone} ${kind}`, points });
    }
    if (bar.kind === 'summary') {
        const d = `M${left} ${bottom}V${top}H${right}V${bottom}l-4 -5H${left + 4}z`;
        return svg('path', { class: `summary ${kind}`, d });
    }
    const part = Math.min(1, bar.percent / 100);
    const place = { x: left, y: top, height: bottom - top };
    return [
        svg('rect', { ...place, class: `rest ${kind}`, width: right - left, rx: 2 }),
        part > 0 && svg('rect', { ...place, class: `done ${kind}`, width: (right - left) * part, rx: 2 }),
    ].filter(Boolean);
}

/** By node: the arrows that cross its row. Each row draws the whole arrow, and shows what is within it. */
function pathsByRow({ links, rows }, scale, isWrong) {
    const paths = new Map();
    for (const link of links) {
        const { kind, from, to } = link;
        const boxes = [from, to].map(node => node.index < 0 ? null : boxOf(node, node.index, scale));
        if (!boxes[0] || !boxes[1]) continue;
        const d = `M${arrow(kind, ...boxes).map(corner => corner.join(' ')).join('L')}`;
        const [first, last] = [Math.min(from.index, to.index), Math.max(from.index, to.index)];
        for (let index = first; index <= last; index += 1) {
            const node = rows[index];
            if (!paths.has(node)) paths.set(node, []);
            paths.get(node).push(svg('path', { class: isWrong(link) ? 'link broken' : 'link', d }));
            if (node === to) paths.get(node).push(head(arrow(kind, ...boxes)));
        }
    }
    return paths;
}

function head(path) {
    const [[before], [x, y]] = path.slice(-2);
    const back = x > before ? -5 : 5;
    return svg('path', { class: 'link head', d: `M${x} ${y}l${back} -4v8z` });
}

/** The lines between units, and the one of today, within a row. */
function lines(scale, today, index) {
    const down = day => `M${scale.x(day)} ${index * SIZES.row}v${SIZES.row}`;
    const isSeen = today >= scale.first && today <= scale.last;
    return [
        svg('path', { class: 'line', d: scale.units(scale.lower, 0, WIDTH).map(({ start }) => down(start)).join('') }),
        isSeen && svg('path', { class: 'today', d: down(today + .5) }),
    ];
}

function dates(scale) {
    const line = (name, y) => scale.units(scale[name], 0, WIDTH).map(({ start, end }) => {
        const [left, right] = [Math.max(0, scale.x(start)), Math.min(WIDTH, scale.x(end))];
        const text = label(name, scale[name], start);
        return right - left < 7 * text.length + 8 ? null : svg('text', { x: left + 3, y, class: name }, text);
    });
    return svg('svg', { viewBox: `0 0 ${WIDTH} 40` }, line('upper', 14), line('lower', 33));
}
