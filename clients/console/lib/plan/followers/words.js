import { dateShort } from '../texts.js';

const quoted = ({ task }) => `“${task.name}”`;
const tasks = count => `${count} more ${count === 1 ? 'task' : 'tasks'}`;

export const PART = 'Only a part of this project is here, so nobody can say what would have to move with a task.';

/** What moves with a task, as a sentence; empty if nothing does. */
export function followersText({ isPossible, moves, stays }, plan) {
    if (!isPossible) return PART;
    return [
        moves.length > 0 && `${tasks(moves.length)} ${moves.length === 1 ? 'moves' : 'move'} with it.`,
        stays.length > 0 && stayText(stays, plan),
    ].filter(Boolean).join(' ');
}

function stayText(stays, plan) {
    const [first] = stays.map(id => plan.node(id)).filter(Boolean);
    if (stays.length > 1 || !first) return `${stays.length} that have begun stay.`;
    return `${quoted(first)} has begun and stays.`;
}

/** How the step is called. */
export const stepName = (node, count) => `Move ${quoted(node)} and ${tasks(count)}`;

/** `Mar 6 → Mar 9` */
export const moveText = ({ from, to }, today) => `${dateShort(from, today)} → ${dateShort(to, today)}`;
