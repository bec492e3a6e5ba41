import { element } from '../elements.js';

const added = new Map();

/** Adds a style sheet that few pages need. Resolves when it counts. A page is shown also without. */
export function styleSheet(href) {
    if (!added.has(href)) added.set(href, loaded(href));
    return added.get(href);
}

function loaded(href) {
    const link = element('link', { rel: 'stylesheet', href });
    return new Promise(resolve => {
        link.addEventListener('load', resolve);
        link.addEventListener('error', () => {
            // The next page tries again.
            added.delete(href);
            link.remove();
            resolve();
        });
        document.head.append(link);
    });
}
