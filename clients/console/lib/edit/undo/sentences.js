import { listed } from '../../fields/names.js';
import { Names } from '../../fields/row-name.js';
import { reasonText } from '../../unsent/reasons.js';
import { quoted } from './words.js';

// Reports and deletions as sentences.

/** What an undo or redo did: `{ text, isWhole }`. */
export function reportText({ name, isRedo, rows, left }, catalog) {
    const names = new Names(catalog, () => undefined);
    const done = `${isRedo ? 'Done again' : 'Taken back'}: ${name}.`;
    if (left.length === 0) return { text: done, isWhole: true };
    const begin = rows.length > 0 ? `${done} But ` : `Not ${isRedo ? 'done again' : 'taken back'}: ${name}. `;
    const reasons = [...new Set(left.map(({ why }) => why))].map(why =>
        sentence(left.filter(each => each.why === why), catalog, names));
    return { text: begin + joined(reasons, rows.length > 0), isWhole: false };
}

/** Behind “But”, a sentence goes on. */
const joined = ([first, ...rest], isGoingOn) => [isGoingOn ? first : capital(first), ...rest.map(capital)].join(' ');
const capital = text => text[0].toUpperCase() + text.slice(1);

function sentence(left, catalog, names) {
    const [{ collection, fields, row, why, detail }] = left;
    const [is, has, it, its] = left.length === 1 ? ['is', 'has', 'it', 'its id'] : ['are', 'have', 'they', 'their ids'];
    const who = left.length > 1 ? listed(countsOf(left))
        : row ? quoted(names.of(collection, row)) : `the ${catalog.collection(collection)?.singular ?? collection}`;
    const labels = fields.map(name => catalog.collection(collection)?.field(name)?.label ?? name).join(', ');
    switch (why) {
        case 'changed': return left.length === 1
            ? `${labels} of ${who} ${fields.length > 1 ? 'have' : 'has'} another value by now and stays.`
            : `${who} ${has} other values by now and stay.`;
        case 'gone': return `${who} ${is} not there any more.`;
        case 'refused': return `the server had not taken the edit of ${who}: ${reasonText(detail)}`;
        case 'used': return `other rows refer to ${who}, so ${it} stay${left.length === 1 ? 's' : ''}.`;
        case 'hidden': return `rows of others that you can't see refer to ${who}, so ${it} stay${left.length === 1 ? 's' : ''}.`;
        case 'deleted': return `${who} can't come back: ${its} ${left.length === 1 ? 'is' : 'are'} used up. `
            + 'A deletion can be taken back for ten seconds.';
        default: return `${who} could not be changed: ${detail}`;
    }
}

function countsOf(rows) {
    const counts = new Map();
    for (const { collection } of rows) counts.set(collection, (counts.get(collection) ?? 0) + 1);
    return counts;
}

/**
 * What a deletion is about, and what goes with it, as lines. `hidden` are numbers of rows that only the server knows. A
 * row without a name of its own is called as its step calls it.
 */
export function deletionLines({ name, rows, cascade }, catalog, hidden = new Map()) {
    const names = new Names(catalog, () => undefined);
    const [{ collection, row }] = rows;
    const isOne = rows.length === 1;
    const it = isOne ? 'it' : 'them';
    const isNamed = Boolean(catalog.collection(collection)?.nameField) || !name?.startsWith('Delete ');
    const who = isNamed ? quoted(names.of(collection, row)) : capital(name.slice('Delete '.length));
    const { goes = new Map(), cleared = new Map() } = cascade ?? {};
    return [
        `${isOne ? who : listed(countsOf(rows))} ${isOne ? 'is' : 'are'} deleted.`,
        goes.size > 0 && `With ${it} go ${listed(goes)}.`,
        cleared.size > 0 && `${listed(cleared)} will no longer refer to ${it}.`,
        hidden.size > 0 && `${listed(hidden)} of others that you can't see would go, too.`,
    ].filter(Boolean);
}

/** Why the server would refuse a deletion. */
export const blockedText = ({ rows, cascade: { blockers } }, catalog) => {
    const names = new Names(catalog, () => undefined);
    const [{ collection, row }] = rows;
    const who = rows.length === 1 ? quoted(names.of(collection, row)) : listed(countsOf(rows));
    return `${who} can't be deleted: ${listed(blockers)} still need ${rows.length === 1 ? 'it' : 'them'}.`;
};
