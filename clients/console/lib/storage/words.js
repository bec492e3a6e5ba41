import { worded } from '../now/figures.js';

const UNITS = [['day', 86_400], ['hour', 3600], ['minute', 60], ['second', 1]];

/** “1 day”, “6 hours”. */
export function spanText(seconds) {
    const [unit, length] = UNITS.find(([, each]) => seconds >= each && seconds % each === 0) ?? ['second', 1];
    const count = seconds / length;
    return `${count.toLocaleString()} ${unit}${count === 1 ? '' : 's'}`;
}

/** “every day”, “every 6 hours”. */
export const everyText = seconds => `every ${spanText(seconds).replace(/^1 /, '')}`;

export const bytesText = value => (value === null || value === undefined ? '–' : worded(value, 'bytes'));

/** With `most`, up to which is counted, that many is “… or more”. */
export function countText(value, most = Infinity) {
    if (value === null || value === undefined) return '–';
    return value.toLocaleString() + (value >= most ? '+' : '');
}

/** “+120”, “−4”, or a dash for no growth. */
export function growthText(value) {
    if (value === null || value === undefined || value === 0) return '–';
    return value > 0 ? `+${value.toLocaleString()}` : `−${(-value).toLocaleString()}`;
}
