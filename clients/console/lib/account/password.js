import { element } from '../elements.js';
import { notify } from '../notices.js';
import { worded } from '../online.js';

/** Changes the password. All sessions of the account end; this browser begins a new one. */
export function passwordForm(context) {
    const trouble = element('p', { class: 'form-problem', role: 'alert' });
    const field = (text, name, autocomplete) => element('label', { class: 'field' },
        element('span', { text }), element('input', { type: 'password', name, autocomplete, required: true }));
    const button = element('button', { text: 'Change password' });
    const submit = async event => {
        event.preventDefault();
        const form = event.currentTarget;
        const { current, next, again } = Object.fromEntries(new FormData(form));
        trouble.textContent = next === again ? '' : 'The two new passwords differ.';
        if (next !== again) return;
        button.disabled = true;
        try {
            await change(context, current, next);
            form.reset();
            notify('The password is changed. All other sessions have ended.');
        } catch (error) {
            trouble.textContent = error.code === 'invalid_credentials'
                ? 'The current password is not right.' : worded(error).detail ?? String(error);
        } finally {
            button.disabled = false;
        }
    };
    return element('form', { class: 'inline-form', onsubmit: submit },
        element('input', {
            type: 'text', name: 'username', autocomplete: 'username', value: context.state.user.username, hidden: true,
        }),
        field('Current password', 'current', 'current-password'),
        field('New password', 'next', 'new-password'),
        field('New password again', 'again', 'new-password'),
        button, trouble);
}

async function change(context, current, next) {
    const body = { current_password: current, new_password: next };
    await context.api('POST', '/auth/password/', { body });
    await context.tidemark.signIn({ username: context.state.user.username, password: next });
}
