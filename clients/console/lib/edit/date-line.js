import { element, icon } from '../elements.js';
import { dates } from '../fields/dates.js';
import { instantText } from '../fields/format.js';
import { inputText, localText } from '../fields/parse.js';
import { Line } from './line.js';

const CALENDAR = 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.5v3M10.5 2.5v3';

/** A line for a date, or for an instant. It says in words what it understands while one types, and has a calendar. */
export class DateLine extends Line {
    constructor(field, value, { start = null, ...attributes } = {}) {
        super(field, value, { start, class: 'date', ...attributes });
        this._words = element('output', { class: 'understood muted' });
        this._calendar = element('input', {
            type: 'date', class: 'calendar', tabindex: -1, 'aria-hidden': 'true', max: '9999-12-31',
            onchange: () => this._pick(),
        });
        this.element = element('div', { class: 'date-line' },
            element('div', { class: 'date-box' }, this.input, this._calendar, element('button', {
                type: 'button', class: 'quiet round', tabindex: -1, title: 'Calendar (Alt+↓)',
                'aria-label': 'Calendar', onclick: () => this._open(),
            }, icon(CALENDAR))), this._words);
        this.input.addEventListener('input', () => this._say());
        this.input.addEventListener('keydown', event => this._key(event));
        this._say();
    }

    settle(value) {
        super.settle(value);
        this._say();
    }

    /** What was typed, in words; nothing for what is not understood yet, and for what was there. */
    _say() {
        const { value } = this.isChanged ? this.read() : {};
        this._words.textContent = value === null || value === undefined ? ''
            : this.field.kind === 'date' ? dates.inWords(value) : instantText(value);
    }

    _key(event) {
        if (event.key !== 'ArrowDown' || !event.altKey) return;
        event.preventDefault();
        this._open();
    }

    _open() {
        const { value } = this.read();
        this._calendar.value = value ? this._dateOf(value) : '';
        try {
            this._calendar.showPicker();
        } catch {
            // A browser without a calendar of its own: one types.
            this.input.focus();
        }
    }

    _pick() {
        const date = this._calendar.value;
        if (!date) return;
        this.input.value = this.field.kind === 'date' ? inputText(this.field, date) : `${date} ${this._time()}`;
        this._say();
        this.input.focus();
    }

    _dateOf(value) {
        return this.field.kind === 'date' ? value : localText(value).slice(0, 10);
    }

    _time() {
        const { value } = this.read();
        return value ? localText(value).slice(11) : '00:00';
    }
}
