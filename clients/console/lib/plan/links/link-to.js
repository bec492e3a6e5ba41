import { Picker } from '../../edit/picker.js';
import { openPopover } from '../../edit/popover.js';
import { element } from '../../elements.js';

const TASK = { name: 'task', label: 'Task', kind: 'reference', type: 'string', isNullable: false, isRequired: true,
    document: {} };

/**
 * Asks at `anchor` which task is linked with `node`, and links them, from the end to the start. The rows below come
 * first, so Enter links with the next one. With `isBefore` the other task comes before. What can't be is said.
 */
export function openLinkTo(anchor, node, { links, plan, isBefore = false }) {
    const wrong = element('p', { class: 'form-problem', id: 'link-to-wrong', role: 'alert' });
    const pick = () => {
        const other = plan.node(picker.read().value);
        const [from, to] = isBefore ? [other, node] : [node, other];
        const why = links.whyNotLinked(from, to, 'FS');
        wrong.textContent = why ?? '';
        if (why) return picker.focus();
        box.close();
        return links.add(from, to);
    };
    const picker = new Picker(TASK, null, optionsFor(node, plan), {
        onPick: pick, 'aria-label': 'Task', 'aria-describedby': wrong.id,
    });
    const title = isBefore ? `What does “${node.task.name}” depend on?` : `Link “${node.task.name}” to …`;
    const box = openPopover(anchor, { label: title, kind: 'link-to' },
        element('p', { class: 'link-title', text: title }), picker.element, wrong);
    picker.focus();
}

/** The tasks as the plan lists them, from the one below on, and then from the top. */
function optionsFor(node, plan) {
    const all = plan.all;
    const place = all.indexOf(node);
    return [...all.slice(place + 1), ...all.slice(0, place)]
        .map(({ task, parent }) => ({ value: task.id, label: task.name, hint: parent?.task.name ?? '' }));
}
