import { element, fill } from '../elements.js';
import { ROLES } from '../fields/catalog.js';

const MEMBER = 100;

/** Adds a member by the name of the account. Known users are suggested; an admin may add anybody by the exact name. */
export class AddMember {
    /** `members` are the ids of the present ones. `onAdd(user, role)` adds. */
    constructor({ calls, onAdd }) {
        Object.assign(this, { calls, onAdd });
        this._known = element('datalist', { id: 'known-users' });
        this._name = element('input', {
            id: 'new-member', name: 'member', list: 'known-users', autocomplete: 'off', autocapitalize: 'none',
            spellcheck: 'false',
            'aria-describedby': 'new-member-problem', onfocus: () => this._suggest(),
        });
        this._role = element('select', { id: 'new-member-role' });
        this._problem = element('p', { class: 'form-problem', id: 'new-member-problem', role: 'alert' });
        this._button = element('button', { class: 'primary', text: 'Add' });
        this.element = element('form', { class: 'add-member', onsubmit: event => this._add(event) },
            element('div', { class: 'field' }, element('label', { for: 'new-member', text: 'User name' }), this._name,
                this._known),
            element('div', { class: 'field' }, element('label', { for: 'new-member-role', text: 'Role' }), this._role),
            this._button, this._problem);
    }

    /** `roles` can be granted. With none, there is nothing to add. */
    show({ roles, members }) {
        this.members = members;
        this.element.hidden = roles.length === 0;
        if (this._role.options.length === roles.length) return;
        fill(this._role, roles.map(role =>
            element('option', { value: role, text: ROLES.get(role), selected: role === MEMBER })));
    }

    async _suggest() {
        if (this._isAsked) return;
        this._isAsked = true;
        try {
            const users = (await this.calls.known()).filter(({ id }) => !this.members.has(id));
            fill(this._known, users.map(({ username, display_name: name }) =>
                element('option', { value: username, label: name || username })));
        } catch {
            // Without suggestions one types the name.
            this._isAsked = false;
        }
    }

    async _add(event) {
        event.preventDefault();
        const username = this._name.value.trim();
        this._say('');
        if (username === '') return this._say('Write the name of an account.');
        this._button.disabled = true;
        try {
            const user = await this.calls.find(username);
            if (!user) this._say(`There is no account “${username}” that you may add.`);
            else if (this.members.has(user.id)) this._say(`“${username}” is a member already.`);
            else {
                await this.onAdd(user, Number(this._role.value));
                this._name.value = '';
            }
        } catch (error) {
            this._say(error.detail ?? String(error));
        } finally {
            this._button.disabled = false;
        }
        return this._name.focus();
    }

    _say(text) {
        this._problem.textContent = text;
        this._name.setAttribute('aria-invalid', String(text !== ''));
        if (text) this._name.focus();
    }
}
