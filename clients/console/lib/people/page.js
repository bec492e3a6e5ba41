import { chip, element, empty } from '../elements.js';
import { KeysetList } from '../admin/keyset-list.js';
import { visible } from '../fields/format.js';
import { initials } from '../grid/cell.js';
import { notify } from '../notices.js';
import { instant } from '../times.js';
import { addPerson } from './add-person.js';
import { calledOf, pathOf } from './names.js';
import { searched } from './search.js';

const PAUSE = 250;

/** All accounts: search, and a way to add one. What is searched is in the address. */
export function open(context, { query = {} }) {
    const page = new People(context, query.q ?? '');
    page.list.show();
    return { element: page.element, title: 'People', close: () => page.close() };
}

class People {
    constructor(context, text) {
        Object.assign(this, { context, text });
        const into = element('ul', { class: 'list people' });
        this.list = new KeysetList({
            ask: after => searched(context, this.text, after), into, rows: found => found.map(item),
            nothing: () => (this.text === '' ? empty('Nobody is here yet', '')
                : empty('Nobody is called that', 'Names and display names are searched, in upper and lower case.')),
        });
        const search = element('input', {
            type: 'search', value: text, placeholder: 'Search by name', 'aria-label': 'Search people by name',
            autocomplete: 'off', spellcheck: 'false', oninput: ({ target }) => this._type(target.value),
        });
        this.element = element('div', { class: 'sheet' },
            element('div', { class: 'sheet-head' }, element('h1', { text: 'People' }), search,
                element('button', { class: 'primary', text: 'Add a person …', onclick: () => this._add() })),
            this.list.element);
    }

    close() {
        clearTimeout(this._timer);
        this.list.close();
    }

    _type(text) {
        clearTimeout(this._timer);
        this._timer = setTimeout(() => this._search(text), PAUSE);
    }

    /** The address follows without another page. */
    _search(text) {
        this.text = text.trim();
        const query = this.text && `?${new URLSearchParams({ q: this.text })}`;
        history.replaceState(history.state, '', `#/people${query}`);
        this.list.show();
    }

    async _add() {
        const account = await addPerson(this.context);
        if (account === null) return;
        notify(`“${calledOf(account)}” is added.`);
        this.context.go(pathOf(account.id));
    }
}

function item(account) {
    const { id, username, last_seen: seen } = account;
    const name = calledOf(account);
    return element('li', {}, element('a', { href: `#${pathOf(id)}` },
        initials(name),
        element('span', { class: 'who' }, element('bdi', { class: 'name', text: name }),
            visible(name) !== username && element('bdi', { class: 'muted', text: username })),
        element('span', { class: 'chips' }, stateChips(account)),
        element('span', { class: 'since muted' }, seen ? ['seen ', instant(seen)] : 'never seen')));
}

/** What is special about an account. */
export const stateChips = ({ is_superuser: isSuperuser, is_disabled: isDisabled, has_password: hasPassword }) => [
    isDisabled && chip('disabled', 'bad'), isSuperuser && chip('superuser', 'accent'),
    !hasPassword && chip('no password', ''),
];
