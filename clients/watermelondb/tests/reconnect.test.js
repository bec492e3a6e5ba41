import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from './support/clock.js';
import { problem } from './support/fakes.js';
import { listener } from './support/listener.js';

test('a lost connection leads to a new stream after a random time, which continues from the last event', async () => {
    const made = listener();
    await settled();
    await made.stream().hello();
    await made.stream().poke(1);
    await made.stream().fail();
    // Half of what the server asked for.
    await made.clock.advance(999);
    assert.equal(made.streams.length, 1);
    await made.clock.advance(1);
    assert.equal(made.streams.length, 2);
    assert.equal(made.at('/events/')[1].query.last_event_id, `${made.HEAD + 1}`);
    const calls = made.calls;
    await made.stream().hello();
    assert.equal(made.calls, calls + 1);
    made.handle.stop();
});

test('attempts that bring nothing are further and further apart', async () => {
    const made = listener({ answers: { events: () => { throw new TypeError('gone'); } } });
    await settled();
    const delays = [];
    for (let attempt = 1; attempt < 7; attempt++) {
        const begun = made.clock.time;
        while (made.at('/events/').length === attempt) await made.clock.advance(100);
        delays.push(made.clock.time - begun);
    }
    assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 16000]);
    made.handle.stop();
});

test('streams that end after their hello are further and further apart, too', async () => {
    const made = listener();
    await settled();
    for (const delay of [1000, 2000, 4000]) {
        const { length } = made.streams;
        await made.stream().hello();
        await made.stream().close();
        await made.clock.advance(delay - 1);
        assert.equal(made.streams.length, length);
        await made.clock.advance(1);
        assert.equal(made.streams.length, length + 1);
    }
    await made.stream().hello();
    await made.stream().ping();
    await made.stream().close();
    await made.clock.advance(1000);
    assert.equal(made.streams.length, 5);
    made.handle.stop();
});

test('a bye says when to come back', async () => {
    const made = listener();
    await settled();
    await made.stream().hello();
    await made.stream().bye('restart', 7000);
    await made.clock.advance(6999);
    assert.equal(made.streams.length, 1);
    await made.clock.advance(1);
    assert.equal(made.streams.length, 2);
    made.handle.stop();
});

for (const status of [503, 429]) {
    test(`${status} with Retry-After is waited for`, async () => {
        const busy = { ...problem(status, 'busy'), headers: { 'Retry-After': '9' } };
        const made = listener({ answers: { events: () => (made.at('/events/').length > 1 ? null : busy) } });
        await settled();
        await made.clock.advance(8999);
        assert.equal(made.at('/events/').length, 1);
        await made.clock.advance(1);
        assert.equal(made.streams.length, 1);
        assert.deepEqual(made.errors, []);
        made.handle.stop();
    });
}

test('silence of two and a half heartbeats is a lost connection', async () => {
    const made = listener();
    await settled();
    await made.stream().hello({ heartbeat_s: 20 });
    await made.clock.advance(49_000);
    await made.stream().send(': anything\n');
    await made.clock.advance(49_999);
    assert.equal(made.stream().isCut, false);
    await made.clock.advance(1);
    assert.equal(made.stream().isCut, true);
    await made.clock.advance(1000);
    assert.equal(made.streams.length, 2);
    assert.deepEqual(made.errors, []);
    made.handle.stop();
});

test('while a stream lives, a pull runs every 15 minutes', async () => {
    const made = listener();
    await settled();
    await made.stream().hello();
    const { calls } = made;
    for (let minute = 0; minute < 45; minute++) {
        await made.clock.advance(60_000);
        await made.stream().ping();
    }
    assert.equal(made.calls, calls + 3);
    made.handle.stop();
});

test('a poke may spread the pulls of many over a time', async () => {
    const made = listener();
    await settled();
    await made.stream().hello();
    const { calls } = made;
    await made.stream().poke(1, { 'p-1': 5, _spread_ms: 8000 });
    await made.clock.advance(3999);
    assert.equal(made.calls, calls);
    await made.clock.advance(1);
    assert.equal(made.calls, calls + 1);
    made.handle.stop();
});
