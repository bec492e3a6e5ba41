import { SIZES } from '../view/geometry.js';
import { paintArrows, paintPull } from './paint-arrows.js';
import { paintBar } from './paint-bars.js';
import { paintDates, paintDays } from './paint-days.js';

/**
 * Draws what is in sight. `picture` has the `plan`, the `scale`, the `palette`, the size of the canvas (`width`,
 * `height`), how far it is scrolled (`x`, `y`), `today`, the nodes `selected` and `hovered`, or null, `isWrong(link)`,
 * the id of the link that is `pointed` at, whether bars say when they end (`hasDates`), and what is pulled from a bar
 * (`pull`). Its `arrows` are filled.
 */
export function paint(context, picture) {
    const { width, height, palette, x, y } = picture;
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(0, SIZES.head, width, height - SIZES.head);
    context.clip();
    paintDays(context, picture);
    context.translate(-x, SIZES.head - y);
    paintRows(context, picture);
    context.restore();
    paintDates(context, picture);
}

/** The rows that lie at least partly in sight: from `first` up to, but without, `end`. */
export function rowsInSight({ plan, height, y }) {
    return {
        first: Math.max(0, Math.floor(y / SIZES.row)),
        end: Math.min(plan.rows.length, Math.ceil((y + height - SIZES.head) / SIZES.row)),
    };
}

function paintRows(context, picture) {
    const { plan, selected, hovered, palette } = picture;
    const sight = rowsInSight(picture);
    paintBand(context, picture, hovered, palette.hover);
    paintBand(context, picture, selected, palette.selected);
    paintArrows(context, picture, sight);
    context.textBaseline = 'middle';
    context.font = `11px ${palette.font}`;
    for (let index = sight.first; index < sight.end; index += 1) paintBar(context, picture, plan.rows[index], index);
    paintPull(context, picture);
}

function paintBand(context, { x, width }, node, colour) {
    if (!node || node.index < 0) return;
    context.fillStyle = colour;
    context.globalAlpha = .7;
    context.fillRect(x, node.index * SIZES.row, width, SIZES.row);
    context.globalAlpha = 1;
}
