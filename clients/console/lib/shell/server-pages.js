import { element, fill } from '../elements.js';
import { PAGES } from '../pages.js';

/** The pages for superusers, in groups, beside each of them. */
export class ServerPages {
    constructor(context) {
        this.context = context;
        this.element = element('nav', { class: 'server-pages', 'aria-label': 'Server', hidden: true });
        this._stop = context.onSuperuser(() => this._show());
    }

    showRoute(found) {
        this._found = found;
        this._show();
    }

    stop() {
        this._stop();
    }

    _show() {
        const page = this._found?.page;
        this.element.hidden = !page?.isForSuperusers || !this.context.isSuperuser;
        if (this.element.hidden) return;
        fill(this.element, groups().map(([name, pages]) => element('div', { role: 'group', 'aria-label': name },
            element('p', { 'aria-hidden': 'true', text: name }), pages.map(each => link(each, page)))));
        this.element.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
    }
}

function groups() {
    const found = new Map();
    for (const page of PAGES.filter(({ place }) => place === 'server')) {
        if (!found.has(page.group)) found.set(page.group, []);
        found.get(page.group).push(page);
    }
    return [...found];
}

const link = ({ route, text }, page) => element('a', {
    href: `#${route}`, text, 'aria-current': page.route === route ? 'page' : page.under === route && 'true',
});
