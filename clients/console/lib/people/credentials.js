import { chip, element } from '../elements.js';
import { change } from '../admin/change.js';
import { consequences, formDialog } from '../admin/form-dialog.js';
import { calledText } from './names.js';
import { instant } from '../times.js';

/** Sessions and tokens of an account in one table, with a way to revoke each, and all. */
export function credentialTable({ sessions, tokens }, { isOneself, onRevoke, onRevokeAll }) {
    if (sessions.length + tokens.length === 0) {
        return element('p', { class: 'muted', text: 'None. The account is signed in nowhere.' });
    }
    const rows = [
        ...sessions.map(each => row({ ...each, kind: 'Session', may: 'read and write' }, isOneself, onRevoke)),
        ...tokens.map(each => row(
            { ...each, kind: 'Token', may: each.read_only ? 'read' : 'read and write' }, isOneself, onRevoke)),
    ];
    return [
        element('div', { class: 'wide-table', tabindex: 0, role: 'region', 'aria-label': 'Sessions and access tokens' },
            element('table', {},
                element('thead', {}, element('tr', {},
                    ['Kind', 'Name', 'May', 'Began', 'Ends'].map(text => element('th', { scope: 'col', text })),
                    element('th', { scope: 'col' }, element('span', { class: 'unseen', text: 'Revoke' })))),
                element('tbody', {}, rows))),
        element('div', { class: 'actions' }, element('button', {
            class: 'danger', text: 'Revoke all …', 'data-key': 'revoke all', onclick: onRevokeAll,
        })),
    ];
}

function row({ id, kind, name, may, created_at: made, expires_at: end }, isOneself, onRevoke) {
    const isOver = end && new Date(end) < new Date();
    const words = { kind, name: name ?? String(id).slice(0, 8), isOneself };
    return element('tr', {},
        element('td', { text: kind }),
        element('th', { scope: 'row' }, name === undefined ? element('code', { title: id, text: words.name })
            : element('bdi', { text: name })),
        element('td', { text: may }),
        element('td', {}, instant(made)),
        element('td', {}, end ? instant(end) : 'never', ' ', isOver && chip('expired', 'warning')),
        element('td', { class: 'number' }, element('button', {
            class: 'quiet', text: 'Revoke …', 'data-key': `revoke ${id}`, 'aria-label': `Revoke ${words.name}`,
            onclick: () => onRevoke(String(id), words),
        })));
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
