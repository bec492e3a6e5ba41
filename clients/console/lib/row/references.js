import { element, fill } from '../elements.js';
import { pathTo } from '../routes.js';

/** So many rows of a kind are listed. */
const LISTED = 12;

/** What a row refers to, and what refers to it, as links. Follows both. */
export class References {
    /** `page` has `context`, `catalog`, `collection`, `names` and `rows`. */
    constructor(page, id) {
        Object.assign(this, { page, id });
        this._to = element('ul', { class: 'links-list' });
        this._from = element('div', { class: 'referring' });
        this.element = element('section', { class: 'side', hidden: true },
            element('h2', { text: 'References' }), this._to, this._from);
        this._found = new Map();
        this._stops = this._follow();
    }

    stop() {
        this._stops.forEach(stop => stop());
    }

    /** Shows what the row refers to. */
    show(row) {
        const { collection, names } = this.page;
        const links = collection.fields.filter(({ reference }) => reference !== null).flatMap(field =>
            [row[field.name] ?? []].flat().map(id => ({ field, id })));
        fill(this._to, links.map(({ field, id }) => element('li', {},
            element('span', { class: 'muted', text: `${field.label} ` }),
            link(field.reference, id, names.row(field.reference, id)))));
        this._showFrom();
    }

    _follow() {
        const { context: { tidemark }, catalog, collection } = this.page;
        // Unsettled, as the row itself: a first sync may still run.
        const options = { refersTo: { collection: collection.name, id: this.id }, unsettled: true };
        const referring = [...new Set(catalog.referringTo(collection.name).map(each => each.collection))];
        return referring.map(each => tidemark.live(each.name, options, rows => {
            this._found.set(each, rows);
            this._showFrom();
        }));
    }

    _showFrom() {
        const groups = [...this._found].filter(([, rows]) => rows.length > 0);
        fill(this._from, groups.map(([collection, rows]) => this._group(collection, rows)));
        this.element.hidden = groups.length === 0 && this._to.children.length === 0;
    }

    _group(collection, rows) {
        const { names } = this.page;
        const shown = rows.slice(0, LISTED);
        return element('div', {},
            element('h3', {}, collection.title, element('span', { class: 'muted', text: ` ${rows.length}` })),
            element('ul', { class: 'links-list' },
                shown.map(row => element('li', {}, link(collection.name, row.id, names.of(collection.name, row)))),
                rows.length > shown.length
                    && element('li', { class: 'muted', text: `and ${rows.length - shown.length} more` })));
    }
}

const link = (collection, id, name) =>
    element('a', { href: `#${pathTo('/row/:collection/:id', { collection, id })}`, dir: 'auto', text: name });
