import { element, fill } from '../elements.js';
import { next, within } from './cursor.js';
import { FilterRow } from './filter-row.js';
import { GridInput } from './input.js';
import { RowsInDocument } from './rows-in-document.js';
import { scrolledTo, windowOf } from './window.js';

/** Width of the first column, which says how a row stands. */
const STATE_WIDTH = 36;

/**
 * A grid of which only the rows in sight are in the document, as https://www.w3.org/WAI/ARIA/apg/patterns/grid/ wants
 * it for the keyboard: one cell takes the focus, and arrow keys move it. The row of that cell stays in the document.
 *
 * `on` has `describe(row)`, which returns what to show of a row (see row-model.js), and is told what the user wants:
 * `edit(row, column, typed)`, `menu(row, cell)`, `sort(column)`, `filter(name, typed)`, `active(row)`, `resized()`,
 * `copy` and `paste(row, column, clipboard)`, and `key(event, row, column)`, which returns whether it was for the page.
 */
export class Grid {
    rows = [];
    columns = [];
    /** The cell that takes the focus: `{ row, column }`; row -1 has the headings. */
    active = { row: 0, column: 1 };

    constructor({ label, on }) {
        this.on = on;
        this._wide = matchMedia('(min-width: 44.01rem)');
        this.rowHeight = matchMedia('(pointer: coarse)').matches ? 42 : 33;
        this._head = element('div', { class: 'grid-head', role: 'row', 'aria-rowindex': 1 });
        this.filters = new FilterRow((name, typed) => on.filter(name, typed));
        this._top = element('div', { class: 'grid-top', role: 'rowgroup' }, this._head, this.filters.element);
        this._body = element('div', { class: 'grid-body', role: 'rowgroup' });
        this._shown = new RowsInDocument(this, this._body);
        this.element = element('div', {
            class: 'grid', role: 'grid', 'aria-label': label, style: { '--row': `${this.rowHeight}px` },
        }, this._top, this._body);
        this._input = new GridInput(this);
        this._input.listen();
        this.element.addEventListener('scroll', () => this._scrolled(), { passive: true });
        this._sizes = new ResizeObserver(() => this._resized());
        this._sizes.observe(this.element);
    }

    stop() {
        this._sizes.disconnect();
        this._input.stop();
    }

    /** The page may want other widths; the rows in sight are others in any case. */
    _resized() {
        const { clientWidth } = this.element;
        if (clientWidth !== this._width) this.on.resized();
        this._width = clientWidth;
        this._render();
    }

    /** `columns` are `{ name, label, width, isNumeric, isName, sort }`; `sort` is `ascending`, `descending` or null. */
    setColumns(columns) {
        this.columns = columns.map((column, index) => ({ ...column, place: index + 1 }));
        const widths = [STATE_WIDTH, ...columns.map(({ width }) => width)];
        this.element.style.setProperty('--columns', widths.map(width => `${width}px`).join(' '));
        this.element.style.setProperty('--width', `${widths.reduce((sum, width) => sum + width, 0)}px`);
        this.element.setAttribute('aria-colcount', widths.length);
        const hadFocus = [this._head, this._body].some(part => part.contains(document.activeElement));
        fill(this._head, element('div', { class: 'cell state', role: 'columnheader', tabindex: -1, 'aria-colindex': 1 },
            element('span', { class: 'unseen', text: 'State' })), this.columns.map(heading));
        this._shown.clear();
        this.activate(this.active);
        this._render();
        if (hadFocus) this.cellAt(this.active)?.focus({ preventScroll: true });
    }

    /** Shows these rows, and looks again at those in sight. The active cell stays with its row. */
    setRows(rows) {
        const former = this.rows[this.active.row]?.id;
        this.rows = rows;
        this.element.setAttribute('aria-rowcount', rows.length + 1);
        this._body.style.setProperty('height', `${rows.length * this.rowHeight}px`);
        const place = former === undefined ? -1 : rows.findIndex(({ id }) => id === former);
        const row = place < 0 && this.active.row >= 0 ? Math.max(0, this.active.row) : place;
        if (this.active.row >= 0) this.activate({ ...this.active, row });
        this._render(true);
    }

    get activeRow() {
        return this.rows[this.active.row] ?? null;
    }

    /** Puts the focus on the active cell, and it into sight. */
    focus() {
        this._reveal(this.active);
        this._render();
        this.cellAt(this.active)?.focus({ preventScroll: true });
    }

    /** Goes to a row by its id. Returns whether it is there. */
    goTo(id, column = 1) {
        const row = this.rows.findIndex(each => each.id === id);
        if (row >= 0) this.goToPlace({ row, column });
        return row >= 0;
    }

