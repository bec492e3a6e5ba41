import { element } from '../elements.js';
import { Feed } from './feed.js';
import { Filters } from './filters.js';
import { KeysetList } from './keyset-list.js';

/**
 * A page of the entries that `path` answers, the newest first, narrowed by filters. `entry` makes the mark, the text and
 * the rest of one; `nothing` makes what stands in the place of an empty list. Both get the filters.
 */
export function openFeed(context, query, { title, about, route, path, choices, entry, nothing }) {
    const filters = new Filters(context, { route, query, choices, onChange: () => list.show() });
    const feed = new Feed(each => entry(each, filters));
    const list = new KeysetList({
        ask: async after => {
            const query = { ...filters.query, ...after && { after } };
            return (await Promise.all([context.api('GET', path, { query }), filters.readProjects()]))[0];
        },
        into: feed.element, rows: feed.rows, more: 'Show older', nothing: () => nothing(filters),
    });
    filters.begin();
    list.show();
    const page = element('div', { class: 'sheet narrow' }, element('h1', { text: title }),
        element('p', { class: 'muted', text: about }), filters.element, list.element);
    return { element: page, title, close: () => [filters, list].forEach(each => each.close()) };
}
