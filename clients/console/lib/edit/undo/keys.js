/** What a key asks for: `undo`, `redo`, or null. */
export function turnOf({ key, ctrlKey, metaKey, altKey, shiftKey }) {
    if (altKey || ctrlKey === metaKey) return null;
    if (key.toLowerCase() === 'z') return shiftKey ? 'redo' : 'undo';
    return key.toLowerCase() === 'y' && ctrlKey && !shiftKey ? 'redo' : null;
}

/** Controls in which nothing is typed, so the browser has nothing to take back in them. */
const NOT_TYPED = ['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit'];

/** Whether the browser's own undo works here: a text is being typed. */
export function isTyping(target) {
    if (target.isContentEditable || target.matches('textarea, select')) return true;
    return target.matches('input') && !NOT_TYPED.includes(target.type);
}
