import { element, fill, withoutTurns } from '../../elements.js';
import { SIZES } from '../view/geometry.js';

/**
 * The tasks as a tree of rows beside the chart: what a keyboard walks and a screen reader reads. Only the rows in sight
 * are elements, and each is used again for other tasks. The focus stays on the whole; `aria-activedescendant` says
 * which cell it is in. The last row adds a task.
 */
export class RowList {
    _slots = [];
    _columns = [];

    /**
     * `handlers` has `columns`, `cells`, `isCollapsed(node)` and `canAdd()`, and is told what the pointer does:
     * `onPress()`, `onCell(node, column, event)`, `onToggle(node)`, `onTwice(node)`,
     * `onMenu(node, anchor)`, `onAdd()`.
     */
    constructor(handlers) {
        this.handlers = handlers;
        this._rows = element('div', { class: 'plan-rows', role: 'rowgroup' });
        this._head = element('div', { class: 'plan-row plan-row-head', role: 'row', 'aria-rowindex': 1 });
        this.element = element('div', {
            class: 'plan-list', role: 'treegrid', tabindex: 0, 'aria-label': 'Tasks', 'aria-multiselectable': 'true',
            'aria-describedby': 'plan-keys', onpointerdown: () => handlers.onPress(),
        }, element('div', { role: 'rowgroup', class: 'plan-list-head' }, this._head),
        element('div', { class: 'plan-list-body', role: 'presentation' }, this._rows));
        this._drop = element('div', { class: 'plan-drop', hidden: true, 'aria-hidden': 'true' });
        this._addRow = element('div', { class: 'plan-add', role: 'row', onclick: () => handlers.onAdd() },
            element('span', { class: 'name', role: 'gridcell', id: 'plan-add', text: '+ Add a task' }));
    }

    /** Shows these columns: see Columns. */
    setColumns(columns) {
        if (columns.map(({ name }) => name).join() === this._columns.map(({ name }) => name).join()) return;
        this._columns = columns;
        this._slots = [];
        this.element.setAttribute('aria-colcount', columns.length);
        this.element.style.setProperty('--columns', columns.map(({ width }) => width).join(' '));
        this.element.dataset.columns = columns.length;
        fill(this._head, columns.map(({ name, label }) =>
            element('span', { class: name, role: 'columnheader', text: label })));
        fill(this._rows, this._addRow, this._drop);
    }

    /** Whether there is a column of this name. */
    has(name) {
        return this._columns.some(column => column.name === name);
    }

    /** The element of a cell, if its row is in sight. */
    cellOf(id, name) {
        return this._slots.find(({ node }) => node?.task.id === id)?.cells[name] ?? null;
    }

    /** Where the editor of a cell stands: a name's begins where the name does. */
    anchorOf(id, name) {
        const cell = this.cellOf(id, name);
        return name === 'name' ? cell?.querySelector('.plan-name') : cell;
    }

    /** A height in the window, in rows from the first one on. */
    placeAt(clientY) {
        return (clientY - this._rows.getBoundingClientRect().top) / SIZES.row;
    }

    indexAt(clientY) {
        return Math.floor(this.placeAt(clientY));
    }

    /** Shows where rows would go: above the row at `index`, or into it. Null shows nothing. */
    showDrop(mark) {
        this._drop.hidden = mark === null;
        if (!mark) return;
        this._drop.classList.toggle('inside', mark.isInside === true);
        this._drop.style.setProperty('--depth', depthShown(mark.depth));
        this._drop.style.transform = `translateY(${mark.index * SIZES.row}px)`;
    }

    /** Shows the rows from `first` up to, not with, `end`, scrolled by `y`. `isStale`: the tasks may have changed. */
    show({ rows, first, end, y, selected, hovered, today, isStale }) {
        this._today = today;
        this.element.setAttribute('aria-rowcount', rows.length + 1);
        while (this._slots.length < end - first) this._add();
        const count = this._slots.length;
        for (let index = first; index < first + count; index += 1) {
            this._fill(this._slots[index % count], index, index < end ? rows[index] : null, isStale);
        }
        this._mark(selected, hovered);
        this._showAddRow(rows.length);
        this._rows.style.transform = `translateY(${-y}px)`;
    }

