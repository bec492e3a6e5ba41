import { SIZES } from '../view/geometry.js';
import { label } from './labels.js';

const SHADED = 3;
const HALF = SIZES.head / 2;

/** The days off, the lines between units, and today: behind the bars. */
export function paintDays(context, picture) {
    const { scale, palette, height, x, width, today } = picture;
    if (scale.pixels > SHADED) paintDaysOff(context, picture);
    context.fillStyle = palette.line;
    for (const { start } of scale.units(scale.lower, x, x + width)) {
        context.fillRect(Math.round(scale.x(start) - x), 0, 1, height);
    }
    const place = Math.round(scale.x(today) + scale.pixels / 2 - x);
    context.fillStyle = palette.today;
    context.fillRect(place - 1, SIZES.head, 2, height);
}

function paintDaysOff(context, { scale, palette, plan, x, width, height }) {
    context.fillStyle = palette.off;
    const last = scale.day(x + width);
    for (let day = scale.day(x); day <= last; day += 1) {
        if (plan.workingDays.isWorking(day)) continue;
        const first = day;
        while (day < last && !plan.workingDays.isWorking(day + 1)) day += 1;
        context.fillRect(scale.x(first) - x, 0, (day - first + 1) * scale.pixels, height);
    }
}

/** The two lines of dates, over whatever is scrolled below them. */
export function paintDates(context, picture) {
    const { width, palette } = picture;
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, width, SIZES.head);
    context.textBaseline = 'middle';
    paintUpper(context, picture);
    paintLower(context, picture);
    context.fillStyle = palette.line;
    context.fillRect(0, SIZES.head - 1, width, 1);
}

/** The label of a unit that begins out of sight stays at the left, until the next one pushes it out. */
function paintUpper(context, { scale, palette, x, width }) {
    context.font = `600 12px ${palette.font}`;
    for (const { start, end } of scale.units(scale.upper, x, x + width)) {
        const text = label('upper', scale.upper, start);
        const [left, right] = [scale.x(start) - x, scale.x(end) - x];
        const place = Math.max(left, Math.min(0, right - context.measureText(text).width - 16));
        context.fillStyle = palette.line;
        context.fillRect(Math.round(left), 4, 1, HALF - 4);
        context.fillStyle = palette.ink;
        context.fillText(text, place + 8, HALF / 2 + 2);
    }
}

function paintLower(context, { scale, palette, plan, x, width, today }) {
    context.font = `11px ${palette.font}`;
    for (const { start, end } of scale.units(scale.lower, x, x + width)) {
        const left = scale.x(start) - x;
        const text = label('lower', scale.lower, start);
        const isNow = start <= today && today < end;
        context.fillStyle = palette.line;
        context.fillRect(Math.round(left), HALF, 1, HALF);
        if (isNow) paintNow(context, palette, left, context.measureText(text).width);
        const isOff = scale.lower === 'day' && !plan.workingDays.isWorking(start);
        context.fillStyle = isNow ? palette.paper : palette.muted;
        context.globalAlpha = isOff && !isNow ? .75 : 1;
        context.fillText(text, left + 6, HALF * 1.5);
        context.globalAlpha = 1;
    }
}

/** Behind the label of the unit that has today. */
function paintNow(context, palette, left, width) {
    context.fillStyle = palette.today;
    context.beginPath();
    context.roundRect(left + 2, HALF + 3, width + 8, HALF - 7, 4);
    context.fill();
}
