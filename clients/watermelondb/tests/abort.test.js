import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '../lib/common/abort.js';

/** Puts a `setTimeout` that fires at once in the place of the real one. Returns the delays that it was asked for. */
function delays(t) {
    const asked = [];
    t.mock.method(globalThis, 'setTimeout', (body, delay) => {
        asked.push(delay);
        queueMicrotask(body);
    });
    return asked;
}

test('a wait of 90 days is made of delays that a timer can hold', async t => {
    const asked = delays(t);
    const days = 90 * 24 * 3600 * 1000;
    await sleep(days);
    assert.equal(Math.max(...asked) <= 2 ** 31 - 1, true);
    assert.equal(asked.reduce((sum, delay) => sum + delay), days);
});

test('a wait that is aborted between two delays ends', async t => {
    const asked = delays(t);
    const controller = new AbortController();
    const waiting = sleep(2 ** 40, controller.signal);
    controller.abort();
    await assert.rejects(waiting, { code: 'aborted' });
    assert.equal(asked.length < 5, true);
});
