import { element, fill, problem } from '../elements.js';
import { SignIn } from './sign-in.js';

// All that a new browser needs before it can ask for a name and a password. On a slow line each file counts.

/** Shows the console in `root`. In a new browser nobody has signed in, so that one asks before the rest is there. */
export async function start(root) {
    letSkip();
    const rest = import('./whole.js');
    const signIn = await isNew() ? askEarly(root) : null;
    const begin = await rest.then(whole => whole.begin, () => null);
    if (begin) await begin(root, signIn);
    else fill(root, problem({ detail: UNREACHED }, reload()));
}

const UNREACHED = 'The server can\'t be reached. Check the network, and try again.';
const reload = () => element('button', { text: 'Try again', onclick: () => location.reload() });

/** Whether this browser has neither a copy nor the console's files, by all that can be known. */
async function isNew() {
    if (!isSecureContext || navigator.serviceWorker?.controller) return false;
    const kept = await indexedDB.databases?.().catch(() => null);
    return kept?.length === 0;
}

/** Has `meet`, which is to be told the context when there is one. */
function askEarly(root) {
    let meet;
    const page = new SignIn(new Promise(resolve => { meet = resolve; }));
    fill(root, page.element);
    page.focus();
    return Object.assign(page, { meet });
}

/** Hashes are routes, so this is no link. */
function letSkip() {
    document.querySelector('.skip').addEventListener('click', () => document.getElementById('page')?.focus());
}