    /** Goes to a row's cell in a column; to the first one if the column is not shown. */
    goToField(id, name) {
        return this.goTo(id, Math.max(0, this.columns.findIndex(each => each.name === name)) + 1);
    }

    /** The cell of a row and of a column's name, if it is in the document. */
    cellOf(id, name) {
        const row = this.rows.findIndex(each => each.id === id);
        return this.cellAt({ row, column: this.columns.findIndex(each => each.name === name) + 1 });
    }

    /** Goes to the cell after the active one, or before it. */
    step(step) {
        const size = this.size;
        const cells = { rows: size.rows, columns: size.columns - 1 };
        const to = next({ row: this.active.row, column: this.active.column - 1 }, cells, step);
        if (to) this.goToPlace({ row: to.row, column: to.column + 1 });
        else this.focus();
    }

    /** The numbers of rows and columns, and how many rows are a page. */
    get size() {
        const page = Math.max(1, Math.floor((this.element.clientHeight - this._top.offsetHeight) / this.rowHeight) - 1);
        return { rows: this.rows.length, columns: this.columns.length + 1, page };
    }

    // What the user does: see input.js.

    /** Makes a cell the active one, with the focus, and puts it into sight. `place` is `{ row, column }`. */
    goToPlace(place) {
        this.activate(within(place, this.size));
        this.focus();
    }

    activate(place) {
        this.cellAt(this.active)?.setAttribute('tabindex', -1);
        const former = this.activeRow;
        this.active = within(place, this.size);
        this.cellAt(this.active)?.setAttribute('tabindex', 0);
        this._shown.mark();
        if (this.activeRow !== former) this.on.active(this.activeRow);
    }

    // What is in the document.

    cellAt({ row, column }) {
        const parent = row < 0 ? this._head : this._shown.at(row);
        return parent?.children[column] ?? null;
    }

    _reveal({ row, column }) {
        const { element: { scrollTop, scrollLeft, clientHeight, clientWidth }, rowHeight } = this;
        const head = this._top.offsetHeight;
        const start = head + row * rowHeight;
        const top = row < 0 ? scrollTop
            : scrolledTo({ start, end: start + rowHeight, scroll: scrollTop, size: clientHeight, covered: head });
        const box = this._head.children[column];
        const covered = this._covered();
        const left = this._stays(column) ? scrollLeft : scrolledTo({
            start: box.offsetLeft, end: box.offsetLeft + box.offsetWidth, scroll: scrollLeft, size: clientWidth,
            covered,
        });
        // Setting these makes the browser lay everything out, so only if it has to.
        if (top !== scrollTop) this.element.scrollTop = top;
        if (left !== scrollLeft) this.element.scrollLeft = left;
    }

    /** Whether a column stays where it is when one scrolls sideways: see tables.css. */
    _stays(column) {
        return column === 0 ? this._wide.matches : column === 1 && this.columns[0]?.isName === true;
    }

    /** How much of the width is behind columns that stay. */
    _covered() {
        return [0, 1].filter(column => this._stays(column))
            .reduce((sum, column) => sum + this._head.children[column].offsetWidth, 0);
    }

    _scrolled() {
        this.element.classList.toggle('is-aside', this.element.scrollLeft > 0);
        this._render();
    }

    /** With `isFresh`, rows that are in the document are looked at again. */
    _render(isFresh = false) {
        const { element: { scrollTop, clientHeight: height }, rowHeight, rows, active, _body: body } = this;
        const count = rows.length;
        const { first, last } = windowOf({ scrollTop, height, rowHeight, count, top: this._top.offsetHeight });
        const wanted = [];
        if (active.row >= 0 && active.row < first) wanted.push(active.row);
        for (let index = first; index < last; index++) wanted.push(index);
        if (active.row >= last && active.row < count) wanted.push(active.row);
        const hadFocus = body.contains(document.activeElement);
        this._shown.show(wanted, isFresh);
        const isLost = hadFocus && !body.contains(document.activeElement);
        if (isLost) this.cellAt(active)?.focus({ preventScroll: true });
    }
}

const heading = ({ label, isNumeric, isName, sort, place }) => element('div', {
    class: ['cell', isNumeric && 'number', isName && 'name'].filter(Boolean).join(' '), role: 'columnheader',
    tabindex: -1, 'aria-colindex': place + 1, 'aria-sort': sort ?? 'none', title: `Sort by ${label}`,
}, element('span', { class: 'text', text: label }),
sort && element('span', { class: 'arrow', 'aria-hidden': 'true', text: sort === 'ascending' ? '↑' : '↓' }));
