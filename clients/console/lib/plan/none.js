import { openDialog } from '../dialog.js';
import { element } from '../elements.js';

/**
 * What a plan without tasks says beside its list: how to begin. `show(isEmpty, canAdd)` shows it or not.
 */
export class NoTasks {
    constructor({ onAdd, onPaste, user }) {
        this._text = element('p');
        this._actions = element('div', { class: 'actions' },
            element('button', { class: 'primary', text: 'Add a task', onclick: onAdd }),
            element('button', { text: 'Import', onclick: () => tellImport(user()) }),
            element('button', { text: 'Paste', onclick: onPaste }));
        this.element = element('div', { class: 'plan-none', hidden: true },
            element('h2', { text: 'No tasks yet' }), this._text, this._actions);
    }

    show(isEmpty, canAdd) {
        this.element.hidden = !isEmpty;
        this._actions.hidden = !canAdd;
        this._text.textContent = canAdd ? 'Type one into the list, paste rows from a spreadsheet, or import a plan.'
            : 'As soon as the project has tasks, their plan is here.';
    }
}

/** A plan comes in by a command; over HTTP it can't. */
function tellImport(user) {
    const command = `tidemark import plan.xml --owner ${user} --database plans.db`;
    const dialog = openDialog({ title: 'Import a plan' },
        element('p', { text: 'A plan of Microsoft Project, saved as XML, becomes a project of its own. Whoever runs the '
            + 'server imports it on that machine:' }),
        element('p', {}, element('code', { text: command })),
        element('p', { text: 'It then is in your list of projects, here too.' }),
        element('div', { class: 'actions' },
            element('button', { type: 'button', class: 'primary', text: 'Close', onclick: () => dialog.close() })));
}
