import { element } from '../elements.js';
import { worded } from '../online.js';
import { formDialog } from './form-dialog.js';
import { trouble } from './trouble.js';

const TEXTS = {
    password: 'This needs your password, given in the last ten minutes. All windows of this browser go on with a new '
        + 'session, and the one until now ends.',
    token: 'You have signed in with an access token. That is not enough for this: sign in with your password. This '
        + 'browser then goes on with a session instead of the token. If your account has no password, use the command '
        + 'line on the server.',
};

let asked = null;

/** Asks for the user's password, and begins a session with it. Resolves to whether it has begun. */
export function passwordGiven(context) {
    // Two changes at once need one password.
    asked ??= ask(context).finally(() => { asked = null; });
    return asked;
}

async function ask(context) {
    const { user: { id, username }, signedInWith } = context.state;
    const isDone = formDialog({
        title: 'Confirm that it is you', action: signedInWith === 'token' ? 'Sign in' : 'Continue',
        work: ({ password }) => begin(context, password),
        // Another window has signed out, or somebody else in.
        until: close => context.onState(({ user }) => user?.id !== id && close()),
    },
    element('p', { text: TEXTS[signedInWith] ?? TEXTS.password }),
    element('label', { class: 'field' }, element('span', { text: 'Name' }),
        element('input', { name: 'username', autocomplete: 'username', value: username, readonly: true })),
    element('label', { class: 'field' }, element('span', { text: 'Password' }), element('input', {
        type: 'password', name: 'password', autocomplete: 'current-password', required: true, autofocus: true,
    })));
    return await isDone !== null;
}

async function begin(context, password) {
    try {
        await context.tidemark.reauthenticate(password);
    } catch (error) {
        if (error.code === 'invalid_credentials') throw trouble(error.code, 'The password is not right.');
        throw worded(error);
    }
    return true;
}
