import { element } from './elements.js';

/**
 * Asks before something is lost. The promise is true if the user chose `action`, false if they left in any other way.
 * The focus is on the way out, and returns to where it was.
 */
export function ask({ title, text, action, way = 'Cancel' }) {
    return new Promise(resolve => {
        const dialog = element('dialog', { class: 'dialog', 'aria-labelledby': 'dialog-title' },
            element('form', { method: 'dialog' },
                element('h2', { id: 'dialog-title', text: title }),
                element('p', { text }),
                element('div', { class: 'actions' },
                    element('button', { value: 'no', autofocus: true, text: way }),
                    element('button', { value: 'yes', class: 'danger', text: action }))));
        dialog.addEventListener('close', () => {
            dialog.remove();
            resolve(dialog.returnValue === 'yes');
        });
        document.body.append(dialog);
        dialog.showModal();
    });
}

/** Opens a dialog with these children. Closes by Escape, by a button with `value`, or by `close()` of the result. */
export function openDialog({ title, onClose = () => {} }, ...children) {
    const heading = element('h2', { text: title });
    const dialog = element('dialog', { class: 'dialog', 'aria-label': title }, heading, ...children);
    dialog.addEventListener('close', () => {
        dialog.remove();
        onClose(dialog.returnValue);
    });
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
}
