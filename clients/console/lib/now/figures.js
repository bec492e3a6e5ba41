import { byName, counted, quantile, rate, total } from './rates.js';

const isPull = ({ route, method }) => method === 'GET' && /\/sync\/$/.test(route);
const isUpload = ({ route, method }) => method === 'POST' && /\/sync\/$/.test(route);
const DURATIONS = 'tidemark_http_request_duration_seconds';

/**
 * What is plotted: a title, the unit of its numbers, and how the value comes of two readings. `isIn` leaves out what
 * this server does not have.
 */
export const FIGURES = [
    { title: 'Requests', unit: 'perSecond', of: each => each.rate('tidemark_http_requests_total') },
    { title: 'Median time', unit: 'seconds', of: each => each.quantile(DURATIONS, .5) },
    { title: '99 % within', unit: 'seconds', of: each => each.quantile(DURATIONS, .99) },
    { title: 'Pulls', unit: 'perSecond', of: each => each.rate('tidemark_http_requests_total', isPull) },
    { title: 'Uploads', unit: 'perSecond', of: each => each.rate('tidemark_http_requests_total', isUpload) },
    { title: 'Uploaded rows', unit: 'perSecond', of: each => each.rate('tidemark_upload_rows_total') ?? 0 },
    { title: 'Commits', unit: 'perSecond', of: each => each.rate('tidemark_commits_total') },
    { title: 'Waiting writes', unit: 'count', of: each => each.total('tidemark_write_queue_length') },
    { title: 'Event streams', unit: 'count', of: each => each.total('tidemark_event_streams') },
    { title: 'Waiting pulls', unit: 'count', of: each => each.total('tidemark_held_pulls') },
    { title: 'Connections', unit: 'count', of: each => each.total('tidemark_http_connections') },
    { title: 'Write-ahead log', unit: 'bytes', of: each => each.total('tidemark_wal_bytes') },
    { title: 'Memory', unit: 'bytes', of: each => each.total('process_resident_memory_bytes') },
    { title: 'Processor', unit: 'share', of: each => each.rate('process_cpu_seconds_total') },
    { title: 'Servers', unit: 'count', of: each => each.total('tidemark_servers') },
];

/** Two readings of `GET /admin/status/`, one after the other. */
export class Interval {
    constructor(before, after) {
        this.before = byName(before);
        this.after = byName(after);
        this.seconds = (new Date(after.now) - new Date(before.now)) / 1000;
    }

    rate(name, isMeant) {
        return rate(this.before, this.after, this.seconds, name, isMeant);
    }

    total(name) {
        return total(this.after, name);
    }

    quantile(name, share) {
        return quantile(counted(this.before, this.after, name), share);
    }
}

/** A number for people; a dash for none. */
export function worded(value, unit) {
    if (value === null) return '–';
    if (unit === 'seconds') return value < 1 ? `${short(value * 1000)} ms` : `${short(value)} s`;
    if (unit === 'bytes') return bytes(value);
    if (unit === 'share') return `${short(value * 100)} %`;
    if (unit === 'perMinute') return short(value);
    return unit === 'perSecond' ? `${short(value)}/s` : value.toLocaleString();
}

const short = value => value.toLocaleString(undefined, {
    maximumFractionDigits: value < 10 ? 1 : 0, useGrouping: true,
});

function bytes(value) {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    let place = 0;
    while (value >= 1000 && place < units.length - 1) [value, place] = [value / 1000, place + 1];
    return `${short(value)} ${units[place]}`;
}
