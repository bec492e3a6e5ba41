import { element, fill } from '../elements.js';
import { openDialog } from '../dialog.js';
import { SignIn } from './sign-in.js';

/** Says that the session has ended. The copy and its unsent edits stay until the user is back. */
export function sessionBanner(context) {
    const box = element('div', { role: 'status' });
    let shown = null;
    const stop = context.onState(({ isSignedIn, user, unsent }) => {
        const text = isSignedIn || !user ? '' : bannerText(unsent);
        if (text === shown) return;
        shown = text;
        fill(box, text && element('div', { class: 'banner' },
            element('p', { text }),
            element('button', { text: 'Sign in again', onclick: () => signInAgain(context) })));
    });
    return { element: box, stop };
}

const bannerText = unsent => 'Your session has ended. You see what this browser has kept.'
    + (unsent > 0 ? ` ${unsent} unsent ${unsent === 1 ? 'edit waits' : 'edits wait'} for you.` : '');

function signInAgain(context) {
    const page = new SignIn(context, { onDone: () => dialog.close() });
    const dialog = openDialog({ title: 'Sign in again' }, page.form);
    page.focus();
}
