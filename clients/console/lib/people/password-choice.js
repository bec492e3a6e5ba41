import { element, fill } from '../elements.js';
import { trouble } from '../admin/trouble.js';
import { generatedPassword } from './generated.js';

// The server's limits: docs/protocol.md, `POST /auth/password/`.
const [LEAST, MOST] = [8, 1024];

const WAYS = new Map([
    ['generated', 'Generate one, and show it to me once'],
    ['typed', 'Type one'],
    ['none', 'None: the account can only use access tokens'],
]);

/** Asks which password an account is to get, as one of these ways. */
export function passwordChoice(ways) {
    const typed = element('div');
    const show = way => fill(typed, way === 'typed' && [
        field('New password', 'password', `At least ${LEAST} characters.`), field('New password again', 'again'),
    ]);
    return element('fieldset', { class: 'choice' }, element('legend', { text: 'Password' }),
        ways.map((way, place) => element('label', { class: 'check' }, element('input', {
            type: 'radio', name: 'way', value: way, checked: place === 0, onchange: () => show(way),
        }), WAYS.get(way))), typed);
}

const field = (text, name, hint) => element('label', { class: 'field' }, element('span', { text }),
    element('input', { type: 'password', name, autocomplete: 'new-password', required: true }),
    hint && element('small', { class: 'muted', text: hint }));

/** The password of the form's values, and whether it has to be shown; null for none. */
export function chosenPassword({ way, password, again }) {
    if (way === 'none') return null;
    if (way === 'generated') return { password: generatedPassword(), isNew: true };
    const { length } = new TextEncoder().encode(password);
    if (length < LEAST || length > MOST || password.includes('\0')) {
        const detail = `A password has at least ${LEAST} characters, and at most ${MOST} bytes.`;
        throw trouble('bad_format', detail, 'password');
    }
    if (again !== password) throw trouble('differ', 'The two passwords differ.', 'again');
    return { password, isNew: false };
}
