import { element } from './elements.js';

const SHOWN = 6000;

/** Says what went wrong. */
export const notifyError = error => notify(error.detail ?? String(error), 'bad');

/**
 * Says something in the corner of the page, and to screen readers. With the kind `bad` or `stays` it is there until it
 * is closed. Returns the element.
 */
export function notify(text, kind = '') {
    const notice = element('div', { class: `notice ${kind}`.trim() },
        element('p', { text }),
        element('button', { class: 'quiet', 'aria-label': 'Close', text: '×', onclick: () => notice.remove() }));
    document.getElementById('notices').append(notice);
    if (kind !== 'bad' && kind !== 'stays') setTimeout(() => notice.remove(), SHOWN);
    return notice;
}
