import { element } from '../elements.js';
import { openPopover } from '../edit/popover.js';

const KEYS = [
    ['Arrows, Page, Home, End', 'move; with Ctrl to the end'],
    ['Enter', 'edits; sorts at a heading; opens the row’s menu in the first column'],
    ['a letter or digit', 'begins to edit'],
    ['Tab', 'ends editing, and goes on'],
    ['Ctrl Enter', 'ends editing of several lines; opens the row'],
    ['Escape', 'leaves the value as it was'],
    ['Delete', 'empties the cell'],
    ['Ctrl Delete', 'deletes the row, after ten seconds'],
    ['Ctrl C, Ctrl V', 'copy the cell, and write into it what was copied'],
    ['Ctrl Z', 'takes the last step back, on all pages'],
    ['Ctrl Shift Z, Ctrl Y', 'do it again'],
    ['/', 'goes to the search'],
];

/** Says which keys a table has. */
export const openKeyHelp = anchor => openPopover(anchor, { label: 'Keys' },
    element('dl', { class: 'keys', tabindex: 0 }, KEYS.map(([keys, does]) => [
        element('dt', {}, element('kbd', { text: keys })), element('dd', { text: does }),
    ])));
