import { element, empty } from '../elements.js';
import { Feed, markOf } from '../admin/feed.js';
import { Filters } from '../admin/filters.js';
import { KeysetList } from '../admin/keyset-list.js';
import { visible } from '../fields/format.js';
import { pathOf } from '../people/names.js';
import { instant } from '../times.js';
import { ACTIONS, actionText, originOf, restOf, sentenceOf } from './sentence.js';

/** What was done to accounts, memberships, projects and the installation: who, what, when, from where. */
export function open(context, { query = {} }) {
    const filters = new Filters(context, {
        route: '/audit', query, choices: ACTIONS.map(action => [action, actionText(action)]),
        onChange: () => list.show(),
    });
    const feed = new Feed(entry => ({
        mark: mark(entry), text: [actor(entry), ' ', sentence(entry, filters)], more: more(entry),
    }));
    const list = new KeysetList({
        ask: async after => {
            const query = { ...filters.query, ...after && { after } };
            return (await Promise.all([context.api('GET', '/admin/audit/', { query }), filters.readProjects()]))[0];
        },
        into: feed.element, rows: feed.rows, more: 'Show older',
        nothing: () => empty('Nothing yet',
            'Changes of accounts, credentials, memberships and projects appear here, and are kept for a year.'),
    });
    filters.begin();
    list.show();
    const page = element('div', { class: 'sheet narrow' }, element('h1', { text: 'Audit' }),
        element('p', { class: 'muted', text: 'Who did what to accounts, memberships, projects and the server, and from '
            + 'where. With a user: what they did, and what was done to their account. Kept for a year.' }),
        filters.element, list.element);
    const close = () => [filters, list].forEach(each => each.close());
    return { element: page, title: 'Audit', close };
}

const mark = ({ actor: { name, user_id: id } }) => markOf(name, id === null);

const actor = ({ actor: { name, user_id: id } }) => userLink(id, name, 'strong');

const userLink = (id, name, tag = 'bdi') => (id === null ? element('strong', {}, element('bdi', { text: name }))
    : element('a', { class: tag, href: `#${pathOf(id)}` }, element('bdi', { text: name })));

const sentence = (entry, filters) =>
    sentenceOf(entry).map(part => (typeof part === 'string' ? part : shown(part, filters)));

function shown({ user, project, name, code, at }, filters) {
    if (user !== undefined) return userLink(user, name);
    if (project !== undefined) {
        const text = visible(name ?? '') || (filters.projectName(project) ?? project);
        const href = `#/audit?${new URLSearchParams({ project })}`;
        return element('a', { href, title: `What was done to ${project}` }, element('bdi', { text }));
    }
    if (at !== undefined) return instant(at);
    return code === undefined ? ['“', element('bdi', { text: visible(String(name)) || '(blank)' }), '”']
        : element('code', { text: code });
}

function more(entry) {
    const rest = restOf(entry).map(([key, value]) =>
        [` · ${key.replaceAll('_', ' ')} `, element('code', { text: value })]);
    return [element('bdi', { text: originOf(entry.actor) }), rest];
}
