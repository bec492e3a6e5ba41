import { element, empty, fill, loading, problem } from '../elements.js';
import { whenCatalog } from '../data/catalog.js';
import { Table } from './table.js';
import { tabs } from './tabs.js';

/** A collection of a project as a table. `query.row` is the id of the row to go to. */
export function open(context, { project, collection: name, query }) {
    const box = element('div', { class: 'table-page' }, loading('Loading the table …'));
    let table = null;
    const show = catalog => {
        const collection = catalog.collection(name);
        if (!collection) return fill(box, tabs(catalog, project, name), empty('There is no such collection', name));
        table = new Table(context, catalog, project, collection);
        fill(box, table.element);
        return table.begin(query?.row);
    };
    const stop = whenCatalog(context, show, error => fill(box, problem(error)));
    const close = () => {
        stop();
        table?.stop();
    };
    return { element: box, title: name, close };
}
