import { element, icon } from '../elements.js';
import { visible } from '../fields/format.js';
import { STATE_TEXTS } from './row-model.js';

// Cells of a grid as elements. Text of users only ever becomes text.

/** A cell of `rowModel`. */
export function cell({ kind, text, value, isFixed, isWrong, isUnsent, isServers, isPercent, tone }, column) {
    const classes = ['cell', column.isNumeric && 'number', column.isName && 'name', isWrong && 'wrong',
        isUnsent && 'unsent', isFixed && 'fixed', isServers && 'servers'].filter(Boolean);
    return element('div', {
        class: classes.join(' '), role: 'gridcell', tabindex: -1, 'aria-colindex': column.place + 1,
        'aria-readonly': isFixed && 'true', 'aria-invalid': isWrong && 'true', title: text.length > 24 ? text : null,
    }, content(kind, text, value, { isPercent, tone }));
}

/** What is in a cell: see `cellModel`. */
export function content(kind, text, value, { isPercent, tone }) {
    if (text === '') return null;
    if (kind === 'choice') return element('span', { class: `chip ${tone}`.trim(), text });
    if (kind === 'boolean') return value ? [icon(CHECK, { class: 'icon check' }), unseen(text)] : unseen(text);
    if (kind === 'instant') return element('time', { class: 'text', datetime: value, title: value, text });
    if (kind === 'user') return [initials(text), userText(text)];
    if (isPercent) return [bar(value), element('span', { text })];
    return userText(text);
}

const CHECK = 'M3 8.500l3.500 3.500l6.500-7.500';

const userText = text => (visible(text) === '' ? element('span', { class: 'muted', text: '(blank)' })
    : element('span', { class: 'text', dir: 'auto', text }));
const unseen = text => element('span', { class: 'unseen', text });

const bar = value => element('span', { class: 'bar', 'aria-hidden': 'true' },
    element('span', { style: { width: `${Math.max(0, Math.min(100, value))}%` } }));

/** A disc with the first letters of a name. */
export function initials(name) {
    const letters = name.split(/\s+/).slice(0, 2).map(word => [...word][0] ?? '').join('').toUpperCase();
    return element('span', { class: 'initials', 'aria-hidden': 'true', text: letters });
}

const STATE_ICONS = {
    unsent: 'M8 12.500v-8m-3 3l3-3l3 3', refused: 'M8 4v5m0 2.500v.1', aside: 'M8 4v5m0 2.500v.1',
    synced: 'M6 4l4 4l-4 4',
};

/** The first cell of a row: how it stands, and its menu. */
export function stateCell({ state, name }) {
    const text = STATE_TEXTS[state];
    return element('div', {
        class: `cell state ${state}`, role: 'rowheader', tabindex: -1, 'aria-colindex': 1, title: text,
        'aria-label': `${name}. ${text}. Enter opens what can be done.`,
    }, icon(STATE_ICONS[state]));
}
