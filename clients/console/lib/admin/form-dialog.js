import { element } from '../elements.js';
import { worded } from '../online.js';

let number = 0;

/**
 * A dialog with fields, a way out, and a button that does something. `work` gets the values of the fields by name. As
 * long as it has not succeeded, the dialog stays, and says why; the `field` of an error gets the focus. Resolves to
 * what `work` has returned; to null if the user has left.
 *
 * With `isDangerous` the focus is on the way out. `title` is text, or a list of texts and elements. `until` is given a
 * function that closes the dialog, and returns one that ends what it began.
 */
export function formDialog({ title, action, work, isDangerous = false, until = () => () => {} }, ...fields) {
    return new Promise(resolve => {
        let result = null;
        const id = `form-dialog-${number += 1}`;
        const trouble = element('p', { class: 'form-problem', role: 'alert' });
        const button = element('button', { class: isDangerous ? 'danger' : 'primary', text: action });
        const submit = async event => {
            event.preventDefault();
            const place = document.activeElement;
            button.disabled = true;
            trouble.textContent = '';
            try {
                result = await work(Object.fromEntries(new FormData(form)), form) ?? true;
                dialog.close();
            } catch (error) {
                trouble.textContent = worded(error).detail ?? String(error);
                button.disabled = false;
                const field = form.elements[error.field] ?? (form.contains(place) ? place : button);
                field.focus();
                field.select?.();
            }
        };
        const form = element('form', { onsubmit: submit, class: 'dialog-form' }, fields, trouble,
            element('div', { class: 'actions' },
                element('button', {
                    type: 'button', autofocus: isDangerous, text: 'Cancel', onclick: () => dialog.close(),
                }), button));
        const dialog = element('dialog', { class: 'dialog', 'aria-labelledby': id },
            element('h2', { id }, title), form);
        const stop = until(() => dialog.close());
        dialog.addEventListener('close', () => {
            stop();
            dialog.remove();
            resolve(result);
        });
        document.body.append(dialog);
        dialog.showModal();
    });
}

/** What will happen, as a list. */
export const consequences = (...texts) =>
    element('ul', { class: 'consequences' }, texts.filter(Boolean).map(text => element('li', {}, text)));
