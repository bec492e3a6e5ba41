import { openDialog } from '../dialog.js';
import { element } from '../elements.js';
import { textOf } from '../fields/format.js';

/**
 * Asks which value is to stand: the one that somebody else has written while the editor was open, or the user's.
 * Resolves to whether it is the user's.
 */
export async function askWhich(field, theirs, mine, names) {
    // A field tells of its change before the focus has moved on. The dialog gives it back to where it arrives.
    await new Promise(resolve => setTimeout(resolve));
    const line = (label, value) => [element('dt', { text: label }),
        element('dd', { dir: 'auto', text: textOf(field, value, names) || '(nothing)' })];
    return new Promise(resolve => {
        const dialog = openDialog({ title: `${field.label} was changed meanwhile`,
            onClose: way => resolve(way === 'mine') },
            element('p', { text: 'Somebody else wrote another value while you were editing.' }),
            element('dl', {}, line('Theirs', theirs), line('Yours', mine)),
            element('div', { class: 'actions' },
                element('button', { type: 'button', text: 'Keep theirs', onclick: () => dialog.close('theirs') }),
                element('button', { type: 'button', class: 'primary', text: 'Write mine',
                    onclick: () => dialog.close('mine') })));
    });
}
