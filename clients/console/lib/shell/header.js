import { element, fill, withoutTurns } from '../elements.js';
import { FIRST, PAGES } from '../pages.js';
import { notifyError } from '../notices.js';
import { pathTo } from '../routes.js';
import { mark } from './mark.js';
import { SyncState } from './sync-state.js';
import { themeButton } from './theme.js';

/** Where one is, the links to other pages, how the sync goes, and the way out. */
export class Header {
    constructor(context) {
        this.context = context;
        this._sync = new SyncState(context);
        this._links = element('nav', { class: 'links', 'aria-label': 'Pages' });
        this._user = element('span', { class: 'user', dir: 'auto' });
        this.element = element('header', { class: 'top' },
            element('a', { class: 'home', href: `#${FIRST}` }, mark(), element('span', { text: 'Tidemark' })),
            this._links,
            element('div', { class: 'end' }, this._sync.element, themeButton(), this._user,
                element('button', { class: 'quiet sign-out', text: 'Sign out', onclick: () => leave(context) })));
        this._stops = [
            context.onState(({ user }) => this._showUser(user)),
            context.onSuperuser(() => this._showLinks()),
        ];
    }

    /** Marks the page of the route, and links the pages of its project. */
    showRoute(found) {
        this._found = found;
        this._showLinks();
    }

    _showLinks() {
        const [found, project] = [this._found, this._found?.parameters.project];
        const shown = PAGES.filter(({ place }) => place === 'top' || (place === 'project' && project));
        this._stopName?.();
        this._name = element('span', { class: 'project-name', dir: 'auto' });
        if (project) this._stopName = this._follow(project);
        const links = place => shown.filter(page => page.place === place).map(page => this._link(page, found));
        fill(this._links, links('top'), this.context.isSuperuser && serverLink(found),
            project && this._name, links('project'));
        this._links.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }

    stop() {
        this._stops.forEach(stop => stop());
        this._stopName?.();
        this._sync.stop();
    }

    _link(page, found) {
        const path = page.path?.(found?.parameters ?? {}) ?? pathTo(page.route, found?.parameters ?? {});
        const isHere = found?.page === page;
        return element('a', { href: `#${path}`, text: page.text, 'aria-current': isHere && 'page' });
    }

    /** The name is there as soon as a first sync has brought it. */
    _follow(project) {
        return this.context.tidemark.live('projects', { project, unsettled: true }, ([row]) => {
            this._name.textContent = this._name.title = withoutTurns(row?.name ?? project);
        });
    }

    _showUser(user) {
        this._user.textContent = withoutTurns(user ? user.display_name || user.username : '');
        this._user.title = withoutTurns(user?.username ?? '');
    }
}

/** One link for all pages for superusers; beside each of them are the others. */
const serverLink = found => element('a', {
    href: `#${PAGES.find(({ place }) => place === 'server').route}`, text: 'Server',
    'aria-current': found?.page.isForSuperusers && 'true',
});

/** What this takes comes after the first pages. */
const leave = context => import('./sign-out.js').then(({ signOut }) => signOut(context), notifyError);
