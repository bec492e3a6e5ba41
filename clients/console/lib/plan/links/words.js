import { dateLong, workingDaysText } from '../texts.js';

// Links in words.

export const KINDS = { FS: 'Finish to start', SS: 'Start to start', FF: 'Finish to finish', SF: 'Start to finish' };

export const quoted = ({ task }) => `“${task.name}”`;

/** A text of the server, which names tasks by their ids. */
export const named = (plan, text) =>
    text.replace(/[\w-]+/g, word => plan.node(word) ? quoted(plan.node(word)) : word);

/** `finish to start, 2 working days later` */
export function linkText({ kind, lag }) {
    const joins = KINDS[kind].toLowerCase();
    return lag === 0 ? joins : `${joins}, ${lagText(lag)}`;
}

export function lagText(lag) {
    return `${workingDaysText(Math.abs(lag))} ${lag < 0 ? 'earlier' : 'later'}`;
}

/** Why a link of the plan is broken, as a sentence: see Schedule.broken. */
export function brokenText({ from, to, broken: { reason, task, end, day } }, plan) {
    if (reason === 'cycle') return 'It is part of a circle, so the schedule leaves it out.';
    if (reason === 'ancestor') return 'It joins a task and one above it, so the schedule leaves it out.';
    const node = plan.node(task) ?? to;
    const too = `${quoted(node)} ${end === 'start' ? 'begins' : 'ends'} too early`;
    const within = node === to ? '' : ` It is part of ${quoted(to)}.`;
    return `${too}: after ${quoted(from)}, not before ${dateLong(day)}.${within}`;
}

/** Why two tasks can't be linked, as a sentence. */
export function whyNotText({ code, way = [] }, from, to) {
    if (code === 'self') return 'A task can\'t wait for itself.';
    if (code === 'double') return `${quoted(from)} and ${quoted(to)} are linked so already.`;
    if (code === 'circle') return `${quoted(from)} waits for ${quoted(to)} already${by(way, from, to)}: the link would `
        + 'close a circle.';
    const [part, whole] = isPart(from, to) ? [from, to] : [to, from];
    return `${quoted(part)} is part of ${quoted(whole)}, so the two can't be linked.`;
}

/** The tasks between, the first of them. */
function by(way, from, to) {
    const between = way.filter(each => each !== from && each !== to);
    return between.length === 0 ? '' : `, by way of ${quoted(between[0])}`;
}

function isPart(node, whole) {
    for (let each = node.parent; each; each = each.parent) if (each === whole) return true;
    return false;
}
