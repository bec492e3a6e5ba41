import { element } from '../elements.js';

let shown = null;

/**
 * Opens a popover at `anchor`. `back` gets the focus afterwards. Escape and clicks elsewhere close it, and so does
 * `close()` of what it returns. Arrow keys go through what can have the focus.
 */
export function openPopover(anchor, { label, role = 'dialog', kind = '', back = anchor }, ...children) {
    if (shown?.anchor === anchor) return shown.close();
    shown?.close();
    const box = element('div', {
        class: `popover at-anchor ${kind}`.trim(), role, 'aria-label': label,
        onkeydown: event => keyPressed(event, box, close),
    }, ...children);
    const outside = ({ target }) => {
        if (!box.contains(target) && !anchor.contains(target)) close(false);
    };
    const close = (isBack = true) => {
        document.removeEventListener('pointerdown', outside, true);
        box.remove();
        shown = null;
        anchor.removeAttribute('aria-expanded');
        if (isBack) (back.isConnected ? back : document.getElementById('page'))?.focus({ preventScroll: true });
    };
    document.body.append(box);
    place(box, anchor.getBoundingClientRect());
    document.addEventListener('pointerdown', outside, true);
    anchor.setAttribute('aria-expanded', 'true');
    focusable(box)[0]?.focus();
    shown = { anchor, close, element: box };
    return shown;
}

/** Closes what is open, without taking the focus back: the page goes. */
export const closePopover = () => shown?.close(false);

const focusable = box =>
    [...box.querySelectorAll('button:not(:disabled), input:not(:disabled), a[href], [tabindex="0"]')];

function keyPressed(event, box, close) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const stops = focusable(box);
    const here = stops.indexOf(document.activeElement);
    const isOver = event.key === 'Tab' && here === (event.shiftKey ? 0 : stops.length - 1);
    if (event.key === 'Escape' || isOver) close();
    else if (step) stops[(here + step + stops.length) % stops.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
}

/** Below the anchor, or above it, within the window. */
function place(box, { left, top, bottom, right }) {
    const [wide, high] = [document.documentElement.clientWidth, window.innerHeight];
    const { offsetWidth, offsetHeight } = box;
    const from = left + offsetWidth + 8 > wide ? right - offsetWidth : left;
    const below = bottom + 4 + offsetHeight <= high - 4;
    box.style.left = `${Math.max(4, Math.min(from, wide - offsetWidth - 4))}px`;
    box.style.top = `${below ? bottom + 4 : Math.max(4, top - 4 - offsetHeight)}px`;
}
