import { visibleNodes } from './tree.js';

// Which links can't be. A link is `{ id, from, to, kind, lag, broken }`. Its kind names the end of `from` and the end of
// `to` that it joins: F is the finish, S the start. The lag counts working days. `broken` is what the schedule says.

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
