import { element } from '../elements.js';
import { visible } from '../fields/format.js';
import { pathTo } from '../routes.js';

/** What an account is called: its display name or, if nothing of that can be seen, its user name. */
export const calledOf = ({ username, display_name: name }) => visible(name ?? '') || username;

/** The name as text that keeps its direction to itself. */
export const calledText = account => element('bdi', { text: calledOf(account) });

export const pathOf = id => pathTo('/people/:user', { user: id });
