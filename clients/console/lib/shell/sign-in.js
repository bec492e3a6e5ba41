import { ask } from '../dialog.js';
import { element, fill } from '../elements.js';
import { mark } from './mark.js';
import { themeButton } from './theme.js';

const WAYS = {
    password: {
        other: 'token', otherText: 'Use an access token instead',
        fields: name => [
            field('Name', { name: 'username', autocomplete: 'username', required: true, value: name }),
            field('Password', {
                name: 'password', type: 'password', autocomplete: 'current-password', required: true,
            }),
        ],
    },
    token: {
        other: 'password', otherText: 'Use name and password instead',
        fields: () => [
            field('Personal access token', {
                name: 'token', type: 'password', autocomplete: 'off', required: true, spellcheck: 'false',
            }),
        ],
    },
};

/** Asks for a name and a password, or for a personal access token. `context` may be a promise. */
export class SignIn {
    constructor(context, { onDone = () => {} } = {}) {
        Object.assign(this, { context, onDone });
        this._problem = element('p', { class: 'form-problem', role: 'alert' });
        this.form = element('form', { class: 'sign-in', onsubmit: event => this._submit(event) });
        this.element = element('div', { class: 'sign-in-page' },
            element('main', { class: 'card', id: 'page' },
                element('div', { class: 'card-head' }, mark(), element('h1', { text: 'Tidemark' }), themeButton()),
                this.form),
            element('p', { class: 'muted', text: location.host }));
        this._choose('password');
    }

    focus() {
        const inputs = [...this.form.querySelectorAll('input')];
        (inputs.find(input => !input.value) ?? inputs[0]).focus();
    }

    _choose(way) {
        this._problem.textContent = '';
        const { fields, other, otherText } = WAYS[way];
        this._button = element('button', { class: 'primary', text: 'Sign in' });
        fill(this.form, fields(this.context.state?.user?.username ?? ''), this._problem, this._button,
            element('button', {
                type: 'button', class: 'link', text: otherText, onclick: () => {
                    this._choose(other);
                    this.focus();
                },
            }));
    }

    async _submit(event) {
        event.preventDefault();
        const credentials = Object.fromEntries(new FormData(this.form));
        if (credentials.token) credentials.token = credentials.token.trim();
        this._button.disabled = true;
        this._problem.textContent = '';
        try {
            if (await this._signIn(await this.context, credentials)) this.onDone();
        } catch (error) {
            this._problem.textContent = problemText(error);
            this.focus();
        } finally {
            this._button.disabled = false;
        }
    }

    /** False if the user rather keeps the unsent edits of the copy that is here. */
    async _signIn({ tidemark, state }, credentials) {
        try {
            await tidemark.signIn(credentials);
            return true;
        } catch (error) {
            if (error.code !== 'unsent_edits') throw error;
            const title = `This browser has unsent edits of ${state.user?.username ?? 'another user'}`;
            if (!await ask({ title, text: error.detail, action: 'Discard them and sign in' })) return false;
            await tidemark.signIn({ ...credentials, discard: true });
            return true;
        }
    }
}

/** The server's sentences speak to programs where the credentials are wrong or nobody answers. */
function problemText({ status, code, detail }) {
    if (status === 401 && code !== 'clock_off') return 'That is not right. Check what you typed.';
    if (status === 0 || code === 'network') return 'The server can\'t be reached. Check the network, and try again.';
    return detail ?? 'Something went wrong. Try again.';
}

function field(label, options) {
    return element('label', { class: 'field' }, element('span', { text: label }), element('input', options));
}
