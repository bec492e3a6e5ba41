import { element, empty } from '../elements.js';
import { markOf } from '../admin/feed.js';
import { openFeed } from '../admin/feed-page.js';
import { singular, words } from '../fields/names.js';
import { calledOf, pathOf } from '../people/names.js';
import { reasonText } from '../unsent/reasons.js';

/** Edits that the server did not take, of everybody: ids and codes. The values are only for whoever wrote them. */
export const open = (context, { query = {} }) => openFeed(context, query, {
    title: 'Lost edits',
    about: 'What the server did not take, from whom and why. The values are not here: whoever wrote them finds them '
        + 'under “Unsent”, for 30 days.',
    route: '/lost', path: '/admin/rejected/',
    entry: (entry, filters) => ({ mark: markOf(calledOf(entry)), text: text(entry), more: more(entry, filters) }),
    nothing: filters => empty('No lost edits', Object.keys(filters.query).length > 0
        ? 'None of this user and project. Nothing has been refused here within the last 30 days.'
        : 'Everything that devices have sent within the last 30 days was taken.'),
});

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
    element('code', { text: code }),
    // A row of no project that its author is a member of.
    project && [' · project ', element('a', { href: `#/lost?${new URLSearchParams({ project })}`, title: project },
        element('bdi', { text: filters.projectName(project) ?? project }))],
    batch && [' · batch ', element('code', { text: batch })],
];
