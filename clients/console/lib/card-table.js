import { element } from './elements.js';

/**
 * A table for a few things with many values. Where there is no room for it, each row is a card, which names its values
 * itself. `heads` are texts or elements, `rows` lists of cells.
 */
export function cardTable(label, heads, rows) {
    const head = (text, place) => element('th', { scope: 'col', class: rows[0]?.[place].className }, text);
    return element('div', { class: 'wide-table cards', tabindex: 0, role: 'region', 'aria-label': label },
        element('table', {},
            element('thead', {}, element('tr', {}, heads.map(head))),
            element('tbody', {}, rows.map(cells => element('tr', {}, cells.map((cell, place) => named(cell, heads[place])))))));
}

function named(cell, head) {
    if (typeof head === 'string' && head !== '') cell.dataset.head = head;
    return cell;
}
