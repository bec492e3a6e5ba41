import { element } from '../elements.js';
import { cell, stateCell } from './cell.js';

/** The rows of a grid that are in the document, by their place among all. What did not change is kept. */
export class RowsInDocument {
    _shown = new Map();

    constructor(grid, body) {
        Object.assign(this, { grid, body });
    }

    /** The element of a row; undefined if it is not in the document. */
    at(index) {
        return this._shown.get(index)?.element;
    }

    clear() {
        this._drop(new Set());
    }

    /** Shows the rows at these places, in ascending order, and no others. With `isFresh` it looks at all of them. */
    show(wanted, isFresh) {
        this._drop(new Set(wanted));
        let previous = null;
        for (const index of wanted) {
            const row = this._row(index, isFresh);
            // A row that is in its place is left alone: moving it would take the focus from it.
            if (!row.parentNode || row.previousSibling !== previous) {
                this.body.insertBefore(row, previous ? previous.nextSibling : this.body.firstChild);
            }
            previous = row;
        }
    }

    /** Marks the row of the active cell. */
    mark() {
        for (const [index, { element: row }] of this._shown) {
            row.classList.toggle('active', index === this.grid.active.row);
        }
    }

    _drop(wanted) {
        for (const [index, { element: row }] of this._shown) {
            if (wanted.has(index)) continue;
            row.remove();
            this._shown.delete(index);
        }
    }

    _row(index, isFresh) {
        const shown = this._shown.get(index);
        if (shown && !isFresh) return shown.element;
        const model = this.grid.on.describe(this.grid.rows[index]);
        const signature = JSON.stringify(model);
        if (shown?.signature === signature) return shown.element;
        const made = this._made(index, model);
        shown?.element.replaceWith(made);
        this._shown.set(index, { element: made, signature });
        return made;
    }

    _made(index, model) {
        const { active, columns, rowHeight } = this.grid;
        const isActive = index === active.row;
        const row = element('div', {
            class: `grid-row ${isActive ? 'active' : ''}`, role: 'row', 'aria-rowindex': index + 2,
            style: { top: `${index * rowHeight}px` },
        }, stateCell(model), model.cells.map((each, place) => cell(each, columns[place])));
        if (isActive) row.children[active.column]?.setAttribute('tabindex', 0);
        return row;
    }
}
