import { element } from '../elements.js';
import { openPopover } from '../edit/popover.js';
import { inColumnOrder, standardColumns } from '../query/columns.js';

/** Lets the user choose columns: a box for each field. `onChoose` is told the names, null for the standard ones. */
export function openColumnMenu(anchor, collection, shown, onChoose) {
    const boxes = inColumnOrder(collection).map(field => element('input', {
        type: 'checkbox', value: field.name, checked: shown.includes(field.name), onchange: () => choose(),
    }));
    const names = () => boxes.filter(({ checked }) => checked).map(({ value }) => value);
    const choose = () => {
        // The last one stays: a table without columns shows nothing to go back by.
        const chosen = names();
        boxes.forEach(box => { box.disabled = chosen.length === 1 && box.checked; });
        onChoose(chosen);
    };
    const reset = () => {
        const standard = standardColumns(collection);
        boxes.forEach(box => Object.assign(box, { checked: standard.includes(box.value), disabled: false }));
        onChoose(null);
    };
    return openPopover(anchor, { label: 'Columns' },
        element('ul', { class: 'boxes' }, boxes.map((box, place) => element('li', {}, element('label', {}, box,
            element('span', { text: inColumnOrder(collection)[place].label }))))),
        element('div', { class: 'actions' },
            element('button', { type: 'button', class: 'quiet', text: 'Standard columns', onclick: reset })));
}
