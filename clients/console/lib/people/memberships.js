import { element } from '../elements.js';
import { ROLES } from '../fields/catalog.js';
import { visible } from '../fields/format.js';
import { pathTo } from '../routes.js';

/** The projects of an account, each with a way to its members. */
export function membershipList({ memberships }) {
    if (memberships.length === 0) return element('p', { class: 'muted', text: 'None.' });
    return element('ul', { class: 'list memberships' }, memberships.map(item));
}

const item = ({ project_id: id, project_name: name, role }) => element('li', {},
    element('a', { href: `#${pathTo('/plan/:project/members', { project: id })}` },
        element('bdi', { class: 'name', text: visible(name ?? '') || id }),
        element('span', { class: 'since muted', text: ROLES.get(role) ?? `role ${role}` })));
