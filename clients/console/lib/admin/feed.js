import { element } from '../elements.js';
import { initials } from '../grid/cell.js';
import { instant } from '../times.js';
import { dayText } from './days.js';

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** Rows for a list of what happened, the newest first, under the day of each. Keeps in mind which day is there. */
export class Feed {
    _day = null;

    /** `entry` makes an element's parts of a result: `{ mark, text, more }`. */
    constructor(entry) {
        this.entry = entry;
        this.element = element('ol', { class: 'feed' });
    }

    rows = (results, isFirst) => {
        if (isFirst) this._day = null;
        return results.map(result => this._row(result));
    };

    _row(result) {
        const day = dayText(result.at);
        const isNew = day !== this._day;
        this._day = day;
        const { mark, text, more } = this.entry(result);
        return element('li', {}, isNew && element('h2', { text: day }),
            element('div', { class: 'feed-entry' }, mark,
                element('div', { class: 'feed-text' }, element('p', {}, text),
                    more && element('p', { class: 'muted small' }, more)),
                instant(result.at, TIME)));
    }
}

/** The mark of somebody, or of a command. */
export const markOf = (name, isCommand = false) => (isCommand
    ? element('span', { class: 'initials command', 'aria-hidden': 'true', text: '>_' }) : initials(name));
