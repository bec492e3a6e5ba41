import { chip, element } from '../elements.js';
import { deviceTable } from '../devices/table.js';
import { listed, Online } from '../online.js';
import { passwordForm } from './password.js';
import { tokenList } from './tokens.js';

/** The user's own account: password, tokens, devices. */
export function open(context) {
    const me = new Online(async () => {
        const { username, display_name: name, is_superuser: isSuperuser } = await context.api('GET', '/auth/me/');
        return element('p', { class: 'account-name' },
            element('strong', { dir: 'auto', text: name }), ' ',
            name !== username && element('span', { class: 'muted', dir: 'auto', text: username }), ' ',
            isSuperuser && chip('superuser', 'accent'));
    });
    const tokens = tokenList(context);
    const devices = new Online(async () => {
        const user = context.state.user.id;
        const { results } = await listed(context, '/devices/', { ...context.isSuperuser && { user } });
        return deviceTable(context, results, { onForgotten: () => devices.show() });
    });
    const page = element('div', { class: 'sheet' },
        element('h1', { text: 'Account' }), me.element,
        section('Password', passwordForm(context)),
        section('Access tokens', tokens.element),
        section('Devices', devices.element));
    const parts = [me, tokens, devices];
    for (const part of parts) part.show();
    return { element: page, title: 'Account', close: () => parts.forEach(part => part.close()) };
}

const section = (title, content) =>
    element('section', { 'aria-label': title }, element('h2', { text: title }), content);
