import { element } from '../elements.js';
import { pathTo } from '../routes.js';

/** Links to the tables of a project, one for each collection. The one that is shown comes into sight. */
export function tabs(catalog, project, collection) {
    const nav = element('nav', { class: 'tabs', 'aria-label': 'Collections' },
        catalog.collections.map(({ name, title }) =>
        element('a', {
            href: `#${pathTo('/plan/:project/:collection', { project, collection: name })}`, text: title,
            'aria-current': name === collection && 'page',
        })));
    requestAnimationFrame(() => {
        const here = nav.querySelector('[aria-current]');
        if (here) nav.scrollLeft = here.offsetLeft - (nav.clientWidth - here.offsetWidth) / 2;
    });
    return nav;
}
