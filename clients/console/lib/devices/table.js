import { cardTable } from '../card-table.js';
import { ask } from '../dialog.js';
import { chip, element, empty } from '../elements.js';
import { notify } from '../notices.js';
import { instant } from '../times.js';
import { worded } from '../online.js';
import { concernOf, lagOf, lagText, worstFirst } from './lag.js';

/**
 * Devices: of one user the one that was seen last first, of all users the worst first. `onForgotten` is called after one
 * was forgotten.
 */
export function deviceTable(context, devices, { withUser = false, onForgotten }) {
    if (devices.length === 0) return empty('No device yet', 'Whatever syncs appears here.');
    const sorted = [...devices].sort(withUser ? worstFirst : lastSeenFirst);
    const heads = ['Device', 'Version', 'Last seen', 'Behind', 'Copy', 'Last problem', ''];
    return cardTable('Devices', withUser ? ['User', ...heads] : heads, sorted.map(device => {
        const cells = row(context, device, onForgotten);
        return withUser ? [element('td', { dir: 'auto', text: device.username }), ...cells] : cells;
    }));
}

const lastSeenFirst = (one, other) => other.last_seen.localeCompare(one.last_seen);

function row(context, device, onForgotten) {
    const name = device.device_name || device.device_id;
    return [
        element('th', { scope: 'row', dir: 'auto', title: device.device_id, text: name }),
        element('td', { dir: 'auto', text: device.app_version ?? '' }),
        element('td', {}, instant(device.last_seen)),
        element('td', {}, chip(lagText(lagOf(device)), concernOf(device))),
        element('td', {}, digestChip(device.digest)),
        element('td', {}, device.last_error && [
            element('code', { text: device.last_error }), ' ', instant(device.last_error_at),
        ]),
        element('td', { class: 'number' }, element('button', {
            class: 'quiet', text: 'Forget', 'aria-label': `Forget ${name}`,
            onclick: () => forget(context, device, name, onForgotten),
        })),
    ];
}

function digestChip(digest) {
    if (digest === 'same') return chip('same as the server\'s', 'good');
    return digest === 'differs' ? chip('differs', 'bad') : '';
}

async function forget(context, device, name, onForgotten) {
    const text = 'It is listed again when it syncs again. To lock it out, revoke its token or change the password.';
    if (!await ask({ title: `Forget ${name}?`, text, action: 'Forget' })) return;
    try {
        const path = `/devices/${encodeURIComponent(device.device_id)}/`;
        await context.api('DELETE', path, { query: { ...context.isSuperuser && { user: device.user_id } } });
    } catch (error) {
        notify(worded(error).detail ?? String(error), 'bad');
    }
    onForgotten();
}
