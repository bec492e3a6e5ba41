import { element } from '../elements.js';
import { openPopover } from '../edit/popover.js';

/** What can be done with a row. */
export function openRowMenu(anchor, { onOpen, onDelete, whyNotDelete }) {
    const item = (text, keys, work, options = {}) => element('button', {
        type: 'button', class: 'quiet', role: 'menuitem', ...options, onclick: () => {
            menu.close();
            work();
        },
    }, element('span', { text }), element('kbd', { text: keys, 'aria-hidden': 'true' }));
    const menu = openPopover(anchor, { label: 'Row', role: 'menu', kind: 'menu' },
        item('Open', 'Ctrl Enter', onOpen),
        item('Delete', 'Ctrl Del', onDelete, { disabled: whyNotDelete !== null, title: whyNotDelete }));
}
