import { worded } from '../now/figures.js';

const UNITS = [['day', 86_400], ['hour', 3600], ['minute', 60], ['second', 1]];

/** “every day”, “every 6 hours”. */
export function everyText(seconds) {
    const [unit, length] = UNITS.find(([, each]) => seconds >= each && seconds % each === 0) ?? ['second', 1];
    const count = seconds / length;
    return count === 1 ? `every ${unit}` : `every ${count.toLocaleString()} ${unit}s`;
}

export const bytesText = value => (value === null || value === undefined ? '–' : worded(value, 'bytes'));

export const countText = value => (value === null || value === undefined ? '–' : value.toLocaleString());

/** “+120”, “−4”, or a dash for no growth. */
export function growthText(value) {
    if (value === null || value === undefined || value === 0) return '–';
    return value > 0 ? `+${value.toLocaleString()}` : `−${(-value).toLocaleString()}`;
}
