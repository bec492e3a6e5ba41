import { element, fill } from '../elements.js';
import { Troubles } from '../data/troubles.js';
import { openAddRow } from '../edit/add-row.js';
import { finishEditor } from '../edit/editor.js';
import { closePopover } from '../edit/popover.js';
import { whyNot } from '../fields/access.js';
import { counted } from '../fields/names.js';
import { Grid } from '../grid/grid.js';
import { rowModel } from '../grid/row-model.js';
import { notify } from '../notices.js';
import { Soon } from '../soon.js';
import { TroubleStrip } from '../unsent/strip.js';
import { CellEdits } from './cell-edits.js';
import { openColumnMenu } from './column-menu.js';
import { widthOf } from '../query/columns.js';
import { openKeyHelp } from './key-help.js';
import { nothing } from './nothing.js';
import { Query } from '../query/query.js';
import { TableRows } from './table-rows.js';
import { tabs } from './tabs.js';
import { Toolbar } from './toolbar.js';

/** The table of a collection: follows the rows, and shows what the query asks for. */
export class Table {
    constructor(context, catalog, project, collection) {
        Object.assign(this, { context, catalog, project, collection, query: new Query(collection) });
        this._repaint = new Soon(() => this._show());
        this._rows = new TableRows(this, this.query, () => this.refresh());
        Object.assign(this, { rows: this._rows.all, names: this._rows.names, shown: this._rows.shown });
        this.troubles = new Troubles(context, () => this.refresh());
        this._build();
        this._stopState = context.onState(() => this.refresh());
    }

    _build() {
        const { collection, query } = this;
        this.grid = new Grid({ label: collection.title, on: this._handlers() });
        this.edits = new CellEdits(this);
        this.strip = new TroubleStrip(this);
        this._bar = new Toolbar({
            onSearch: text => this._ask({ search: text }), onFilters: () => this._toggleFilters(),
            onColumns: anchor => openColumnMenu(anchor, collection, query.fields.map(({ name }) => name),
                names => this._set(() => query.choose(names))),
            edits: this.context.edits, onAdd: () => this.add(), onKeys: openKeyHelp,
        });
        this._empty = element('div', { class: 'grid-empty' });
        this._count = element('p', { class: 'table-count muted', role: 'status' });
        this.element = element('div', { class: 'table', onkeydown: event => this._key(event) },
            tabs(this.catalog, this.project, collection.name), this._bar.element,
            element('div', { class: 'grid-box' }, this.grid.element, this._empty), this.strip.element, this._count);
    }

    /** Begins to follow the rows. `row` is the id of the one to go to. */
    begin(row = null) {
        this._wanted = { id: row };
        this._setColumns();
        this._rows.follow();
    }

    stop() {
        closePopover();
        finishEditor();
        [this._repaint, this.rows, this.troubles, this.grid, this.edits, this._bar].forEach(each => each.stop());
        this._stopState();
    }

    get who() {
        return this._rows.who;
    }

    /** Adds a row, and goes to it. */
    add() {
        const { context: { edits }, collection, project, names, rows, who } = this;
        const onAdded = id => {
            this._wanted = { id };
            rows.look(collection.name, id);
        };
        openAddRow({ edits, collection, project, who, rows: { names, rowsOf: rows.rowsOf }, onAdded });
    }

    /**
     * Goes to a row that was changed, in the cell of the field if there is one. Soon: it may have come back just now.
     * `go(move)` calls `move` if it is still wanted then.
     */
    goTo(id, field, go) {
        this._wanted = { id, field, go };
        this.refresh();
    }

    /** Where the user is: in a cell, which another element may show by now, or at the element with the focus. */
    get here() {
        const { activeElement } = document;
        const { grid: { active, activeRow } } = this;
        return this.grid.cellAt(active) === activeElement ? [activeRow?.id, active.column] : [activeElement, null];
    }

    /** Shows everything again, soon and once for many changes. */
    refresh() {
        this._repaint.ask();
    }

    _show() {
        const { own: all } = this._rows;
        if (!all) return;
        const { found } = this._rows;
        this._who = this.who;
        this.grid.setRows(found);
        this.strip.show(this.grid.activeRow);
        this._showBar();
        this._showCount(found.length, all.size);
        this._goToWanted(all);
    }

    _showBar() {
        this._bar.show({
            singular: this.collection.singular, why: whyNot(this.collection, 'create', this._who),
            isFiltering: this._isFiltering, filters: this.query.filters.size,
        });
    }

    _showCount(shown, all) {
        const { collection, context: { state } } = this;
        const text = counted(all, collection.name);
        this._count.textContent = shown === all ? text : `${shown.toLocaleString()} of ${text}`;
        fill(this._empty, shown === 0 && nothing({
            collection, all, state, why: whyNot(collection, 'create', this._who),
            onClear: () => this._clear(), onAdd: () => this.add(),
        }));
        this._empty.hidden = shown > 0;
    }

    _goToWanted(all) {
        const { id, field = null, go = move => move() } = this._wanted ?? {};
        if (!all.has(id)) return;
        this._wanted = null;
        go(() => {
            const isShown = field ? this.grid.goToField(id, field) : this.grid.goTo(id);
            if (!isShown) notify('The row is there, but the search or a filter hides it.');
        });
    }

    // What is shown, and how.

    _ask(changes) {
        this.query.ask(changes);
        this.refresh();
    }

    /** Changes the columns or what stands in their headings. */
    _set(change) {
        change();
        this._setColumns();
        this.refresh();
    }

    _clear() {
        this._bar.clearSearch();
        this._set(() => this.query.clear());
    }

    _setColumns() {
        const { collection, query } = this;
        this.grid.setColumns(query.fields.map(field => ({
            name: field.name, label: field.label, field, isNumeric: field.isNumeric,
            width: widthOf(collection, field, this.grid.element.clientWidth || innerWidth),
            isName: field === collection.nameField,
            sort: query.directionOf(field.name),
        })));
        this.grid.filters.show(this.grid.columns, query.filters);
    }

    _toggleFilters() {
        this._isFiltering = !this._isFiltering;
        this.grid.filters.element.hidden = !this._isFiltering;
        this._set(() => this._isFiltering || this.query.dropFilters());
        if (this._isFiltering) this.grid.filters.focus();
    }

    // What the user does.

    _handlers() {
        return {
            describe: row => rowModel(row, {
                collection: this.collection, fields: this.query.fields, names: this.names, who: this._who ?? this.who,
                trouble: this.troubles.of(this.collection.name, row.id),
            }),
            edit: (row, column, typed) => this.edits.edit(row, column.field, typed),
            menu: (row, anchor) => this.edits.menu(row, anchor),
            copy: (row, { field }, clipboard) => this.edits.copy(row, field, clipboard),
            paste: (row, { field }, clipboard) => this.edits.paste(row, field, clipboard),
            key: (event, row, column) => this.edits.key(event, row, column?.field ?? null),
            active: row => this.strip?.show(row), resized: () => this._setColumns(),
            sort: ({ name }) => this._set(() => this.query.sortBy(name)),
            filter: (name, typed) => {
                this.query.filter(name, typed);
                this.refresh();
            },
        };
    }

    _key(event) {
        const isTyping = event.target.matches('input, textarea, select');
        if (event.key !== '/' || isTyping) return;
        this._bar.focusSearch();
        event.preventDefault();
    }
}
