import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summaryOf } from '../lib/shell/sync-summary.js';

const STATE = {
    isSignedIn: true, isOnline: true, isSyncing: false, isComplete: true, progress: null, unsent: 0, refused: [],
    setAside: 0, filesToSend: 0, error: null,
};
const text = values => summaryOf({ ...STATE, ...values }).text;

test('the state of the sync in a few words', () => {
    assert.equal(text({}), 'In sync');
    assert.equal(text({ isSyncing: true }), 'Syncing');
    assert.equal(text({ unsent: 3 }), '3 unsent');
    assert.equal(text({ isOnline: false }), 'Offline');
    assert.equal(text({ isOnline: false, unsent: 3 }), 'Offline · 3 unsent');
    assert.equal(text({ filesToSend: 1 }), '1 file to send');
    assert.equal(text({ isOnline: false, unsent: 3, filesToSend: 2 }), 'Offline · 3 unsent · 2 files to send');
    assert.equal(text({ refused: [{}], setAside: 1 }), '2 not taken');
    assert.equal(text({ isSignedIn: false, unsent: 1 }), 'Signed out · 1 unsent');
    assert.equal(text({ error: { code: 'internal' }, unsent: 1 }), 'Problem · 1 unsent');
});

test('a first sync never says that all is there', () => {
    assert.equal(text({ isComplete: false, progress: { rows: 50, total: 200 } }), 'Loading 25 %');
    assert.equal(text({ isComplete: false, progress: { rows: 300, total: 200 } }), 'Loading 99 %');
    assert.equal(text({ isComplete: false, progress: { rows: 300, total: null } }), 'Loading 300 rows');
});
