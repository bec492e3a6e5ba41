/** What a key in the list means: `{ name, step }`, or null. `alt` and `shift` are pressed with it or not. */
export function commandOf({ key, code, altKey: alt, shiftKey: shift, ctrlKey, metaKey }) {
    if (ctrlKey || metaKey) return null;
    const step = SIDES[key];
    if (alt && code === 'KeyL') return { name: 'link', step: 0 };
    if (alt) return step ? { name: shift ? 'lengthen' : 'move', step } : null;
    if (shift && step) return { name: 'pan', step };
    return Object.hasOwn(PLAIN, key) ? PLAIN[key] : null;
}

const SIDES = { ArrowLeft: -1, ArrowRight: 1 };
const PLAIN = {
    ArrowDown: { name: 'go', step: 1 },
    ArrowUp: { name: 'go', step: -1 },
    PageDown: { name: 'page', step: 1 },
    PageUp: { name: 'page', step: -1 },
    Home: { name: 'go', step: -Infinity },
    End: { name: 'go', step: Infinity },
    ArrowRight: { name: 'open', step: 1 },
    ArrowLeft: { name: 'close', step: -1 },
    Enter: { name: 'show', step: 0 },
    '+': { name: 'zoom', step: 1 },
    '-': { name: 'zoom', step: -1 },
    t: { name: 'today', step: 0 },
};

/** For the help. */
export const KEYS = [
    ['↑ ↓', 'Go to another task'],
    ['← →', 'Collapse and expand'],
    ['Alt ← →', 'Move the bar by a working day'],
    ['Shift Alt ← →', 'Make it shorter or longer'],
    ['Alt L', 'Link to another task'],
    ['Enter', 'Open the task'],
    ['Shift ← →', 'Go to earlier and later days'],
    ['+ −', 'Zoom'],
    ['T', 'Go to today'],
];
