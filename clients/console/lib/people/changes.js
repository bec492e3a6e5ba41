import { element } from '../elements.js';
import { change } from '../admin/change.js';
import { consequences, formDialog } from '../admin/form-dialog.js';
import { notify } from '../notices.js';
import { calledOf, calledText } from './names.js';

// Changes of an account at its path of the API. Each resolves to null if the user has left its dialog.

export function rename(context, account, path) {
    return formDialog({
        title: ['Rename ', calledText(account)], action: 'Rename',
        work: ({ name }) => change(context, 'PATCH', path, { body: { display_name: name } }),
    },
    element('p', { class: 'muted' }, 'Others see this name, in all projects. The user name ',
        element('bdi', { text: account.username }), ' stays.'),
    element('label', { class: 'field' }, element('span', { text: 'Display name' }), element('input', {
        name: 'name', value: account.display_name, required: true, maxlength: 255, dir: 'auto', autocomplete: 'off',
        autofocus: true,
    })));
}

export async function disable(context, account, path) {
    const done = await formDialog({
        title: ['Disable ', calledText(account), '?'], action: 'Disable', isDangerous: true,
        work: () => change(context, 'PATCH', path, { body: { is_disabled: true } }),
    }, consequences(...whatDisablingDoes(account)));
    if (done) notify(`“${calledOf(account)}” is disabled.`);
    return done;
}

export async function remove(context, account, path) {
    const done = await formDialog({
        title: ['Remove ', calledText(account), '?'], action: 'Remove', isDangerous: true,
        work: () => change(context, 'DELETE', path),
    }, consequences(...whatRemovingDoes(account)));
    if (done) notify(`“${calledOf(account)}” is removed from all projects, and disabled.`);
    return done;
}

export const whatDisablingDoes = ({ sessions, tokens }) => [
    sessions.length > 0 ? `${counted(sessions.length, 'session ends', 'sessions end')} at once.`
        : 'Nobody can sign in to it.',
    tokens.length > 0 && `${counted(tokens.length, 'access token is', 'access tokens are')} refused, until the `
        + 'account is enabled again.',
    'Rows, memberships and the history stay. What is unsent on devices waits there.',
    'You can enable the account again.',
];

export const whatRemovingDoes = ({ sessions, tokens, memberships }) => [
    memberships.length > 0 && `${counted(memberships.length, 'membership ends', 'memberships end')}: the projects go `
        + 'from their devices, and they are taken out of tasks and risks.',
    sessions.length + tokens.length > 0
        && `${counted(sessions.length + tokens.length, 'session or token is', 'sessions and tokens are')} revoked.`,
    'The account is disabled, and loses its password. Its name stays taken.',
    'What they wrote stays, with their name in the history.',
    'Enabling the account later brings back neither memberships nor credentials.',
];

const counted = (count, one, many) => `${count.toLocaleString()} ${count === 1 ? one : many}`;
