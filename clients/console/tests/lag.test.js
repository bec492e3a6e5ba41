import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concernOf, lagOf, lagText, worstFirst } from '../lib/devices/lag.js';

const HOUR = 3600;

test('how far a device is behind is said in words', () => {
    assert.equal(lagText(null), 'unknown');
    assert.equal(lagText({ commits: 0, seconds: 0 }), 'up to date');
    assert.equal(lagText({ commits: 1, seconds: 59 }), '1 change, seconds');
    assert.equal(lagText({ commits: 2, seconds: 60 }), '2 changes, 1 minute');
    assert.equal(lagText({ commits: 2, seconds: 47 * HOUR }), '2 changes, 47 hours');
    assert.equal(lagText({ commits: 2, seconds: 48 * HOUR }), '2 changes, 2 days');
});

test('a device that has not synced for a week is a concern', () => {
    const kinds = [0, 23, 24, 167, 168].map(hours => concernOf({ behind: { commits: 3, seconds: hours * HOUR } }));
    assert.deepEqual(kinds, ['', '', 'warning', 'warning', 'bad']);
    assert.equal(concernOf({ behind: null }), '');
    assert.equal(concernOf({ behind: { commits: 0, seconds: 0 } }), 'good');
});

test('who was sent everything is up to date, though it has not said so yet', () => {
    const [behind, sent] = [{ commits: 4, seconds: 60 }, { commits: 0, seconds: 0 }];
    assert.equal(lagText(lagOf({ behind, sent })), 'up to date');
    assert.equal(concernOf({ behind: { commits: 4, seconds: 400 * HOUR }, sent }), 'good');
    assert.equal(lagText(lagOf({ behind, sent: null })), '4 changes, 1 minute');
});

test('the worst device comes first', () => {
    const device = (name, seconds, seen = '2026-01-05', digest = 'same') => ({
        name, digest, last_seen: seen, behind: { commits: 9, seconds: 9e9 }, sent: { commits: seconds && 1, seconds },
    });
    const devices = [device('well', 0, '2026-01-09'), device('late', 5000), device('old', 0, '2025-12-01'),
        device('broken', 0, '2026-01-09', 'differs'), device('later', 9000)];
    assert.deepEqual(devices.sort(worstFirst).map(({ name }) => name), ['broken', 'later', 'late', 'old', 'well']);
});