    _add() {
        const slot = { index: -1, node: null };
        slot.toggle = element('button', {
            class: 'plan-toggle', tabindex: -1, 'aria-hidden': 'true', onclick: event => {
                event.stopPropagation();
                this.handlers.onToggle(slot.node);
            },
        });
        slot.name = element('span', { class: 'plan-name', dir: 'auto' });
        slot.note = element('span', { class: 'plan-note' });
        slot.menu = element('button', {
            class: 'plan-more', tabindex: -1, 'aria-hidden': 'true', title: 'What can be done with the row',
            onclick: event => {
                event.stopPropagation();
                this.handlers.onMenu(slot.node, slot.menu);
            },
        });
        const number = this._slots.length;
        slot.cells = Object.fromEntries(this._columns.map((column, place) => [column.name, element('span', {
            class: column.name, role: 'gridcell', id: `plan-cell-${number}-${place}`, 'aria-colindex': place + 1,
            onclick: event => this.handlers.onCell(slot.node, place, event),
        })]));
        slot.cells.name.append(slot.toggle, slot.name, slot.note, slot.menu);
        slot.element = element('div', {
            class: 'plan-row', role: 'row', ondblclick: () => this.handlers.onTwice(slot.node),
        }, Object.values(slot.cells));
        this._slots.push(slot);
        this._rows.append(slot.element);
        for (const each of this._slots) each.index = -1;
    }

    _fill(slot, index, node, isStale) {
        if (slot.index === index && slot.node === node && !isStale) return;
        Object.assign(slot, { index, node });
        slot.element.hidden = node === null;
        if (node === null) return;
        slot.element.style.transform = `translateY(${index * SIZES.row}px)`;
        setAttributes(slot.element, {
            'aria-rowindex': index + 2, 'aria-level': node.depth + 1,
            'aria-expanded': node.children.length > 0 ? `${!this.handlers.isCollapsed(node)}` : null,
        });
        slot.element.classList.toggle('parent', node.children.length > 0);
        slot.element.style.setProperty('--depth', depthShown(node.depth));
        setAttributes(slot.name, { 'data-level': levelShown(node.depth) });
        slot.name.textContent = slot.name.title = withoutTurns(node.task.name);
        fill(slot.note, notes(node));
        const { columns } = this.handlers;
        for (const column of this._columns.slice(1)) {
            slot.cells[column.name].textContent = columns.text(column, node, this._today);
        }
    }

    /** Marks the active row and its cell, the block, and what is under the pointer. */
    _mark(selected, hovered) {
        const { cells } = this.handlers;
        const block = selected && cells.isBlock ? cells.block(selected) : null;
        let active = cells.isAtEnd ? this._addRow.firstChild : null;
        for (const { element: row, node, index, cells: its } of this._slots) {
            const isSelected = node !== null && node === selected;
            row.classList.toggle('hovered', node !== null && node === hovered);
            setAttributes(row, { 'aria-selected': `${isSelected}` });
            const isIn = block !== null && node !== null && index >= block.top && index <= block.bottom;
            for (const [place, { name }] of this._columns.entries()) {
                const isActive = isSelected && place === cells.column;
                if (isActive) active = its[name];
                its[name].toggleAttribute('data-active', isActive);
                const isChosen = isIn && place >= block.left && place <= block.right;
                setAttributes(its[name], { 'aria-selected': isChosen ? 'true' : null });
            }
        }
        setAttributes(this.element, { 'aria-activedescendant': active?.id ?? null });
    }

    _showAddRow(count) {
        this._addRow.hidden = !this.handlers.canAdd();
        this._addRow.style.transform = `translateY(${count * SIZES.row}px)`;
        this._addRow.firstChild.toggleAttribute('data-active', this.handlers.cells.isAtEnd);
    }
}

/** How many steps a level is shown to the right. Deep ones come closer together, so a name keeps its room. */
export const depthShown = depth => (depth <= 8 ? depth : 8 + Math.log2(depth - 7));

/** The number of a deep level, which is hard to see otherwise; null for the others. */
export const levelShown = depth => (depth <= 8 ? null : depth + 1);

/** What colour and shape say in the chart, in words. */
function notes({ task, bar }) {
    return [
        bar.isCritical && element('span', { class: 'critical-mark', title: 'Critical' }, unseen('critical')),
        bar.isOverdue && element('span', { class: 'overdue-mark', title: 'Overdue' }, unseen('overdue')),
        bar.kind === 'milestone' && unseen('milestone'),
        task._status !== 'synced' && element('span', { class: 'unsent-mark', title: 'Not sent yet' }, unseen('unsent')),
    ];
}

const unseen = text => element('span', { class: 'unseen', text: ` ${text}` });

function setAttributes(node, values) {
    for (const [name, value] of Object.entries(values)) {
        if (value === null) node.removeAttribute(name);
        else if (node.getAttribute(name) !== `${value}`) node.setAttribute(name, value);
    }
}
