import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from './support/clock.js';
import { listener, slowly } from './support/listener.js';

test('in the background nothing runs; on return one onChange at once, and events again', async () => {
    const states = new Set();
    const appState = {
        currentState: 'active',
        addEventListener: (name, work) => { states.add(work); return { remove: () => states.delete(work) }; },
    };
    const tell = async state => { for (const work of states) work(state); await settled(); };
    const made = listener({ appState });
    await settled();
    await made.stream().hello();
    await made.stream().poke(1, { 'p-1': 1, _spread_ms: 60_000 });
    const { calls } = made;
    await tell('background');
    assert.deepEqual([made.stream().isCut, made.clock.waits], [true, []]);
    await made.clock.advance(3600_000);
    assert.deepEqual([made.calls, made.streams.length], [calls, 1]);
    await tell('active');
    await tell('active');
    assert.deepEqual([made.calls, made.streams.length], [calls + 1, 2]);
    made.handle.stop();
    await tell('active');
    assert.deepEqual([states.size, made.streams.length], [0, 2]);
});

test('an app that starts in the background begins when it is shown', async () => {
    const page = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
    const made = listener({ appState: page });
    await settled();
    assert.equal(made.requests.length + made.calls, 0);
    page.visibilityState = 'visible';
    page.dispatchEvent(new Event('visibilitychange'));
    await settled();
    assert.deepEqual([made.calls, made.streams.length], [1, 1]);
    made.handle.stop();
});

test('a call that runs when the app leaves may end, and the return does not start a second one beside it', async () => {
    const { onChange, open } = slowly();
    const made = listener({ onChange });
    await settled();
    await made.stream().hello();
    made.handle.pause();
    made.handle.resume();
    await settled();
    assert.equal(made.calls, 1);
    open[0].resolve();
    await settled();
    assert.equal(made.calls, 2);
    made.handle.pause();
    open[1].resolve();
    await settled();
    assert.equal(made.calls, 2);
    made.handle.stop();
});

test('resume ends a wait: the app knows that the network is back', async () => {
    let isDown = true;
    const made = listener({ answers: { events: () => { if (isDown) throw new TypeError('gone'); } } });
    await settled();
    await made.clock.advance(100_000);
    isDown = false;
    const { calls } = made;
    made.handle.resume();
    await settled();
    assert.deepEqual([made.calls, made.streams.length], [calls + 1, 1]);
    made.handle.stop();
});

test('the signal ends it, and stop leaves nothing behind', async () => {
    const controller = new AbortController();
    const made = listener({ options: { signal: controller.signal } });
    await settled();
    await made.stream().hello();
    controller.abort();
    await settled();
    assert.deepEqual([made.stream().isCut, made.clock.waits], [true, []]);
    made.handle.resume();
    await settled();
    assert.equal(made.streams.length, 1);
});
