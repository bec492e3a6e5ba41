import { onClipboard } from './clipboard.js';
import { moved } from './cursor.js';

const CELLS = '[role="gridcell"], [role="rowheader"], [role="columnheader"]';

/** What a key on a cell begins to edit with: `{ name: 'edit', typed }`, where `typed` is null for the cell's value. */
export function beginsEdit({ key, ctrlKey, metaKey, altKey }) {
    if (ctrlKey || metaKey || altKey) return null;
    if (key === 'Enter' || key === 'F2' || key === ' ') return { name: 'edit', typed: null };
    // A slash is for the search: see Table.
    return key.length === 1 && key !== '/' ? { name: 'edit', typed: key } : null;
}

/** Keys and pointers on a grid. */
export class GridInput {
    constructor(grid) {
        this.grid = grid;
    }

    listen() {
        const { element } = this.grid;
        element.addEventListener('keydown', event => this._key(event));
        this.stop = onClipboard(element, (event, focused) => this._clipboard(event, focused));
        element.addEventListener('focusin', ({ target }) => this._focused(target));
        element.addEventListener('pointerdown', ({ target }) => this._pointed(target));
        element.addEventListener('click', ({ target }) => this._clicked(target));
        element.addEventListener('dblclick', ({ target }) => this._clickedTwice(target));
    }

    _key(event) {
        if (event.defaultPrevented || !event.target.matches(CELLS)) return;
        const { row, column } = this.grid.active;
        const isFar = event.ctrlKey || event.metaKey;
        const to = event.altKey || event.shiftKey ? null : moved(this.grid.active, event.key, this.grid.size, isFar);
        if (to) this.grid.goToPlace(to);
        else if (row < 0 ? !this._headKey(event, column) : !this._cellKey(event, row, column)) return;
        event.preventDefault();
    }

    _clipboard(event, focused) {
        const { active: { row, column }, rows, columns, on } = this.grid;
        const isCell = focused.matches(CELLS) && rows[row] && column > 0;
        if (!isCell || getSelection()?.isCollapsed === false) return;
        on[event.type](rows[row], columns[column - 1], event.clipboardData);
        event.preventDefault();
    }

    _headKey({ key }, column) {
        if (![' ', 'Enter'].includes(key) || column === 0) return false;
        this.grid.on.sort(this.grid.columns[column - 1]);
        return true;
    }

    _cellKey(event, row, column) {
        if (this.grid.on.key(event, this.grid.rows[row], this.grid.columns[column - 1] ?? null)) return true;
        const begun = beginsEdit(event);
        if (!begun || (column === 0 && begun.typed !== null)) return false;
        this._open(row, column, begun.typed);
        return true;
    }

    _open(row, column, typed) {
        if (!this.grid.rows[row]) return;
        if (column === 0) this.grid.on.menu(this.grid.rows[row], this.grid.cellAt({ row, column }));
        else this.grid.on.edit(this.grid.rows[row], this.grid.columns[column - 1], typed);
    }

    /** A second click on the active cell edits it, so fingers can, too. */
    _pointed(target) {
        const place = this._placeOf(target);
        const { active } = this.grid;
        this._wasActive = place !== null && place.row === active.row && place.column === active.column
            && this.grid.cellAt(place) === document.activeElement;
    }

    _clicked(target) {
        const place = this._placeOf(target);
        if (!place) return;
        if (place.row < 0) return place.column > 0 ? this.grid.on.sort(this.grid.columns[place.column - 1]) : undefined;
        if (this._wasActive || place.column === 0) this._open(place.row, place.column, null);
    }

    _clickedTwice(target) {
        const place = this._placeOf(target);
        if (place && place.row >= 0 && place.column > 0 && !this._wasActive) this._open(place.row, place.column, null);
    }

    _focused(target) {
        const place = this._placeOf(target);
        if (place) this.grid.activate(place);
    }

    _placeOf(target) {
        const found = target.closest?.('.cell');
        if (!found || !this.grid.element.contains(found)) return null;
        const column = Number(found.getAttribute('aria-colindex')) - 1;
        return { row: Number(found.parentElement.getAttribute('aria-rowindex')) - 2, column };
    }
}
