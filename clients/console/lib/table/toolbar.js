import { UndoButtons } from '../edit/undo/buttons.js';
import { element, fill, icon } from '../elements.js';

const ICONS = {
    search: 'M7 2.500a4.500 4.500 0 1 0 0 9a4.500 4.500 0 0 0 0-9M10.300 10.300l3.200 3.200',
    filter: 'M2.500 4h11M4.500 8h7M6.500 12h3', columns: 'M3 3h10v10h-10zM6.300 3v10M9.700 3v10', add: 'M8 3v10M3 8h10',
    keys: 'M2 4.500h12v7h-12zM4.500 6.500h.1M7 6.500h.1M9.500 6.500h.1M11.500 6.500h.1M5 9.500h6',
};

/** What stands above a table: search, filters, columns, undo and redo, and a new row. */
export class Toolbar {
    constructor({ onSearch, onFilters, onColumns, edits, onAdd, onKeys }) {
        this._search = element('input', {
            type: 'search', placeholder: 'Search', 'aria-label': 'Search in the rows', 'aria-keyshortcuts': '/',
            spellcheck: 'false',
            oninput: () => onSearch(this._search.value), onkeydown: event => this._key(event, onSearch),
        });
        this._filters = button('Filter', 'filter', onFilters, { 'aria-pressed': 'false', title: 'Filter by column' });
        this._columns = button('Columns', 'columns', () => onColumns(this._columns), { 'aria-haspopup': 'dialog' });
        this._undo = new UndoButtons(edits);
        this._keys = button('Keys', 'keys', () => onKeys(this._keys), { 'aria-haspopup': 'dialog' });
        this._add = button('New', 'add', onAdd, { class: 'primary' });
        this.element = element('div', { class: 'table-bar', role: 'toolbar', 'aria-label': 'Table' },
            element('div', { class: 'search' }, icon(ICONS.search), this._search),
            this._filters, this._columns, this._undo.element, this._keys, element('span', { class: 'space' }), this._add);
    }

    focusSearch() {
        this._search.focus();
        this._search.select();
    }

    clearSearch() {
        this._search.value = '';
    }

    stop() {
        this._undo.stop();
    }

    /** `why` says why there can be no new row, null if there can. */
    show({ singular, why, isFiltering, filters }) {
        this._filters.setAttribute('aria-pressed', String(isFiltering));
        const text = filters > 0 ? `Filter (${filters})` : 'Filter';
        fill(this._filters, icon(ICONS.filter), element('span', { text }));
        this._filters.setAttribute('aria-label', text);
        this._add.setAttribute('aria-label', `New ${singular}`);
        fill(this._add, icon(ICONS.add), element('span', { text: `New ${singular}` }));
        this._add.hidden = why !== null;
        this._add.title = `New ${singular}`;
    }

    _key(event, onSearch) {
        if (event.key !== 'Escape' || this._search.value === '') return;
        this._search.value = '';
        onSearch('');
        event.preventDefault();
    }
}

const button = (text, drawing, onclick, options = {}) =>
    element('button', { type: 'button', class: 'quiet', 'aria-label': text, title: text, onclick, ...options },
        icon(ICONS[drawing]), element('span', { text }));
