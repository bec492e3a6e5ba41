import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concernOf, lagText } from '../lib/devices/lag.js';

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
