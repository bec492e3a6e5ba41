import { ProjectRows } from '../data/project-rows.js';
import { tellWho, whoIn } from '../data/who.js';
import { textOf } from '../fields/format.js';
import { Names } from '../fields/row-name.js';

/** The rows of a table, with those that are needed to name what they refer to. Follows them. */
export class TableRows {
    constructor({ context, catalog, project, collection }, query, onChange) {
        Object.assign(this, { context, catalog, project, collection, query });
        this.all = new ProjectRows(context.tidemark, project, onChange);
        this.names = new Names(catalog, this.all.rowsOf);
        this._named = [...catalog.neededToName(collection.name), catalog.memberships?.name].filter(Boolean);
    }

    follow() {
        this.all.follow([this.collection.name, ...this._named, ...tellWho(this.catalog)]);
    }

    stop() {
        this.all.stop();
    }

    /** The rows of the collection, by id; undefined as long as they, or what says who the reader is, are not there. */
    get own() {
        const isWhoKnown = tellWho(this.catalog).every(name => this.all.rowsOf(name));
        return isWhoKnown ? this.all.rowsOf(this.collection.name) : undefined;
    }

    /** Who the reader is in the project. */
    get who() {
        return whoIn(this.context, this.catalog, this.all.rowsOf, this.project);
    }

    /** The text of a field. */
    shown = (field, row) => textOf(field, row[field.name] ?? null, this.names);

    /** The rows that the query asks for. Searching and sorting takes a while, so it is not done again for the same. */
    get found() {
        const basis = [this.own, this.query.changes, ...this._named.map(name => this.all.rowsOf(name))];
        if (!this._basis?.every((each, place) => each === basis[place])) {
            this._found = this.query.of([...this.own.values()], this.shown);
        }
        this._basis = basis;
        return this._found;
    }
}
