import { openDialog } from '../../dialog.js';
import { element } from '../../elements.js';
import { followersText, moveText } from './words.js';

const MOST = 8;

/**
 * Shows what would move with a task whose dates were typed, and asks whether it is to. Resolves to `all`, `one` for the
 * task alone, or null.
 */
export async function askFollowers(plan, node, pushed, today) {
    // A field tells of its change before the focus has moved on. The dialog gives it back to where it arrives.
    await new Promise(resolve => setTimeout(resolve));
    const moves = [...pushed.moves].sort((one, other) => one.from - other.from);
    const rows = moves.slice(0, MOST).map(move => [
        element('dt', { dir: 'auto', text: plan.node(move.id)?.task.name ?? move.id }),
        element('dd', { text: moveText(move, today) }),
    ]);
    return new Promise(resolve => {
        const way = (value, text, options) =>
            element('button', { type: 'button', text, onclick: () => dialog.close(value), ...options });
        const dialog = openDialog({
            title: 'Move what follows, too?', onClose: value => resolve(['all', 'one'].includes(value) ? value : null),
        },
        element('p', { text: followersText(pushed, plan) }),
        element('dl', { class: 'plan-moves' }, rows),
        moves.length > MOST && element('p', { class: 'muted', text: `And ${moves.length - MOST} more.` }),
        element('div', { class: 'actions' }, way('', 'Cancel'), way('one', 'Only this task'),
            way('all', 'Move all', { class: 'primary', autofocus: true })));
    });
}
