import { element } from '../elements.js';
import { openPopover } from './popover.js';

/**
 * Opens a menu at an element. `items` are `{ text, keys, work, why }`: `why` says why something can't be done, null if
 * it can. `back` gets the focus before the work is done.
 */
export function openMenu(anchor, label, items, back = anchor) {
    const menu = openPopover(anchor, { label, role: 'menu', kind: 'menu', back },
        items.map(({ text, keys, work, why }) => element('button', {
            type: 'button', class: 'quiet', role: 'menuitem', disabled: Boolean(why), title: why,
            onclick: () => {
                menu.close();
                work();
            },
        }, element('span', { text }), keys && element('kbd', { text: keys, 'aria-hidden': 'true' }))));
}
