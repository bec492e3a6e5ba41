import { chip, element } from '../elements.js';
import { instant } from '../times.js';
import { pathTo } from '../routes.js';
import { canRepeat, reasonLines, reasonText } from './reasons.js';
import { valueTable } from './values.js';

// Edits that the server did not take, each with what can be done. `look` is `{ catalog, names, actions, present }`:
// `names` and `present` are functions of the edit, which return the names of its project and its row as it is here.

const STATUS = { created: 'New row', updated: 'Edit', deleted: 'Deletion' };

/** A row that waits to be corrected: `edit` is of `tidemark.unsent()`, with `reasons`. */
export function refusedCard(edit, look) {
    const { actions } = look;
    const collection = look.catalog.collection(edit.collection);
    return card(edit, look, 'bad', {
        lines: reasonLines(collection, edit.reasons),
        buttons: [
            element('a', { class: 'button primary', href: rowLink(edit), text: 'Correct' }),
            ...existing(edit),
            element('button', { type: 'button', text: 'Try again', onclick: () => actions.tryAgain() }),
            element('button', { type: 'button', class: 'danger', text: 'Give up …',
                onclick: () => actions.giveUp({ ...edit, isNew: edit.status === 'created' }) }),
        ],
    });
}

/** A copy set aside: `copy` is of `tidemark.setAside()`. */
export function asideCard(copy, look) {
    const { actions, catalog } = look;
    const collection = catalog.collection(copy.collection);
    const lines = copy.reasons.length > 0 ? reasonLines(collection, copy.reasons)
        : [{ label: '', text: reasonText(copy.reason) }];
    return card(copy, look, 'warning', {
        lines, at: copy.at,
        buttons: [
            collection && canRepeat(copy) && element('button', { type: 'button', class: 'primary', text: 'Write again',
                onclick: () => actions.writeAgain(collection, copy) }),
            element('button', { type: 'button', text: 'Copy values', onclick: () => actions.copy(copy.values) }),
            element('button', { type: 'button', text: 'Dismiss', onclick: () => actions.dismiss(copy) }),
        ],
    });
}

/** An edit that waits for the network, or for the next sync. */
export function waitingCard(edit, look) {
    return card(edit, look, '', { lines: [], buttons: [
        element('button', { type: 'button', class: 'quiet', text: 'Give up …',
            onclick: () => look.actions.giveUp({ ...edit, isNew: edit.status === 'created' }) }),
    ] });
}

function card(edit, look, kind, { lines, buttons, at = null }) {
    const collection = look.catalog.collection(edit.collection);
    const names = look.names(edit);
    const name = names.of(edit.collection, { ...edit.values, id: edit.id });
    const hasRow = look.present(edit) !== null;
    return element('article', { class: `edit-card ${kind}`.trim() },
        element('header', {}, chip(STATUS[edit.status], kind),
            element('h3', {}, hasRow ? element('a', { href: rowLink(edit), dir: 'auto', text: name })
                : element('span', { dir: 'auto', text: name })),
            element('span', { class: 'muted', text: collection?.singular ?? edit.collection }), at && instant(at)),
        lines.length > 0 && element('ul', { class: 'reasons' }, lines.map(reason)),
        collection && valueTable(collection, edit, edit.number === undefined ? null : look.present(edit), names),
        element('div', { class: 'actions' }, buttons));
}

const reason = ({ label, text }) => element('li', {}, label && element('strong', { text: `${label}: ` }), text);

const rowLink = ({ collection, id }) => `#${pathTo('/row/:collection/:id', { collection, id })}`;

/** A link to the row that has the key already. */
const existing = ({ collection, reasons }) => reasons.filter(each => each.existing).slice(0, 1).map(each =>
    element('a', { class: 'button', href: rowLink({ collection, id: each.existing }), text: 'Show the other row' }));
