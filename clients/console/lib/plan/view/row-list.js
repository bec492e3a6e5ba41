import { element, fill } from '../../elements.js';
import { dateShort, daysText, percentText } from '../texts.js';
import { SIZES } from './geometry.js';

const COLUMNS = [
    ['name', 'Task'], ['start', 'Start'], ['end', 'Finish'], ['days', 'Days'], ['percent', 'Done'],
];

/**
 * The tasks as a tree of rows beside the chart: what a keyboard walks and a screen reader reads. Only the rows in sight
 * are elements, and each is used again for other tasks. The focus stays on the whole; `aria-activedescendant` says
 * which row it is in.
 */
export class RowList {
    _slots = [];

    /** `onSelect(node)`, `onToggle(node)` and `onOpen(node)` are called for the mouse. */
    constructor(handlers) {
        this.handlers = handlers;
        this._rows = element('div', { class: 'plan-rows', role: 'rowgroup' });
        const head = element('div', { class: 'plan-row plan-row-head', role: 'row', 'aria-rowindex': 1 },
            COLUMNS.map(([name, text]) => element('span', { class: name, role: 'columnheader', text })));
        this.element = element('div', {
            class: 'plan-list', role: 'treegrid', tabindex: 0, 'aria-label': 'Tasks', 'aria-colcount': COLUMNS.length,
            'aria-describedby': 'plan-keys',
        }, element('div', { role: 'rowgroup', class: 'plan-list-head' }, head),
        element('div', { class: 'plan-list-body', role: 'presentation' }, this._rows));
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
        for (const slot of this._slots) this._mark(slot, selected, hovered);
        this._rows.style.transform = `translateY(${-y}px)`;
        this._tellActive(selected);
    }

    _add() {
        const slot = { index: -1, node: null };
        slot.toggle = element('button', {
            class: 'plan-toggle', tabindex: -1, 'aria-hidden': 'true', onclick: event => {
                event.stopPropagation();
                this.handlers.onToggle(slot.node);
            },
            ondblclick: event => event.stopPropagation(),
        });
        slot.name = element('span', { class: 'plan-name', dir: 'auto' });
        slot.note = element('span', { class: 'plan-note' });
        const cell = name => element('span', { class: name, role: 'gridcell' });
        slot.cells = Object.fromEntries(COLUMNS.map(([name]) => [name, cell(name)]));
        slot.cells.name.append(slot.toggle, slot.name, slot.note);
        slot.element = element('div', {
            class: 'plan-row', role: 'row', id: `plan-row-${this._slots.length}`,
            onclick: () => this.handlers.onSelect(slot.node), ondblclick: () => this.handlers.onOpen(slot.node),
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
        slot.element.style.setProperty('--depth', Math.min(node.depth, 8));
        slot.name.textContent = node.task.name;
        slot.name.title = node.task.name;
        fill(slot.note, notes(node));
        this._fillDates(slot.cells, node.bar);
    }

    _fillDates(cells, bar) {
        cells.start.textContent = bar.start === null ? '–' : dateShort(bar.start, this._today);
        cells.end.textContent = bar.end === null ? '–' : dateShort(bar.end, this._today);
        cells.days.textContent = daysText(bar, this.handlers.workingDays());
        cells.percent.textContent = percentText(bar.percent);
    }

    _mark(slot, selected, hovered) {
        const isSelected = slot.node !== null && slot.node === selected;
        slot.element.classList.toggle('hovered', slot.node !== null && slot.node === hovered);
        if (slot.element.getAttribute('aria-selected') !== `${isSelected}`) {
            slot.element.setAttribute('aria-selected', `${isSelected}`);
        }
    }

    _tellActive(selected) {
        const slot = selected && this._slots.find(({ node }) => node === selected);
        setAttributes(this.element, { 'aria-activedescendant': slot ? slot.element.id : null });
    }
}

/** What colour and shape say in the chart, in words. */
function notes({ task, bar }) {
    return [
        bar.isCritical && element('span', { class: 'critical-mark', title: 'Critical' }, unseen('critical')),
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
