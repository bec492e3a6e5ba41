const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];

/** How far a device is behind, in words. `behind` is the server's: `{ commits, seconds }` or null. */
export function lagText(behind) {
    if (!behind) return 'unknown';
    if (behind.commits === 0) return 'up to date';
    return `${behind.commits.toLocaleString()} ${behind.commits === 1 ? 'change' : 'changes'}, ${span(behind.seconds)}`;
}

/** How far a device is behind if it received what it was sent: who has just synced is in sync. */
export const lagOf = ({ sent, behind }) => sent ?? behind;

/** The colour of that: after a week without a sync somebody should look. */
export function concernOf(device) {
    const behind = lagOf(device);
    if (!behind) return '';
    if (behind.commits === 0) return 'good';
    if (behind.seconds >= 7 * DAY) return 'bad';
    return behind.seconds >= DAY ? 'warning' : '';
}

/** For sorting: whose rows differ, then who is behind for longest, then who was not seen for longest. */
export function worstFirst(one, other) {
    const [first, second] = [other, one].map(device => [Number(device.digest === 'differs'), lagOf(device)?.seconds ?? 0]);
    return first[0] - second[0] || first[1] - second[1] || one.last_seen.localeCompare(other.last_seen);
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
