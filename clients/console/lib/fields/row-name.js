import { textOf, visible } from './format.js';

const DEEPEST = 3;

/**
 * How rows and users are called, from the rows that are there: `rowsOf(collection)` is a Map of rows by id. What is not
 * there has its id as its name.
 */
export class Names {
    constructor(catalog, rowsOf) {
        Object.assign(this, { catalog, rowsOf });
    }

    /** The name of a row by its id. */
    row(collection, id, depth = 0) {
        const row = this.rowsOf(collection)?.get(id);
        return row ? this.of(collection, row, depth) : String(id);
    }

    /** The name of a row. Never empty. */
    of(collection, row, depth = 0) {
        const known = this.catalog.collection(collection);
        const name = known?.nameField && visible(String(row[known.nameField.name] ?? ''));
        return name || (known && depth < DEEPEST && this._composed(known, row, depth)) || this._unnamed(row);
    }

    /** A user of the project, by the membership. */
    user(id) {
        return this._users().get(id) ?? `User ${id}`;
    }

    /** The present members: `{ id, name }`, by name. */
    get members() {
        return [...this._users()].map(([id, name]) => ({ id, name }))
            .sort((one, other) => one.name.localeCompare(other.name));
    }

    /** Of rows without a name: what they link, such as the two tasks of a dependency. */
    _composed({ fields, nameField }, row, depth) {
        const shown = fields
            .filter(field => field.isRequired && field !== nameField && field.kind !== 'long text').slice(0, 2);
        const deeper = { row: (to, id) => this.row(to, id, depth + 1), user: id => this.user(id) };
        const parts = shown.map(field => textOf(field, row[field.name], deeper)).filter(Boolean);
        const isLink = shown.length === 2 && shown[0].reference !== null && shown[0].reference === shown[1].reference;
        return parts.join(isLink ? ' → ' : ' · ');
    }

    _unnamed({ id }) {
        return `Untitled (${id})`;
    }

    _users() {
        const rows = this.rowsOf(this.catalog.memberships?.name);
        if (!this._known || this._known.rows !== rows) {
            const users = new Map([...rows?.values() ?? []].map(({ user, display_name: name }) =>
                [user, visible(name ?? '') || `User ${user}`]));
            this._known = { rows, users };
        }
        return this._known.users;
    }
}
