import { element, fill, svg } from '../elements.js';
import { worded } from './figures.js';

const [WIDTH, HEIGHT] = [120, 32];

/** A title, the last value, and a line of the values before it. */
export class Plot {
    values = [];

    constructor({ title, unit }) {
        this.unit = unit;
        this._value = element('span', { class: 'plot-value number' });
        this._line = svg('polyline', { class: 'plot-line' });
        this._area = svg('polygon', { class: 'plot-area' });
        this._greatest = element('span', { class: 'plot-greatest muted number' });
        this.element = element('figure', { class: 'plot' },
            element('figcaption', {}, element('span', { class: 'muted', text: title }), this._value),
            svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
                this._area, this._line),
            this._greatest);
    }

    /** Null is a moment without a value. */
    add(value) {
        this.values = [...this.values, value].slice(-WIDTH);
        this._value.textContent = worded(value, this.unit);
        const known = this.values.filter(each => each !== null);
        const most = Math.max(...known, 0);
        this._greatest.textContent = known.length > 1 ? `at most ${worded(most, this.unit)}` : '';
        this._draw(most || 1);
    }

    _draw(most) {
        const first = WIDTH - this.values.length + 1;
        const points = this.values.flatMap((value, place) =>
            value === null ? [] : [[first + place, HEIGHT - 1 - value / most * (HEIGHT - 2)]]);
        const text = points.map(point => point.map(each => each.toFixed(1)).join(',')).join(' ');
        this._line.setAttribute('points', text);
        const ends = points.length > 1 ? ` ${points.at(-1)[0]},${HEIGHT} ${points[0][0]},${HEIGHT}` : '';
        this._area.setAttribute('points', ends ? text + ends : '');
    }
}

/** Shows the rows of a table, or a sentence if there is none. */
export function showRows(body, rows, columns, nothing) {
    fill(body, rows.length > 0 ? rows
        : element('tr', {}, element('td', { colspan: columns, class: 'muted', text: nothing })));
}
