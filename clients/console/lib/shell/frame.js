import { UndoBars } from '../edit/undo/bars.js';
import { element, fill } from '../elements.js';
import { Header } from './header.js';
import { onlineOnlyBanner } from './online-only.js';
import { Router } from './router.js';
import { ServerPages } from './server-pages.js';
import { SignIn } from './sign-in.js';
import { sessionBanner } from './session-banner.js';

/** The sign-in page for nobody's copy; header and pages for a user's. Follows what happens in other windows. */
export class Frame {
    _view = null;

    /** `signIn` is the page to sign in that is shown already, if one is. */
    constructor(root, context, { isOnlineOnly = false, signIn = null }) {
        Object.assign(this, { root, context, isOnlineOnly, _shown: signIn });
    }

    show() {
        this.context.onState(({ user }) => this._showFor(user?.id ?? null));
    }

    _showFor(user) {
        if (this._view?.user === user) return;
        const before = this._view;
        before?.end();
        // Where one user was is nothing to the next one.
        if (before && user === null) this.context.replace('/');
        this._view = { user, ...(user === null ? this._signIn() : this._pages()) };
    }

    _signIn() {
        document.title = 'Sign in · Tidemark';
        if (!this._shown) {
            const page = new SignIn(this.context);
            fill(this.root, page.element);
            page.focus();
        }
        this._shown = null;
        return { end() {} };
    }

    _pages() {
        const outlet = element('main', { id: 'page', tabindex: -1 });
        const header = new Header(this.context);
        const banner = sessionBanner(this.context);
        const serverPages = new ServerPages(this.context);
        const bars = new UndoBars(this.context);
        const router = new Router(this.context, outlet, found => [header, serverPages].forEach(each =>
            each.showRoute(found)));
        fill(this.root, header.element, this.isOnlineOnly && onlineOnlyBanner(), banner.element,
            element('div', { class: 'beside' }, serverPages.element, outlet));
        router.start();
        return { end: () => [router, header, serverPages, banner, bars].forEach(each => each.stop()) };
    }
}
