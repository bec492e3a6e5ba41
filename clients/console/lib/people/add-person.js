import { element } from '../elements.js';
import { change } from '../admin/change.js';
import { formDialog } from '../admin/form-dialog.js';
import { trouble } from '../admin/trouble.js';
import { chosenPassword, passwordChoice } from './password-choice.js';
import { showPassword } from './set-password.js';

/** Adds an account. Resolves to it, or to null if none was added. */
export async function addPerson(context) {
    const done = await formDialog({
        title: 'Add a person', action: 'Add', work: values => add(context, values),
    },
    field('User name', 'The name to sign in with. It can\'t be changed later.', {
        name: 'username', required: true, maxlength: 150, autocapitalize: 'none', spellcheck: 'false', autofocus: true,
    }),
    field('Display name', 'What others see. Without one, the user name.', { name: 'name', maxlength: 255 }),
    passwordChoice(['generated', 'typed', 'none']),
    element('label', { class: 'check' }, element('input', { type: 'checkbox', name: 'superuser' }),
        'Superuser: may do everything, in all projects'));
    if (done === null) return null;
    if (done.isNew) await showPassword(done.account, done.password);
    return done.account;
}

const field = (text, hint, options) => element('label', { class: 'field' }, element('span', { text }),
    element('input', { autocomplete: 'off', dir: 'auto', ...options }),
    element('small', { class: 'muted', text: hint }));

async function add(context, values) {
    const [username, name] = [values.username.trim(), values.name.trim()];
    const chosen = chosenPassword(values);
    const body = {
        username, is_superuser: values.superuser === 'on', ...name && { display_name: name },
        ...chosen && { password: chosen.password },
    };
    try {
        return { ...chosen, account: await change(context, 'POST', '/admin/users/', { body }) };
    } catch (error) {
        throw Object.assign(worded(error, username), { field: 'username' });
    }
}

/** The server's remedy is a command; here it is a button of a page. What it refuses is the name. */
function worded(error, username) {
    if (error.code !== 'not_unique' || !/disabled/.test(error.detail)) return error;
    return trouble(error.code,
        `There is already an account “${username}”, which is disabled. Look for it in the list, and enable it.`);
}
