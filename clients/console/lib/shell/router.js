import { element, empty, fill, loading, problem, withoutTurns } from '../elements.js';
import { FIRST, PAGES } from '../pages.js';
import { matched, routeOf } from '../routes.js';
import { styleSheet } from './style-sheet.js';

/** Shows the page of the address in `outlet`, and closes the one before. */
export class Router {
    _shown = null;
    _number = 0;
    _listener = () => this._show();

    constructor(context, outlet, onRoute) {
        Object.assign(this, { context, outlet, onRoute });
    }

    start() {
        addEventListener('hashchange', this._listener);
        this._show();
    }

    stop() {
        removeEventListener('hashchange', this._listener);
        this._number += 1;
        this._close();
    }

    async _show() {
        const { path, query } = routeOf(location.hash);
        if (path === '/' || !path.startsWith('/')) return this.context.replace(FIRST);
        const found = matched(PAGES, path);
        const number = ++this._number;
        this._close();
        if (found?.page.isForSuperusers) await styleSheet('admin.css');
        if (number !== this._number) return undefined;
        this.onRoute(found);
        if (!found) return this._put('Not found', empty('There is no such page', path, firstLink()));
        fill(this.outlet, loading('Loading …'));
        const page = await this._opened(found, query);
        if (number !== this._number) return page.close();
        this._shown = page;
        return this._put(page.title ?? found.page.text, page.element);
    }

    async _opened({ page, parameters }, query) {
        try {
            if (page.isForSuperusers && await this.context.superuser() === false) {
                return notForYou(page, this.context.state.user);
            }
            const { open } = await page.load();
            return await open(this.context, { ...parameters, query });
        } catch (error) {
            return { element: problem(error, firstLink()), title: 'Problem', close() {} };
        }
    }

    /** Keyboards and screen readers go on at the new page. */
    _put(title, page) {
        document.title = withoutTurns(`${title} · Tidemark`);
        fill(this.outlet, page);
        if (!this.outlet.contains(document.activeElement)) this.outlet.focus({ preventScroll: true });
    }

    _close() {
        this._shown?.close();
        this._shown = null;
    }
}

/** Superusers are made where the database is, and by nobody else. */
const notForYou = (page, { username }) => ({
    element: empty(`“${page.text}” is for superusers`,
        [element('bdi', { text: username }), ' can see projects, unsent edits and this account, but not how the server '
            + 'is doing. Whoever runs the server can add a superuser there: ',
        element('code', { text: 'tidemark user add NAME --superuser --password-stdin' })], firstLink()),
    title: page.text, close() {},
});

const firstLink = () => element('a', { class: 'button', href: `#${FIRST}`, text: 'All projects' });
