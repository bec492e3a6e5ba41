import { chip, element, fill } from '../elements.js';
import { Online } from '../online.js';
import { pathTo } from '../routes.js';
import { instant } from '../times.js';

const DELIVERED = {
    row: 'A pull from the beginning has the row.',
    tombstone: 'A pull from the beginning has its id among the deleted ones.',
    nothing: 'A pull from the beginning says nothing of it.',
};

/** Whether a user sees a row, and why: for superusers. The question is in the address, so it can be passed on. */
export function open(context, { query = {} }) {
    const answer = new Online(async () => explanation(await context.api('GET', '/admin/explain/', {
        query: { user: query.user, collection: query.collection, id: query.id },
    })), 'Asking …');
    const page = element('div', { class: 'sheet' },
        element('h1', { text: 'Explain' }),
        element('p', { class: 'muted', text: 'Why does somebody see a row, or not?' }),
        form(context, query), answer.element);
    if (query.user && query.collection && query.id) answer.show();
    return { element: page, title: 'Explain', close: () => answer.close() };
}

function form(context, { user = '', collection = 'tasks', id = '' }) {
    const submit = event => {
        event.preventDefault();
        context.go(`/explain?${new URLSearchParams(new FormData(event.currentTarget))}`);
    };
    const field = (text, options) => element('label', { class: 'field' },
        element('span', { text }), element('input', { required: true, autocomplete: 'off', ...options }));
    return element('form', { class: 'inline-form', onsubmit: submit },
        field('User, by name or id', { name: 'user', value: user }),
        field('Collection', { name: 'collection', value: collection }),
        field('Row id', { name: 'id', value: id }),
        element('button', { class: 'primary', text: 'Explain' }));
}

function explanation({ user, collection, id, project, sees, delivered_as: delivered, reasons }) {
    const row = project && pathTo('/row/:collection/:id', { collection, id });
    return element('section', { 'aria-label': 'Answer' },
        element('h2', {},
            chip(sees ? 'sees it' : 'does not see it', sees ? 'good' : 'bad'), ' ',
            element('span', { dir: 'auto', text: user.display_name }), ' ',
            element(row ? 'a' : 'code', { href: row && `#${row}`, text: `${collection}/${id}` })),
        element('p', { text: DELIVERED[delivered] }),
        element('ol', { class: 'reasons' }, reasons.map(reason)));
}

function reason({ code, detail, commit, by, at }) {
    const when = commit !== null && ['commit ', element('span', { class: 'number', text: commit })];
    const who = by && [' by ', element('span', { dir: 'auto', text: by.display_name })];
    return element('li', {},
        element('p', {}, element('code', { text: code }), ' ', element('span', { dir: 'auto', text: detail })),
        (when || who || at) && element('p', { class: 'muted' }, when, who, at && [', ', instant(at)]));
}
