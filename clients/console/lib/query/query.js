import { arranged } from './arranged.js';
import { keepChoice, readChoice } from './choice.js';
import { chosenFields } from './columns.js';

/** Which rows of a collection a table shows, in which order and with which columns. Columns and order are kept. */
export class Query {
    search = '';
    /** How often it was changed. */
    changes = 0;
    /** What is typed, by the field's name. */
    filters = new Map();

    constructor(collection, storage = undefined) {
        const { columns, sort } = readChoice(collection.name, storage);
        Object.assign(this, { collection, storage, sort, _chosen: columns });
    }

    /** The fields that have a column. */
    get fields() {
        this._fields ??= chosenFields(this.collection, this._chosen);
        return this._fields;
    }

    /** Changes what is searched for. */
    ask({ search }) {
        this.search = search;
        this.changes++;
    }

    /** Chooses columns by their names; null for the standard ones. */
    choose(names) {
        Object.assign(this, { _chosen: names, _fields: null });
        this.changes++;
        this._keep();
    }

    /** Orders by a field, the other way round the second time, and not at all the third time. */
    sortBy(name) {
        const isSame = this.sort?.name === name;
        this.sort = isSame && this.sort.descending ? null : { name, descending: isSame };
        this.changes++;
        this._keep();
    }

    /** `ascending`, `descending`, or null for a field that the rows are not ordered by. */
    directionOf(name) {
        if (this.sort?.name !== name) return null;
        return this.sort.descending ? 'descending' : 'ascending';
    }

    filter(name, typed) {
        if (typed.trim() === '') this.filters.delete(name);
        else this.filters.set(name, typed);
        this.changes++;
    }

    clear() {
        this.search = '';
        this.dropFilters();
    }

    dropFilters() {
        this.filters.clear();
        this.changes++;
    }

    /** The rows to show. `shown(field, row)` is a field's text. */
    of(rows, shown) {
        return arranged(rows, this.collection, this.fields, this, shown);
    }

    _keep() {
        keepChoice(this.collection.name, { columns: this._chosen, sort: this.sort }, this.storage);
    }
}
