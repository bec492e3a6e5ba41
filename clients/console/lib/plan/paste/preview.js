import { openDialog } from '../../dialog.js';
import { chip, element, fill } from '../../elements.js';
import { quoted } from '../../edit/undo/words.js';

/** So many rows are shown of a block. */
const SHOWN = 200;
const STATES = {
    new: ['New', 'good'], changed: ['Changed', 'accent'], same: ['As it is', ''], wrong: ['Left out', 'bad'],
};

/**
 * Shows what a block makes of the plan. `read(isNew)` reads it: from the row of `node` on, or all of it as new tasks.
 * Resolves to the block that is to be pasted; null if none is.
 */
export function previewBlock(read, columns, node) {
    return new Promise(resolve => {
        const first = read(node === null);
        const state = { block: first, isDone: false };
        const view = element('div', { class: 'paste-view' });
        const paste = element('button', { type: 'button', class: 'primary', onclick: () => dialog.close('paste') });
        const show = isNew => {
            state.block = Object.assign(isNew === (node === null) ? first : read(isNew), { isNew });
            fill(view, parts(state.block));
            const count = state.block.count('new') + state.block.count('changed');
            paste.textContent = `Paste ${count.toLocaleString()} ${count === 1 ? 'row' : 'rows'}`;
            paste.disabled = count === 0;
        };
        const dialog = openDialog({ title: 'Paste', onClose: way => resolve(way === 'paste' ? state.block : null) },
            node && ways(node, show), view, element('div', { class: 'actions' },
                element('button', { type: 'button', text: 'Cancel', onclick: () => dialog.close() }), paste));
        dialog.classList.add('wide');
        show(node === null);
        paste.focus();
    });
}

/** Whether rows are changed, or all are added. */
function ways(node, show) {
    const way = (isNew, text) => element('label', {}, element('input', {
        type: 'radio', name: 'paste-way', checked: !isNew, onchange: () => show(isNew),
    }), element('span', { text }));
    return element('fieldset', { class: 'paste-ways' }, element('legend', { class: 'unseen', text: 'Where' }),
        way(false, `Over the rows from ${quoted(node.task.name)} on`), way(true, 'As new tasks below it'));
}

const parts = block => [
    element('p', { class: 'paste-summary', role: 'status', text: block.summary }),
    block.leftOut.length > 0 && element('p', { class: 'muted', text: `Left out: ${block.leftOut.join(', ')}.` }),
    problemList(block), tableOf(block),
];

/** Each problem once, with the rows that have it. */
function problemList({ lines }) {
    const rows = new Map();
    lines.forEach(({ cells, problems }, place) => {
        for (const [column, problem] of problems) {
            const text = `${column.label}${cells.get(column) ? ` “${cells.get(column)}”` : ''}: ${problem}`;
            rows.set(text, [...rows.get(text) ?? [], place + 1]);
        }
    });
    return rows.size > 0 && element('ul', { class: 'paste-problems' }, [...rows].slice(0, 20).map(([text, places]) =>
        element('li', {}, element('span', { class: 'muted', text: `Row ${listed(places)}: ` }), text)));
}

const listed = places => (places.length > 5 ? `${places.slice(0, 5).join(', ')} …` : places.join(', '));

function tableOf({ lines, heads }) {
    const cell = (line, column) => element('td', {
        class: line.problems.has(column) ? 'wrong' : column.name, dir: 'auto',
        title: line.problems.get(column), text: line.cells.get(column) ?? '',
        style: column.name === 'name' ? { '--depth': line.node ? 0 : line.level } : {},
    });
    return [element('div', { class: 'wide-table paste-table', tabindex: 0, role: 'region', 'aria-label': 'Rows' },
        element('table', {}, element('thead', {}, element('tr', {}, element('th', { text: '#' }), element('th', {}),
            heads.map(({ label }) => element('th', { text: label })))),
        element('tbody', {}, lines.slice(0, SHOWN).map((line, place) => element('tr', {},
            element('td', { class: 'muted', text: String(place + 1) }), element('td', {}, chip(...STATES[line.state])),
            heads.map(column => cell(line, column))))))),
    lines.length > SHOWN && element('p', {
        class: 'muted', text: `And ${(lines.length - SHOWN).toLocaleString()} more.`,
    })];
}

/** Asks for the text itself. Resolves to null if there is none. */
export function askForText() {
    return new Promise(resolve => {
        const input = element('textarea', {
            rows: 8, 'aria-label': 'Rows', placeholder: 'Paste rows here: a task a line.',
        });
        const button = (text, way, options = {}) =>
            element('button', { type: 'button', text, onclick: () => dialog.close(way), ...options });
        const onClose = way => resolve(way === 'paste' ? input.value : null);
        const dialog = openDialog({ title: 'Paste', onClose }, input, element('div', { class: 'actions' },
            button('Cancel', ''), button('Go on', 'paste', { class: 'primary' })));
        dialog.classList.add('wide');
        input.focus();
    });
}
