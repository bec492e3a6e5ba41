import { open } from '../../tidemark/index.js';
import { fill, problem } from '../elements.js';
import { PAGES } from '../pages.js';
import { Context } from './context.js';
import { Frame } from './frame.js';
import { openOnlineOnly } from './online-only.js';

// With `merge`, an edit never overwrites what its author has not seen: see README.md, “Tables”.
const OPTIONS = { url: location.origin, deviceName: 'Console', onConflict: 'merge' };

/** Opens the copy and shows the console in `root`. `signIn` is the page that asks already, or null. */
export async function begin(root, signIn) {
    try {
        show(root, await open(OPTIONS), { signIn });
    } catch (error) {
        if (error.code === 'insecure_context') return offerOnlineOnly(root);
        fill(root, problem(error));
        return undefined;
    }
    // What keeps the console for times without a network comes last.
    const kept = await import('./files.js').catch(() => null);
    await kept?.keepFiles();
    // The files of all pages, while the network and this build are still there. What fails is asked for when it is
    // needed.
    const more = [import('./sign-out.js'), import('../edit/undo/later.js')];
    await Promise.allSettled([...PAGES.map(page => page.load()), ...more]);
    return undefined;
}

function show(root, tidemark, options) {
    const context = new Context(tidemark);
    new Frame(root, context, options).show();
    options.signIn?.meet(context);
}

async function offerOnlineOnly(root) {
    const { insecurePage } = await import('./insecure.js');
    const goOn = () => openOnlineOnly(open, OPTIONS)
        .then(tidemark => show(root, tidemark, { isOnlineOnly: true }), error => fill(root, problem(error)));
    fill(root, insecurePage(location, goOn));
}
