import { visibleNodes } from './tree.js';

// What the dates say of a link, and which links can't be. A link is `{ id, from, to, kind, lag }`. Its kind names the
// end of `from` and the end of `to` that it joins: F is the finish, S the start. The lag counts working days.

/**
 * What a link wants and its tasks do not keep: `{ node, end, day }`, the task that is too early, its end, and the first
 * day for it; null if the link holds. A link to a parent counts for each task below it. Finished tasks stay.
 */
export function breachOf(link, workingDays) {
    if (link.from.bar.start === null) return null;
    for (const node of visibleNodes([link.to], new Set())) {
        if (node.children.length > 0 || node.bar.start === null || node.bar.percent >= 100) continue;
        const { end, day } = dueOf(link, node, workingDays);
        if (dayOfEnd(node, end, workingDays) < day) return { node, end, day };
    }
    return null;
}

/**
 * The first day on which this end of a task may be. A milestone stands between two days, and has both: after what it
 * waits for it may be on that task's last day, and what waits for it may begin on its own.
 */
function dueOf({ kind, lag, from }, node, workingDays) {
    const isFromEnd = kind[0] === 'F' && from.bar.kind !== 'milestone';
    const end = kind[1] === 'S' && node.bar.kind !== 'milestone' ? 'start' : 'finish';
    const base = isFromEnd ? lastOnOrBefore(from.bar.end, workingDays) : workingDays.onOrAfter(from.bar.start);
    return { end, day: workingDays.move(base, lag + (isFromEnd ? 1 : 0) - (end === 'start' ? 0 : 1)) };
}

const lastOnOrBefore = (day, workingDays) => workingDays.isWorking(day) ? day : workingDays.move(day, -1);

const dayOfEnd = ({ bar }, end, workingDays) => end === 'start' ? workingDays.onOrAfter(bar.start) : bar.end;

/** Why two tasks can't be linked so: `{ code, way }`; null if they can. `way` has the tasks that make a circle. */
export function whyNotLinked(links, from, to, kind) {
    if (from === to) return { code: 'self' };
    if (isAbove(from, to) || isAbove(to, from)) return { code: 'family' };
    if (links.some(each => each.from === from && each.to === to && each.kind === kind)) return { code: 'double' };
    const way = wayFrom(to, from, links);
    return way && { code: 'circle', way };
}

function isAbove(top, node) {
    for (let each = node.parent; each; each = each.parent) if (each === top) return true;
    return false;
}

/**
 * The tasks by which `end` depends on `start`, both included; null if it does not. What waits for a task waits for all
 * below it, and a parent ends with what is below it.
 */
function wayFrom(start, end, links) {
    const after = new Map();
    for (const { from, to } of links) after.has(from) ? after.get(from).push(to) : after.set(from, [to]);
    const before = new Map();
    const reach = (node, origin) => before.has(node) || before.set(node, origin);
    const entered = new Set();
    const enter = (node, origin) => {
        if (entered.has(node)) return;
        entered.add(node);
        for (let each = node; each; each = each.parent) reach(each, each === node ? origin : node);
        for (const each of visibleNodes([node], new Set())) reach(each, node);
    };
    enter(start, null);
    // A Map is walked through together with what is added meanwhile.
    for (const node of before.keys()) for (const next of after.get(node) ?? []) enter(next, node);
    return before.has(end) ? traced(before, end) : null;
}

function traced(before, end) {
    const way = [];
    for (let node = end; node; node = before.get(node)) way.unshift(node);
    return way;
}
