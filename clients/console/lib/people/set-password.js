import { element } from '../elements.js';
import { showOnce } from '../account/show-once.js';
import { change } from '../admin/change.js';
import { consequences, formDialog } from '../admin/form-dialog.js';
import { notify } from '../notices.js';
import { calledOf, calledText } from './names.js';
import { chosenPassword, passwordChoice } from './password-choice.js';

/** Sets the password of somebody else's account. Resolves to the account, or null if nothing was done. */
export async function setPassword(context, account) {
    const done = await formDialog({
        title: ['Set a password for ', calledText(account)], action: 'Set the password',
        work: values => set(context, account, values),
    },
    consequences('All sessions of the account end at once. Unsent edits stay on the devices until they sign in again.',
        'You have to tell the new password to whoever uses the account.'),
    passwordChoice(['generated', 'typed']),
    account.tokens.length > 0 && element('label', { class: 'check' },
        element('input', { type: 'checkbox', name: 'revoke' }), 'Revoke the access tokens, too'));
    if (done === null) return null;
    if (done.isNew) await showPassword(account, done.password);
    else notify(`The password of “${calledOf(account)}” is set.`);
    return done.account;
}

/** A password that was generated, for whoever hands it on. */
export const showPassword = (account, password) => showOnce({
    title: `The password of “${account.username}”`, label: 'The password', secret: password,
    text: 'Hand it on now, in a way that nobody else can read. It is not shown again. Whoever gets it can change it '
        + 'under “Account”.',
});

async function set(context, { id }, values) {
    const chosen = chosenPassword(values);
    const body = { password: chosen.password, revoke_tokens: values.revoke === 'on' };
    return { ...chosen, account: await change(context, 'PUT', `/admin/users/${id}/password/`, { body }) };
}
