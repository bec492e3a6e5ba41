import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Interval, worded } from '../lib/now/figures.js';
import { byName, counted, quantile, rate, routes } from '../lib/now/rates.js';

const REQUESTS = 'tidemark_http_requests_total';
const DURATIONS = 'tidemark_http_request_duration_seconds';

const requests = (route, status, value) =>
    ({ name: REQUESTS, kind: 'counter', labels: { route, method: 'GET', status }, value });
const durations = (route, ...counts) => ({
    name: DURATIONS, kind: 'histogram', labels: { route }, sum: 1, count: counts.at(-1),
    buckets: counts.slice(0, -1).map((count, place) => ({ le: [.01, .1][place], count })),
});
const reading = (now, ...metrics) => ({ now, metrics });

test('a rate is what a counter has grown by', () => {
    const before = byName(reading('', requests('/a', '200', 10), requests('/a', '500', 1)));
    const after = byName(reading('', requests('/a', '200', 30), requests('/a', '500', 2), requests('/b', '200', 3)));
    assert.equal(rate(before, after, 2, REQUESTS), 12);
    assert.equal(rate(before, after, 2, REQUESTS, ({ route }) => route === '/b'), 1.5);
    assert.equal(rate(before, after, 2, 'unknown'), null);
    assert.equal(rate(after, before, 2, REQUESTS), 5.5, 'a server that was started again counts from 0');
});

test('a quantile lies within its bucket', () => {
    const times = counted(byName(reading('', durations('/a', 5, 5, 5))), byName(reading('', durations('/a', 15, 25, 25))),
        DURATIONS);
    assert.deepEqual(times, { count: 20, buckets: [{ le: .01, count: 10 }, { le: .1, count: 20 }] });
    assert.equal(quantile(times, .25), .005);
    assert.equal(quantile(times, .5), .01);
    assert.ok(Math.abs(quantile(times, .75) - .055) < 1e-12);
    assert.equal(quantile({ count: 0, buckets: [] }, .5), null);
    assert.equal(quantile({ count: 4, buckets: [{ le: 1, count: 1 }] }, .99), 1, 'above the last bound');
});

test('routes come by what is asked of them', () => {
    const interval = new Interval(
        reading('2026-01-01T00:00:00.000Z', requests('/a', '200', 0)),
        reading('2026-01-01T00:00:02.000Z', requests('/a', '200', 2), requests('/b', '503', 8), durations('/b', 8, 8, 8)));
    assert.equal(interval.seconds, 2);
    assert.deepEqual(routes(interval.before, interval.after, interval.seconds), [
        { route: '/b', perSecond: 4, faults: 4, median: .005, slow: .0099 },
        { route: '/a', perSecond: 1, faults: 0, median: null, slow: null },
    ]);
});

test('numbers are short', () => {
    assert.deepEqual([
        worded(null, 'count'), worded(.0042, 'seconds'), worded(1.26, 'seconds'), worded(734_003_200, 'bytes'),
        worded(.123, 'share'), worded(1234.5, 'perSecond'),
    ], ['–', '4.2 ms', '1.3 s', '734 MB', '12 %', '1,235/s']);
});
