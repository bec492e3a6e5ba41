import { nextOf, startOf } from '../model/days.js';

/** From near to far. `upper` and `lower` are the units of the two lines above the chart. */
export const ZOOMS = {
    day: { name: 'Day', pixels: 36, upper: 'month', lower: 'day' },
    week: { name: 'Week', pixels: 14, upper: 'month', lower: 'week' },
    month: { name: 'Month', pixels: 4, upper: 'year', lower: 'month' },
    quarter: { name: 'Quarter', pixels: 1.25, upper: 'year', lower: 'quarter' },
};

const NAMES = Object.keys(ZOOMS);
const MARGIN = 400;

/** Where days are, in pixels from the left end of the chart. */
export class TimeScale {
    /** Shows at least the days from `start` to `end`, with room to move bars, and never less than `width`. */
    constructor(zoom, { start, end }, width = 0) {
        Object.assign(this, ZOOMS[zoom], { zoom });
        const margin = Math.ceil(MARGIN / this.pixels);
        this.first = startOf(this.upper, start - margin);
        this.last = Math.max(end + margin, this.first + Math.ceil(width / this.pixels));
    }

    get width() {
        return (this.last - this.first + 1) * this.pixels;
    }

    /** The left edge of a day. */
    x(day) {
        return (day - this.first) * this.pixels;
    }

    /** The day at a place. */
    day(x) {
        return this.first + Math.floor(x / this.pixels);
    }

    /** The units that lie at least partly between two places: `{ start, end }`, in days, without the end. */
    units(unit, left, right) {
        const found = [];
        const last = this.day(right);
        for (let start = startOf(unit, this.day(left)); start <= last;) {
            const end = nextOf(unit, start);
            found.push({ start, end });
            start = end;
        }
        return found;
    }
}

/** The next zoom: 1 goes nearer, -1 farther. The last one stays. */
export const nextZoom = (zoom, step) =>
    NAMES[Math.max(0, Math.min(NAMES.length - 1, NAMES.indexOf(zoom) - step))];
