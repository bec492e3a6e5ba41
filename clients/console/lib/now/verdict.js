import { element } from '../elements.js';
import { instant } from '../times.js';

/**
 * Whether the server works, in a sentence, and what keeps it from working now or may soon: `causes` of
 * `GET /admin/status/`. An older server tells none; then there is no verdict.
 */
export function verdict(causes) {
    if (!causes) return null;
    const stopping = causes.filter(({ stops }) => stops);
    const kind = stopping.length > 0 ? 'bad' : causes.length > 0 ? 'soon' : 'well';
    return element('section', { class: `verdict ${kind}`, role: 'status', 'aria-label': 'Verdict' },
        element('h2', { text: sentence(stopping.length, causes.length - stopping.length) }),
        causes.length > 0 && element('ul', {}, causes.map(({ detail, remedy, since }) => element('li', {},
            element('strong', { text: detail }), ' ', remedy, ' ',
            element('span', { class: 'since' }, 'Since ', instant(since), '.')))));
}

function sentence(stopping, others) {
    if (stopping > 0) return 'Something does not work.';
    if (others > 0) return 'Everything works. Something needs you soon.';
    return 'Everything works.';
}
