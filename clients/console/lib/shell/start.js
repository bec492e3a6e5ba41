import { open } from '../../tidemark/index.js';
import { fill, problem } from '../elements.js';
import { PAGES } from '../pages.js';
import { Context } from './context.js';
import { keepFiles } from './files.js';
import { Frame } from './frame.js';
import { insecurePage } from './insecure.js';

/** Hashes are routes, so this is no link. */
function letSkip() {
    document.querySelector('.skip').addEventListener('click', () => document.getElementById('page')?.focus());
}

/** Opens the copy and shows the console in `root`. */
export async function start(root) {
    letSkip();
    try {
        const tidemark = await open({ url: location.origin, deviceName: 'Console' });
        new Frame(root, new Context(tidemark)).show();
    } catch (error) {
        fill(root, error.code === 'insecure_context' ? insecurePage(location) : problem(error));
        return;
    }
    await keepFiles();
    // The files of all pages, while the network and this build are still there.
    await Promise.all(PAGES.map(page => page.load()));
}
