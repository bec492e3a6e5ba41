import { arrow } from '../view/arrows.js';
import { boxOf } from '../view/geometry.js';

const HEAD = 4;
const BROKEN = [4, 3];

/**
 * The links with an end in sight. Those of the selected task come later, in its colour, then the broken ones, and last
 * the one under the mouse. `picture.arrows` is told all of them, as `{ link, path }`.
 */
export function paintArrows(context, picture, { first, end }) {
    const { plan, selected, palette } = picture;
    const isInSight = ({ index }) => index >= first && index < end;
    const layers = Object.fromEntries(['plain', 'critical', 'own', 'broken', 'pointed'].map(name => [name, []]));
    for (const link of plan.links) {
        const { from, to } = link;
        if (from.index < 0 || to.index < 0 || !(isInSight(from) || isInSight(to))) continue;
        const path = corners(picture, link);
        if (path) layers[layerOf(link, picture)].push({ link, path });
    }
    picture.arrows.push(...Object.values(layers).flat());
    paintPaths(context, layers.plain, { colour: palette.arrow });
    paintPaths(context, layers.critical, { colour: palette.criticalDone });
    paintPaths(context, layers.own, { colour: palette.accent, width: 2 });
    paintBroken(context, palette, layers.broken, selected);
    for (const each of layers.pointed) paintPointed(context, picture, each);
}

function layerOf(link, { selected, pointed, isWrong }) {
    const { from, to } = link;
    if (link.id === pointed) return 'pointed';
    if (isWrong(link)) return 'broken';
    if (from === selected || to === selected) return 'own';
    return from.bar.isCritical && to.bar.isCritical ? 'critical' : 'plain';
}

/** All of one colour in one stroke and one fill. */
export function paintPaths(context, arrows, { colour, width = 1, dash = [] }) {
    if (arrows.length === 0) return;
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    for (const { path } of arrows) {
        context.moveTo(...halves(path[0]));
        for (const corner of path.slice(1)) context.lineTo(...halves(corner));
    }
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    for (const { path } of arrows) addHead(context, path);
    context.fill();
}

/** Red and broken, with a mark that is seen without colours. */
function paintBroken(context, palette, arrows, selected) {
    const isOwn = ({ link }) => link.from === selected || link.to === selected;
    paintPaths(context, arrows.filter(each => !isOwn(each)), { colour: palette.broken, width: 1.5, dash: BROKEN });
    paintPaths(context, arrows.filter(isOwn), { colour: palette.broken, width: 2.5, dash: BROKEN });
    for (const { path } of arrows) paintMark(context, palette, path);
}

function paintPointed(context, { palette, isWrong }, each) {
    const colour = isWrong(each.link) ? palette.broken : palette.accent;
    paintPaths(context, [each], { colour, width: 3 });
    if (isWrong(each.link)) paintMark(context, palette, each.path);
}

/** An arrow that is pulled from a bar: to the bar below the mouse, or just there. */
export function paintPull(context, { pull, scale, palette }) {
    if (!pull) return;
    const { node, end, target, kind, why, place } = pull;
    const [from, to] = [boxOf(node, node.index, scale), target && boxOf(target.node, target.node.index, scale)];
    if (!from) return;
    const begin = [end === 'start' ? from.left : from.right, (from.top + from.bottom) / 2];
    const path = to ? arrow(kind, from, to) : [begin, [place.x, place.y]];
    const colour = why ? palette.broken : palette.accent;
    paintPaths(context, [{ path }], { colour, width: 2, dash: to && !why ? [] : BROKEN });
}

/** A cross on the longest part of an arrow. */
function paintMark(context, palette, path) {
    const length = ([[x1, y1], [x2, y2]]) => Math.abs(x2 - x1) + Math.abs(y2 - y1);
    const parts = path.slice(1).map((corner, place) => [path[place], corner]);
    const [[x1, y1], [x2, y2]] = parts.reduce((best, part) => length(part) > length(best) ? part : best);
    const [x, y] = halves([(x1 + x2) / 2, (y1 + y2) / 2]);
    context.fillStyle = palette.paper;
    context.beginPath();
    context.arc(x, y, 6, 0, 2 * Math.PI);
    context.fill();
    context.strokeStyle = palette.broken;
    context.lineWidth = 1.75;
    context.beginPath();
    for (const [dx, dy] of [[1, 1], [1, -1]]) {
        context.moveTo(x - 3 * dx, y - 3 * dy);
        context.lineTo(x + 3 * dx, y + 3 * dy);
    }
    context.stroke();
}

function corners({ scale, x, width }, { kind, from, to }) {
    const [begin, end] = [boxOf(from, from.index, scale), boxOf(to, to.index, scale)];
    if (!begin || !end) return null;
    const path = arrow(kind, begin, end);
    const places = path.map(([place]) => place);
    return Math.max(...places) < x || Math.min(...places) > x + width ? null : path;
}

/** Lines of one pixel are sharp between pixels. */
const halves = ([x, y]) => [Math.round(x) + .5, Math.round(y) + .5];

function addHead(context, path) {
    const [before, last] = [halves(path.at(-2)), halves(path.at(-1))];
    const back = last[0] > before[0] ? -HEAD : HEAD;
    context.moveTo(...last);
    context.lineTo(last[0] + back, last[1] - HEAD + .5);
    context.lineTo(last[0] + back, last[1] + HEAD - .5);
    context.closePath();
}
