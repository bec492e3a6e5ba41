import { chip, element } from '../elements.js';
import { change } from '../admin/change.js';
import { consequences, formDialog } from '../admin/form-dialog.js';
import { visible } from '../fields/format.js';
import { calledText } from './names.js';
import { instant } from '../times.js';

/** Sessions and tokens of an account in one list, with a way to revoke each, and all. */
export function credentialList({ sessions, tokens }, { isOneself, onRevoke, onRevokeAll }) {
    if (sessions.length + tokens.length === 0) {
        return element('p', { class: 'muted', text: 'None. The account is signed in nowhere.' });
    }
    return [
        element('ul', { class: 'list credentials' },
            sessions.map(each => item({ ...each, kind: 'Session' }, isOneself, onRevoke)),
            tokens.map(each => item({ ...each, kind: 'Token' }, isOneself, onRevoke))),
        element('div', { class: 'actions' }, element('button', {
            class: 'danger', text: 'Revoke all …', 'data-key': 'revoke all', onclick: onRevokeAll,
        })),
    ];
}

function item(credential, isOneself, onRevoke) {
    const { id, kind, name, read_only: isReadOnly, created_at: made, expires_at: end } = credential;
    const isOver = end && new Date(end) < new Date();
    const words = { kind, name: name ?? String(id).slice(0, 8), isOneself };
    return element('li', {},
        element('div', { class: 'who' },
            element('p', {}, name === undefined ? element('code', { class: 'name', title: id, text: words.name })
                : element('bdi', { class: 'name', text: visible(name) || '(blank)' }), ' ',
            chip(kind.toLowerCase(), kind === 'Session' ? 'accent' : ''), ' ', isReadOnly && chip('may only read'), ' ',
            isOver && chip('expired', 'warning')),
            element('p', { class: 'muted small' }, 'since ', instant(made),
                end ? [isOver ? ', expired ' : ', until ', instant(end)] : ', never expires')),
        element('button', {
            class: 'quiet', text: 'Revoke …', 'data-key': `revoke ${id}`, 'aria-label': `Revoke ${words.name}`,
            onclick: () => onRevoke(String(id), words),
        }));
}

/** Asks, and revokes one. */
export const revoke = (context, path, { kind, name, isOneself }) => formDialog({
    title: [`Revoke the ${kind.toLowerCase()} `, element('bdi', { text: name }), '?'], action: 'Revoke',
    isDangerous: true, work: () => change(context, 'DELETE', path),
}, consequences(
    kind === 'Session' ? 'Whoever uses it has to sign in again. What is unsent on the device waits there.'
        : 'Whoever uses it is refused from now on. A token can\'t be brought back.',
    isOneself && 'It is one of your own. If this browser uses it, you have to sign in again.'));

/** Asks, and revokes all. */
export const revokeAll = (context, account, path) => formDialog({
    title: ['Revoke everything of ', calledText(account), '?'], action: 'Revoke all', isDangerous: true,
    work: () => change(context, 'DELETE', path),
}, consequences(
    'All sessions end and all access tokens are refused from now on. Tokens can\'t be brought back.',
    'The account stays enabled: whoever knows its password can sign in again.',
    account.id === context.state.user?.id && 'It is your own account. You have to sign in again here, too.'));
