import { withoutTurns } from '../../elements.js';
import { dateShort } from '../texts.js';
import { boxOf, SIZES } from '../view/geometry.js';

const ROUND = 3;
const GAP = 18;

/** The bar of a row, and beside it the task's name; where the list has no room for dates, also when it ends. */
export function paintBar(context, { plan, scale, palette, today, hasDates, x, width }, node, index) {
    const box = boxOf(node, index, scale);
    if (!box) return;
    if (box.left > x + width || box.right < x) return void paintPointer(context, palette, box, { x, width });
    const colours = node.bar.isCritical ? { rest: palette.critical, done: palette.criticalDone }
        : { rest: palette.bar, done: palette.barDone };
    if (plan.former?.has(node.task.id)) paintFormer(context, palette, plan.former.get(node.task.id), index, scale);
    PAINTERS[node.bar.kind](context, { box, bar: node.bar, palette, ...colours });
    if (node.bar.isOverdue) paintDelay(context, palette, box, scale.x(today));
    const { name } = node.task;
    paintName(context, palette, hasDates ? `${name} · ${dateShort(node.bar.end, today)}` : name, box);
}

/** Where a bar stands that would move with another one. */
function paintFormer(context, palette, bar, index, scale) {
    const { left, right, top, bottom } = boxOf({ bar }, index, scale);
    context.strokeStyle = palette.muted;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.roundRect(left + .5, top + .5, right - left - 1, bottom - top - 1, ROUND);
    context.stroke();
    context.setLineDash([]);
}

/** How long ago the task ought to have been finished: a line from its end to today. */
function paintDelay(context, palette, { right, bottom }, now) {
    context.fillStyle = palette.overdue;
    context.fillRect(right, bottom - 2, Math.max(0, now - right), 2);
}

/** On a piece of paper, where arrows pass below it. */
function paintName(context, palette, raw, { right, top, bottom }) {
    const name = withoutTurns(raw);
    const [left, middle] = [right + GAP, (top + bottom) / 2];
    context.fillStyle = palette.paper;
    context.globalAlpha = .85;
    context.fillRect(left - 1, middle - 5, context.measureText(name).width + 2, 10);
    context.globalAlpha = 1;
    context.fillStyle = palette.muted;
    context.fillText(name, left, middle + .5);
}

/** A bar out of sight is pointed at from the edge behind which it is. */
function paintPointer(context, palette, { left, top, bottom }, { x, width }) {
    const isAhead = left > x + width;
    const [tip, step, middle] = [isAhead ? x + width - 6 : x + 6, isAhead ? -3 : 3, (top + bottom) / 2];
    context.strokeStyle = palette.muted;
    context.lineWidth = 1.25;
    context.beginPath();
    context.moveTo(tip + step, middle - 3.5);
    context.lineTo(tip, middle);
    context.lineTo(tip + step, middle + 3.5);
    context.stroke();
}

const PAINTERS = {
    task(context, { box, bar, rest, done }) {
        const { left, right, top, bottom } = box;
        context.beginPath();
        context.roundRect(left + .5, top + .5, right - left - 1, bottom - top - 1, Math.min(ROUND, (right - left) / 3));
        context.fillStyle = rest;
        context.fill();
        if (bar.percent > 0) {
            context.save();
            context.clip();
            context.fillStyle = done;
            context.fillRect(left, top, (right - left) * Math.min(1, bar.percent / 100), bottom - top);
            context.restore();
        }
        context.strokeStyle = done;
        context.lineWidth = bar.isCritical ? 1.5 : 1;
        context.stroke();
    },

    /** A bracket over what is below it. */
    summary(context, { box: { left, right, top }, bar, palette, done }) {
        const bottom = top + SIZES.summary;
        const tip = Math.min(5, (right - left) / 2);
        context.beginPath();
        for (const [x, y] of [
            [left, top], [right, top], [right, bottom + 4], [right - tip, bottom], [left + tip, bottom],
            [left, bottom + 4],
        ]) context.lineTo(x, y);
        context.closePath();
        context.fillStyle = bar.isCritical ? done : palette.summary;
        context.fill();
    },

    /** Filled once it is reached. */
    milestone(context, { box: { left, right, top, bottom }, bar, palette, done }) {
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        context.beginPath();
        for (const corner of [[x, top], [right, y], [x, bottom], [left, y]]) context.lineTo(...corner);
        context.closePath();
        const colour = bar.isCritical ? done : palette.summary;
        context.fillStyle = bar.percent >= 100 ? colour : palette.paper;
        context.strokeStyle = colour;
        context.lineWidth = 1.75;
        context.fill();
        context.stroke();
    },
};
