import { Line } from '../../edit/line.js';
import { openPopover } from '../../edit/popover.js';
import { element } from '../../elements.js';
import { KINDS, linkText } from './words.js';

const LAG = {
    name: 'lag', label: 'Lag', kind: 'integer', type: 'integer', isNumeric: true, isNullable: false, isRequired: true,
    document: { type: 'integer', minimum: -36525, maximum: 36525 },
};

const WRONG = 'link-wrong';

/**
 * Opens a link at `anchor`: which tasks it joins, what is wrong with it, its kind and its lag, and a way to delete it.
 * Whoever may not change it sees what it says. `onGo(id)` leads to a task.
 */
export function openLink(anchor, link, { links, onGo }) {
    const task = node => element('button', {
        class: 'link', text: node.task.name, dir: 'auto', onclick: () => {
            box?.close(false);
            onGo(node.task.id);
        },
    });
    const problem = links.problemOf(link);
    const box = openPopover(anchor, { label: 'Link', kind: 'link-box' },
        element('p', { class: 'link-ends' }, task(link.from), ' → ', task(link.to)),
        problem && element('p', { class: 'link-problem', text: problem }),
        links.can('update') ? formOf(link, links, () => box?.close()) : [
            element('p', { text: linkText(link) }),
            links.whyNot && element('p', { class: 'muted', text: links.whyNot }),
        ]);
    box?.element.querySelector('input[name=lag], input:checked, .danger')?.focus();
    box?.element.querySelector('input[name=lag]')?.select();
}

function formOf(link, links, close) {
    const options = { name: 'lag', id: 'link-lag', 'aria-describedby': WRONG };
    const lag = links.hasLags && new Line(LAG, link.lag, options);
    const wrong = element('p', { class: 'form-problem', id: WRONG, role: 'alert' });
    const save = event => {
        event.preventDefault();
        const kind = form.elements.kind?.value ?? link.kind;
        const { value = link.lag, problem } = lag ? lag.read() : {};
        const why = kind === link.kind ? null : links.whyNotLinked(link.from, link.to, kind);
        wrong.textContent = problem ?? why ?? '';
        if (wrong.textContent) return;
        close();
        links.change(link, { kind, lag: value });
    };
    const form = element('form', { class: 'link-form', novalidate: true, onsubmit: save },
        links.hasKinds && kindChoice(link.kind), lag && lagField(lag), wrong,
        element('div', { class: 'actions' },
            links.can('delete') && element('button', {
                type: 'button', class: 'danger', text: 'Delete', onclick: () => {
                    close();
                    links.remove(link);
                },
            }), element('button', { class: 'primary', text: 'Save' })));
    return form;
}

const kindChoice = chosen => element('fieldset', { class: 'link-kinds' }, element('legend', { text: 'Type' }),
    Object.entries(KINDS).map(([kind, text]) => element('label', {},
        element('input', { type: 'radio', name: 'kind', value: kind, checked: kind === chosen }), text)));

const lagField = lag => element('div', { class: 'field' },
    element('label', { for: 'link-lag', text: 'Lag in working days' }), lag.element,
    element('p', { class: 'muted', text: 'With a minus sign, the two may overlap.' }));
