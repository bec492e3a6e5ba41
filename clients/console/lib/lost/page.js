import { element, empty } from '../elements.js';
import { Feed, markOf } from '../admin/feed.js';
import { Filters } from '../admin/filters.js';
import { KeysetList } from '../admin/keyset-list.js';
import { singular, words } from '../fields/names.js';
import { calledOf, pathOf } from '../people/names.js';
import { reasonText } from '../unsent/reasons.js';

/** Edits that the server did not take, of everybody: ids and codes. The values are only for whoever wrote them. */
export function open(context, { query = {} }) {
    const filters = new Filters(context, { route: '/lost', query, onChange: () => list.show() });
    const feed = new Feed(entry => ({ mark: markOf(calledOf(entry)), text: text(entry), more: more(entry, filters) }));
    const list = new KeysetList({
        ask: async after => {
            const query = { ...filters.query, ...after && { after } };
            return (await Promise.all([context.api('GET', '/admin/rejected/', { query }), filters.readProjects()]))[0];
        },
        into: feed.element, rows: feed.rows, more: 'Show older',
        nothing: () => empty('No lost edits', Object.keys(filters.query).length > 0
            ? 'None of this user and project. Nothing has been refused here within the last 30 days.'
            : 'Everything that devices have sent within the last 30 days was taken.'),
    });
    filters.begin();
    list.show();
    const page = element('div', { class: 'sheet narrow' }, element('h1', { text: 'Lost edits' }),
        element('p', { class: 'muted', text: 'What the server did not take, from whom and why. The values are not '
            + 'here: whoever wrote them finds them under “Unsent”, for 30 days.' }),
        filters.element, list.element);
    const close = () => [filters, list].forEach(each => each.close());
    return { element: page, title: 'Lost edits', close };
}

function text({ user_id: id, username, collection, row_id: row, field, code }) {
    return [
        element('a', { class: 'strong', href: `#${pathOf(id)}` }, element('bdi', { text: username })),
        ' lost an edit of ',
        field === null ? 'the whole ' : ['“', element('bdi', { text: words(field) }), '” of the '],
        `${singular(collection)} `,
        element('a', {
            href: `#/explain?${new URLSearchParams({ user: username, collection, id: row })}`,
            title: 'Does this user see the row, and why?',
        }, element('code', { text: row })),
        `. ${ofOthers(reasonText(code))}`,
    ];
}

/** The reasons speak to whoever wrote the edit. */
const ofOthers = text => text.replace(/^Your /, 'Their ').replace(/^You are /, 'They are ');

const more = ({ project_id: project, code, client_batch_id: batch }, filters) => [
    element('code', { text: code }), ' · project ',
    element('a', { href: `#/lost?${new URLSearchParams({ project })}`, title: project },
        element('bdi', { text: filters.projectName(project) ?? project })),
    batch && [' · batch ', element('code', { text: batch })],
];
