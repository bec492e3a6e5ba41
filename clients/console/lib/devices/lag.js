const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];

/** How far a device is behind, in words. `behind` is the server's: `{ commits, seconds }` or null. */
export function lagText(behind) {
    if (!behind) return 'unknown';
    if (behind.commits === 0) return 'up to date';
    return `${behind.commits.toLocaleString()} ${behind.commits === 1 ? 'change' : 'changes'}, ${span(behind.seconds)}`;
}

/** The colour of that: after a week without a sync somebody should look. */
export function concernOf({ behind }) {
    if (!behind) return '';
    if (behind.commits === 0) return 'good';
    if (behind.seconds >= 7 * DAY) return 'bad';
    return behind.seconds >= DAY ? 'warning' : '';
}

function span(seconds) {
    if (seconds < MINUTE) return 'seconds';
    if (seconds < HOUR) return count(seconds / MINUTE, 'minute');
    return seconds < 2 * DAY ? count(seconds / HOUR, 'hour') : count(seconds / DAY, 'day');
}

function count(value, unit) {
    const whole = Math.floor(value);
    return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}
