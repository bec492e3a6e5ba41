import { chip, element, empty } from '../elements.js';
import { change } from '../admin/change.js';
import { deviceTable } from '../devices/table.js';
import { visible } from '../fields/format.js';
import { notify } from '../notices.js';
import { listed, Online, worded } from '../online.js';
import { instant } from '../times.js';
import { credentialList, revoke, revokeAll } from './credentials.js';
import { disable, remove, rename } from './changes.js';
import { membershipList } from './memberships.js';
import { calledOf, calledText } from './names.js';
import { stateChips } from './page.js';
import { setPassword } from './set-password.js';

/** One account: what is known of it, and what can be changed. */
export function open(context, { user }) {
    const page = new Person(context, user);
    page.account.show();
    return { element: page.element, title: 'Person', close: () => page.close() };
}

class Person {
    constructor(context, id) {
        Object.assign(this, { context, id });
        this.account = new Online(async () => {
            const account = await context.api('GET', this.path()).catch(missing);
            return account ? this._shown(account) : nobody(id);
        });
        this.devices = new Online(async () => {
            const { results } = await listed(context, '/devices/', { user: id });
            if (results.length === 0) return element('p', { class: 'muted', text: 'None: nothing has synced yet.' });
            return deviceTable(context, results, { onForgotten: () => this.devices.show() });
        });
        this.element = element('div', { class: 'sheet' },
            element('nav', { class: 'crumbs', 'aria-label': 'Where this page is' },
                element('a', { href: '#/people', text: 'People' })),
            this.account.element);
    }

    path(rest = '') {
        return `/admin/users/${encodeURIComponent(this.id)}/${rest}`;
    }

    close() {
        this.account.close();
        this.devices.close();
    }

    _shown(account) {
        document.title = `${calledOf(account)} · Tidemark`;
        const isOneself = account.id === this.context.state.user?.id;
        this.devices.show();
        return [
            element('div', { class: 'sheet-head' },
                element('h1', {}, calledText(account)), element('span', { class: 'chips' }, stateChips(account),
                    isOneself && chip('you')),
                element('div', { class: 'head-actions' }, this._actions(account, isOneself))),
            facts(account),
            isOneself && element('p', { class: 'muted' }, 'This is your own account. Change its password under ',
                element('a', { href: '#/account', text: 'Account' }),
                '. Another superuser can disable or remove it.'),
            section('Memberships', membershipList(account)),
            section('Sessions and access tokens', credentialList(account, {
                isOneself, onRevoke: (credential, words) => this._revoke(credential, words),
                onRevokeAll: () => this._do(() => revokeAll(this.context, account, this.path('credentials/'))),
            })),
            section('Devices', this.devices.element),
        ];
    }

    _actions(account, isOneself) {
        const { context } = this;
        const button = (text, work, options = {}) => element('button', {
            text, 'data-key': text, onclick: event => this._do(() => work(event.currentTarget)), ...options,
        });
        return [
            element('a', {
                class: 'button', href: `#/audit?user=${account.id}`, text: 'What they did',
            }),
            button('Rename …', () => rename(context, account, this.path())),
            !isOneself && button('Set a password …', () => setPassword(context, account)),
            !isOneself && (account.is_disabled
                ? button('Enable', target => this._enable(account, target))
                : button('Disable …', () => disable(context, account, this.path()), { class: 'danger' })),
            !isOneself && button('Remove …', () => remove(context, account, this.path()), { class: 'danger' }),
        ];
    }

    async _enable(account, button) {
        button.disabled = true;
        try {
            await change(this.context, 'PATCH', this.path(), { body: { is_disabled: false } });
            notify(`“${calledOf(account)}” can sign in again.`);
        } finally {
            button.disabled = false;
        }
        return true;
    }

    _revoke(credential, words) {
        return this._do(() => revoke(this.context, this.path(`credentials/${encodeURIComponent(credential)}/`), words));
    }

    /** Shows the account again after a change. The focus stays at the button of the same name. */
    async _do(work) {
        try {
            if (await work() === null) return;
        } catch (error) {
            notify(worded(error).detail ?? String(error), 'bad');
        }
        const key = document.activeElement?.dataset.key;
        await this.account.show();
        const again = key && this.element.querySelector(`[data-key="${CSS.escape(key)}"]`);
        if (again) again.focus();
        else if (document.activeElement === document.body) document.getElementById('page')?.focus();
    }
}

function missing(error) {
    if (error.code !== 'not_found') throw error;
    return null;
}

const nobody = id => empty('There is no such account', `No account has the id ${id}.`,
    element('a', { class: 'button', href: '#/people', text: 'All people' }));

function facts({ id, username, display_name: name, has_password: hasPassword, last_seen: seen }) {
    const lost = element('a', { href: `#/lost?${new URLSearchParams({ user: id })}`, text: 'those of this account' });
    const line = (title, ...values) => [element('dt', { text: title }), element('dd', {}, values)];
    return element('dl', { class: 'facts' },
        line('User name', element('bdi', { text: username })),
        line('Display name', element('bdi', { text: visible(name) || '(blank)' })),
        line('Id', element('span', { class: 'number', text: id })),
        line('Password', hasPassword ? 'set' : 'none: the account can only use access tokens'),
        line('Last seen', seen ? instant(seen) : 'never'), line('Lost edits', lost));
}

const section = (title, content) =>
    element('section', { 'aria-label': title }, element('h2', { text: title }), content);
