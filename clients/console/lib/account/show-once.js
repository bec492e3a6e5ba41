import { openDialog } from '../dialog.js';
import { element } from '../elements.js';
import { notify } from '../notices.js';

/** Shows a secret that nobody can read again, with a way to copy it. Resolves when it is closed. */
export function showOnce({ title, text, label, secret }) {
    return new Promise(resolve => {
        const shown = element('input', { readonly: true, value: secret, class: 'mono', 'aria-label': label });
        const copy = async () => {
            shown.select();
            await navigator.clipboard?.writeText(secret).then(() => notify('Copied.'), () => {});
        };
        openDialog({ title, onClose: resolve }, element('p', { text }), shown,
            element('form', { method: 'dialog', class: 'actions' },
                element('button', { type: 'button', text: 'Copy', onclick: copy }),
                element('button', { class: 'primary', text: 'Done' })));
        shown.select();
    });
}
