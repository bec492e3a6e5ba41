import { instantOf } from '../model/days.js';

// What the two lines of dates say, in the reader's language.

const format = options => new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' });
const FORMATS = {
    year: format({ year: 'numeric' }),
    month: format({ month: 'short' }),
    day: format({ day: 'numeric' }),
    weekday: format({ weekday: 'narrow' }),
    monthAndYear: format({ month: 'long', year: 'numeric' }),
};

const kept = new Map();

/** For a unit of the upper or of the lower line. */
export function label(line, unit, day) {
    const key = `${line} ${unit} ${day}`;
    if (!kept.has(key)) kept.set(key, made(line, unit, instantOf(day)));
    return kept.get(key);
}

function made(line, unit, date) {
    if (unit === 'month') return FORMATS[line === 'upper' ? 'monthAndYear' : 'month'].format(date);
    if (unit === 'quarter') return `Q${Math.floor(date.getUTCMonth() / 3) + 1}`;
    if (unit === 'day') return `${FORMATS.weekday.format(date)} ${FORMATS.day.format(date)}`;
    return FORMATS[unit === 'week' ? 'day' : unit].format(date);
}
