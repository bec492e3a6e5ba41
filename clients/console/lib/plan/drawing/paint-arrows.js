import { arrow } from '../view/arrows.js';
import { boxOf } from '../view/geometry.js';

const HEAD = 4;

/** The links with an end in sight. Those of the selected task come last, in its colour. */
export function paintArrows(context, picture, { first, end }) {
    const { plan, selected, palette } = picture;
    const isInSight = ({ index }) => index >= first && index < end;
    const own = [];
    const others = [];
    for (const link of plan.links) {
        const { from, to } = link;
        if (from.index < 0 || to.index < 0 || !(isInSight(from) || isInSight(to))) continue;
        (from === selected || to === selected ? own : others).push(link);
    }
    const isCritical = ({ from, to }) => from.bar.isCritical && to.bar.isCritical;
    paintLinks(context, picture, others.filter(link => !isCritical(link)), palette.arrow, 1);
    paintLinks(context, picture, others.filter(isCritical), palette.criticalDone, 1);
    paintLinks(context, picture, own, palette.accent, 2);
}

/** All of one colour in one stroke and one fill. */
function paintLinks(context, picture, links, colour, width) {
    const paths = links.map(link => corners(picture, link)).filter(Boolean);
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    for (const path of paths) {
        context.moveTo(...halves(path[0]));
        for (const corner of path.slice(1)) context.lineTo(...halves(corner));
    }
    context.stroke();
    context.beginPath();
    for (const path of paths) addHead(context, path);
    context.fill();
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
