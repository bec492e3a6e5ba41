import { element, empty, fill, loading, problem } from '../elements.js';
import { FIRST, PAGES } from '../pages.js';
import { matched, routeOf } from '../routes.js';

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
            if (page.isForSuperusers && await this.context.superuser() === false) return notForYou(page);
            const { open } = await page.load();
            return await open(this.context, { ...parameters, query });
        } catch (error) {
            return { element: problem(error, firstLink()), title: 'Problem', close() {} };
        }
    }

    /** Keyboards and screen readers go on at the new page. */
    _put(title, page) {
        document.title = `${title} · Tidemark`;
        fill(this.outlet, page);
        if (!this.outlet.contains(document.activeElement)) this.outlet.focus({ preventScroll: true });
    }

    _close() {
        this._shown?.close();
        this._shown = null;
    }
}

const notForYou = page => ({
    element: empty(`“${page.text}” is for superusers`,
        'Your account is none. Your projects, your account and your unsent edits are all here. If you need more, ask '
        + 'whoever runs this server.', firstLink()),
    title: page.text, close() {},
});

const firstLink = () => element('a', { class: 'button', href: `#${FIRST}`, text: 'All projects' });
