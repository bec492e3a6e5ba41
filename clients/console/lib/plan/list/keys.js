import { beginsEdit } from '../../grid/input.js';

/** What a key in the list means: `{ name, step }`, or null. `alt` and `shift` are pressed with it or not. */
export function commandOf(event) {
    const { key, code, altKey: alt, shiftKey: shift, ctrlKey, metaKey } = event;
    const step = SIDES[key];
    if (ctrlKey || metaKey) return alt ? null : named(FAR, `${shift ? 'Shift+' : ''}${key}`);
    if (alt && code === 'KeyL') return { name: shift ? 'links' : 'link', step: 0 };
    if (alt) return step ? { name: shift ? 'lengthen' : 'move', step } : shift ? null : named(LIFTED, key);
    if (shift && named(EXTENDED, key)) return named(EXTENDED, key);
    return named(PLAIN, key) ?? beginsEdit(event);
}

const named = (commands, key) => (Object.hasOwn(commands, key) ? commands[key] : null);

const SIDES = { ArrowLeft: -1, ArrowRight: 1 };
const LIFTED = { ArrowUp: { name: 'lift', step: -1 }, ArrowDown: { name: 'lift', step: 1 } };
const PLAIN = {
    ArrowDown: { name: 'go', step: 1 },
    ArrowUp: { name: 'go', step: -1 },
    PageDown: { name: 'page', step: 1 },
    PageUp: { name: 'page', step: -1 },
    Home: { name: 'side', step: -Infinity },
    End: { name: 'side', step: Infinity },
    ArrowRight: { name: 'open', step: 1 },
    ArrowLeft: { name: 'close', step: -1 },
    Delete: { name: 'empty', step: 0 },
    Backspace: { name: 'empty', step: 0 },
    Escape: { name: 'single', step: 0 },
    Insert: { name: 'add', step: 0 },
    ContextMenu: { name: 'menu', step: 0 },
};
const EXTENDED = {
    ArrowDown: { name: 'extend', step: 1 },
    ArrowUp: { name: 'extend', step: -1 },
    ArrowRight: { name: 'extendAside', step: 1 },
    ArrowLeft: { name: 'extendAside', step: -1 },
    Home: { name: 'extendAside', step: -Infinity },
    End: { name: 'extendAside', step: Infinity },
    PageDown: { name: 'extendPage', step: 1 },
    PageUp: { name: 'extendPage', step: -1 },
    Enter: { name: 'add', step: 0 },
    F10: { name: 'menu', step: 0 },
};
const FAR = {
    Home: { name: 'go', step: -Infinity },
    End: { name: 'go', step: Infinity },
    'Shift+Home': { name: 'extend', step: -Infinity },
    'Shift+End': { name: 'extend', step: Infinity },
    Enter: { name: 'show', step: 0 },
    Delete: { name: 'remove', step: 0 },
};

/** For the help. */
export const KEYS = [
    ['Arrows, Page, Home, End', 'Go to another cell; at a name, ← and → also collapse and expand'],
    ['Ctrl Home, Ctrl End', 'Go to the first and to the last row'],
    ['Enter, F2, or typing', 'Edit the cell; at the last row, add a task'],
    ['Enter in a new name', 'Add the next task'],
    ['Tab, Shift Tab in a name', 'Indent, outdent'],
    ['Escape', 'Leave the value as it was'],
    ['Shift Enter, Insert', 'Add a task below'],
    ['Alt ↑ ↓', 'Move the row'],
    ['Alt ← →', 'Move the bar by a working day'],
    ['Shift Alt ← →', 'Make it shorter or longer'],
    ['Alt L', 'Link to another task'],
    ['Shift Alt L', 'Change a link, or delete it'],
    ['Shift and arrows', 'Choose several cells'],
    ['Ctrl C, Ctrl V', 'Copy cells, paste a block'],
    ['Ctrl Enter', 'Open the task'],
    ['Ctrl Delete', 'Delete the task'],
    ['Shift F10', 'What can be done with the row'],
];
