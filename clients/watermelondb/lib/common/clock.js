import { TidemarkError, refusal } from './error.js';

/** Milliseconds by which clocks may differ, as on the server. */
const LEEWAY = 60_000;
const SIZES = [['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000]];

/**
 * The error for an answer that refuses a token because a clock is off; null if no clock is to blame. `now` is the
 * device's time in milliseconds. Only a token that tells its times can be judged, by an answer that tells its own.
 */
export function clockFault(token, answer, now) {
    const { from, to } = timesOf(token);
    if (answer.status !== 401 || !Number.isFinite(answer.date) || !Number.isFinite(to)) return null;
    const detail = sentence({ from, to, now, date: answer.date });
    const { problem } = refusal(answer);
    return detail && new TidemarkError('clock_off', detail, { status: 401, problem });
}

function sentence({ from, to, now, date }) {
    const gap = date - now;
    const remedy = `by the server's clock, which is ${span(gap)} this device's. Set the clock that is wrong, and log `
        + 'in again.';
    const isEarly = from - date > LEEWAY;
    if (isEarly && gap < -LEEWAY) return `The token is not valid yet ${remedy}`;
    if (isEarly) {
        return `The token is not valid yet: whoever issued it has a clock that is ${span(from - date)} the server's. `
            + 'That clock has to be set; a new log-in does not help.';
    }
    const isLate = date >= to && now < to && gap > LEEWAY;
    return isLate ? `The token has ended ${remedy}` : null;
}

/** The milliseconds between which a JSON Web Token says that it is valid. */
function timesOf(token) {
    try {
        const { nbf, exp } = JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')));
        return { from: (nbf ?? -Infinity) * 1000, to: exp * 1000 };
    } catch {
        return {};
    }
}

/** How far apart, and in which direction: `2 hours ahead of`. */
function span(milliseconds) {
    const size = Math.abs(milliseconds);
    const [unit, length] = SIZES.find(([, length]) => size >= length) ?? SIZES.at(-1);
    const count = Math.max(1, Math.round(size / length));
    return `${count} ${unit}${count === 1 ? '' : 's'} ${milliseconds > 0 ? 'ahead of' : 'behind'}`;
}
