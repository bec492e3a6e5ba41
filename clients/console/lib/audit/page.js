import { element, empty } from '../elements.js';
import { markOf } from '../admin/feed.js';
import { openFeed } from '../admin/feed-page.js';
import { visible } from '../fields/format.js';
import { pathOf } from '../people/names.js';
import { instant } from '../times.js';
import { ACTIONS, actionText, originOf, restOf, sentenceOf } from './sentence.js';

/** What was done to accounts, memberships, projects and the installation: who, what, when, from where. */
export const open = (context, { query = {} }) => openFeed(context, query, {
    title: 'Audit',
    about: 'Who did what to accounts, memberships, projects and the server, and from where. With a user: what they did, '
        + 'and what was done to their account. Kept for a year.',
    route: '/audit', path: '/admin/audit/', choices: ACTIONS.map(action => [action, actionText(action)]),
    entry: (entry, filters) =>
        ({ mark: mark(entry), text: [actor(entry), ' ', sentence(entry, filters)], more: more(entry) }),
    nothing: () => empty('Nothing yet',
        'Changes of accounts, credentials, memberships and projects appear here, and are kept for a year.'),
});

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
