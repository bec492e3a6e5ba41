import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TidemarkError } from '../index.js';
import { settled } from './support/clock.js';
import { page } from './support/fakes.js';
import { listener, never, slowly } from './support/listener.js';

test('it calls onChange at once, after a hello and after each poke', async () => {
    const made = listener();
    assert.equal(made.calls, 0);
    await settled();
    assert.equal(made.calls, 1);
    await made.stream().hello();
    assert.equal(made.calls, 2);
    for (const number of [1, 2]) await made.stream().poke(number);
    assert.equal(made.calls, 4);
    await made.stream().ping();
    await made.stream().send('event: news\ndata: {}\n\n', ': comment\n\n');
    assert.deepEqual([made.calls, made.errors, made.streams.length], [4, [], 1]);
    const [{ query, headers }] = made.at('/events/');
    assert.deepEqual([query, headers.Accept, headers.Authorization], [{}, 'text/event-stream', 'Bearer t']);
    assert.equal('Tidemark-Device-Id' in headers, false);
    made.handle.stop();
    assert.equal(made.stream().isCut, true);
});

test('a poke counts wherever its bytes are cut', async () => {
    const bytes = new TextEncoder().encode('id: 7\r\nevent: poke\r\ndata: {"Bootshäuser": 7}\r\n\r\n');
    for (let cut = 1; cut < bytes.length; cut += 5) {
        const made = listener();
        await settled();
        await made.stream().hello();
        await made.stream().send(bytes.slice(0, cut), bytes.slice(cut));
        assert.equal(made.calls, 3, `cut at ${cut}`);
        made.handle.stop();
    }
});

test('one project\'s listener asks for events of that project', async () => {
    const made = listener({ options: { project: 'p-1' } });
    await settled();
    assert.deepEqual(made.at('/events/')[0].query, { projects: 'p-1' });
    made.handle.stop();
});

test('onChange never runs twice at a time, and pokes during a call make one more', async () => {
    const { onChange, open } = slowly();
    const made = listener({ onChange });
    await settled();
    await made.stream().hello();
    for (const number of [1, 2, 3]) await made.stream().poke(number);
    assert.equal(made.calls, 1);
    open[0].resolve();
    await settled();
    assert.equal(made.calls, 2);
    open[1].resolve();
    await settled();
    assert.equal(made.calls, 2);
    made.handle.stop();
});

test('no call follows for what the app has pulled already', async () => {
    const pull = made => made.sync.sync({
        synchronize: async ({ pullChanges }) => {
            await pullChanges({ lastPulledAt: made.HEAD - 5, schemaVersion: 1, migration: null });
        },
        database: null,
    });
    let timestamp = 100;
    const made = listener({ onChange: pull, answers: { sync: () => page({}, 2 ** 52 + timestamp) } });
    await settled();
    await made.stream().hello();
    assert.equal(made.calls, 1);
    timestamp += 3;
    await made.stream().poke(1);
    assert.equal(made.calls, 2);
    await made.stream().poke(3);
    assert.equal(made.calls, 2);
    await made.stream().poke(4);
    assert.equal(made.calls, 3);
    // What was pulled before a connection was lost may be another history's.
    await made.stream().fail();
    await made.clock.advance(2000);
    await made.stream().hello({ head: made.HEAD - 50 });
    assert.equal(made.calls, 4);
    made.handle.stop();
});

test('one project\'s number counts for one project\'s listener', async () => {
    const pull = made => made.sync.sync({
        synchronize: async ({ pullChanges }) => {
            await pullChanges({ lastPulledAt: 5, schemaVersion: 1, migration: null });
        },
        database: null,
    });
    const made = listener({ onChange: pull, options: { project: 'p-1' }, answers: { sync: () => page({}, 57) } });
    await settled();
    await made.stream().hello();
    assert.equal(made.calls, 2);
    await made.stream().poke(1, { 'p-1': 57 });
    assert.equal(made.calls, 2);
    await made.stream().poke(2, { 'p-1': 58 });
    await made.stream().poke(3, {});
    assert.equal(made.calls, 4);
    made.handle.stop();
});

test('a failed onChange is called again, later each time', async () => {
    const busy = new TidemarkError('network', 'gone');
    let failures = 3;
    const made = listener({ onChange: () => { if (failures-- > 0) throw busy; } });
    await settled();
    await made.stream().hello();
    for (const [delay, calls] of [[500, 2], [1000, 3], [2000, 4]]) {
        await made.clock.advance(delay - 1);
        assert.equal(made.calls, calls - 1);
        await made.clock.advance(1);
        assert.equal(made.calls, calls);
    }
    assert.deepEqual(made.errors, []);
    made.handle.stop();
});

test('a sync that failed counts as failed though the app swallowed the error', async () => {
    let isDown = true;
    const synchronize = ({ pullChanges }) => pullChanges({ lastPulledAt: 0, schemaVersion: 1, migration: null });
    const made = listener({
        answers: { sync: () => { if (isDown) throw new TypeError('gone'); return page({}, 2 ** 52 + 100); } },
        options: { retry: { attempts: 1 } },
        onChange: made => made.sync.sync({ synchronize, database: null }).catch(() => {}),
    });
    await settled();
    assert.equal(made.calls, 1);
    isDown = false;
    await made.clock.advance(500);
    assert.equal(made.calls, 2);
    await made.clock.advance(2000);
    assert.deepEqual([made.calls, made.errors], [2, []]);
    made.handle.stop();
});

test('what does not go away by itself is reported once, and tried again only where that can help', async () => {
    const refused = new TidemarkError('other_user', 'Not yours.');
    const made = listener({ onChange: () => { throw refused; } });
    await settled();
    await made.clock.advance(4000);
    assert.deepEqual([made.calls, made.errors], [1, [refused]]);
    made.handle.stop();

    const full = new Error('The disk is full.');
    const other = listener({ onChange: () => { throw full; } });
    await settled();
    await other.clock.advance(4000);
    assert.ok(other.calls > 2);
    assert.deepEqual(other.errors, [full]);
    other.handle.stop();
});

test('listen needs onChange', () => {
    const { sync, handle } = listener({ answers: { events: never } });
    handle.stop();
    assert.throws(() => sync.listen({}), TypeError);
});
