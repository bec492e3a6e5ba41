import { cardTable } from '../card-table.js';
import { ask } from '../dialog.js';
import { chip, element } from '../elements.js';
import { notify } from '../notices.js';
import { listed, Online, worded } from '../online.js';
import { instant } from '../times.js';
import { showOnce } from './show-once.js';

const DAY = 86_400_000;
const LIVES = [['30 days', 30], ['90 days', 90], ['a year', 365], ['no expiry', null]];

/** The user's personal access tokens: a list, a way to make one, and a way to revoke each. */
export function tokenList(context) {
    const list = new Online(async () => {
        const { results } = await listed(context, '/auth/tokens/');
        return [results.length > 0 && table(context, results, () => list.show()), form(context, () => list.show())];
    });
    return list;
}

function table(context, tokens, onRevoked) {
    return cardTable('Access tokens', ['Name', 'May', 'Made', 'Expires', ''],
        tokens.map(token => row(context, token, onRevoked)));
}

function row(context, { id, name, read_only: isReadOnly, created_at: made, expires_at: end }, onRevoked) {
    const isOver = end && new Date(end) < new Date();
    return [
        element('th', { scope: 'row', dir: 'auto', text: name }),
        element('td', { text: isReadOnly ? 'read' : 'read and write' }),
        element('td', {}, instant(made)),
        element('td', {}, end ? instant(end) : 'never', ' ', isOver && chip('expired', 'warning')),
        element('td', { class: 'number' }, element('button', {
            class: 'quiet', text: 'Revoke', 'aria-label': `Revoke ${name}`,
            onclick: () => revoke(context, id, name, onRevoked),
        })),
    ];
}

async function revoke(context, id, name, onRevoked) {
    const text = 'Whoever uses this token is refused from now on. This can\'t be undone.';
    if (!await ask({ title: `Revoke ${name}?`, text, action: 'Revoke' })) return;
    try {
        await context.api('DELETE', `/auth/tokens/${id}/`);
    } catch (error) {
        notify(worded(error).detail ?? String(error), 'bad');
    }
    onRevoked();
}

function form(context, onMade) {
    const trouble = element('p', { class: 'form-problem', role: 'alert' });
    const submit = async event => {
        event.preventDefault();
        const made = Object.fromEntries(new FormData(event.currentTarget));
        const days = LIVES[made.life][1];
        const expiry = days && { expires_at: new Date(Date.now() + days * DAY).toISOString() };
        const body = { name: made.name, read_only: made.readOnly === 'on', ...expiry };
        try {
            const { name, token } = await context.api('POST', '/auth/tokens/', { body });
            const text = 'Copy the token now. It is not shown again.';
            showOnce({ title: name, text, label: 'The token', secret: token }).then(onMade);
        } catch (error) {
            trouble.textContent = worded(error).detail ?? String(error);
        }
    };
    return element('form', { class: 'inline-form', onsubmit: submit },
        element('label', { class: 'field' }, element('span', { text: 'Name of a new token' }),
            element('input', { name: 'name', required: true, maxlength: 255, autocomplete: 'off' })),
        element('label', { class: 'field' }, element('span', { text: 'Expires in' }),
            element('select', { name: 'life' }, LIVES.map(([text], value) => element('option', { value, text })))),
        element('label', { class: 'check' }, element('input', { type: 'checkbox', name: 'readOnly' }), 'may only read'),
        element('button', { text: 'Make a token' }), trouble);
}
