import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TidemarkError } from '../index.js';
import { settled } from './support/clock.js';
import { page, problem } from './support/fakes.js';
import { listener, never } from './support/listener.js';

/** A promise that a test settles, for each call of `onChange`. */
function slowly() {
    const open = [];
    return { onChange: () => new Promise((resolve, reject) => open.push({ resolve, reject })), open };
}

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

test('attempts that bring nothing are further and further apart, up to half a minute on average', async () => {
    const made = listener({ answers: { events: () => { throw new TypeError('gone'); } } });
    await settled();
    const delays = [];
    for (let attempt = 1; attempt < 9; attempt++) {
        const begun = made.clock.time;
        while (made.at('/events/').length === attempt) await made.clock.advance(100);
        delays.push(made.clock.time - begun);
    }
    assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000]);
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

test('the token is renewed 30 seconds before it expires, and the stream opened again at once', async () => {
    let token = 'first';
    const asked = [];
    const options = { token: ({ refresh }) => { asked.push(refresh); return refresh ? (token = 'second') : token; } };
    const made = listener({ options });
    await settled();
    await made.stream().hello({ expires_in: 60 });
    await made.stream().poke(1);
    await made.clock.advance(29_999);
    assert.equal(made.streams.length, 1);
    await made.clock.advance(1);
    assert.equal(made.streams.length, 2);
    const sent = made.at('/events/').map(({ headers }) => headers.Authorization);
    assert.deepEqual(sent, ['Bearer first', 'Bearer second']);
    assert.equal(made.at('/events/')[1].query.last_event_id, `${made.HEAD + 1}`);
    assert.deepEqual([asked, made.errors], [[false, false, true], []]);
    made.handle.stop();
});

test('a token that the app has renewed by itself is not renewed again', async () => {
    let token = 'first';
    const asked = [];
    const made = listener({ options: { token: ({ refresh }) => { asked.push(refresh); return token; } } });
    await settled();
    await made.stream().hello({ expires_in: 900 });
    token = 'second';
    for (let minute = 0; minute < 15; minute++) {
        await made.clock.advance(58_000);
        await made.stream().ping();
    }
    assert.equal(made.streams.length, 2);
    assert.equal(asked.includes(true), false);
    made.handle.stop();
});

test('a token that lives only seconds is not renewed in a hot loop', async () => {
    const made = listener({ options: { token: () => 'short' } });
    await settled();
    await made.stream().hello({ expires_in: 1 });
    await made.clock.advance(4999);
    assert.equal(made.streams.length, 1);
    made.handle.stop();
});

test('after a 401 the app is asked once for another token', async () => {
    const options = { token: ({ refresh }) => (refresh ? 'new' : 'old') };
    const events = ({ headers }) => (headers.Authorization === 'Bearer old' ? problem(401, 'unauthorized') : null);
    const made = listener({ options, answers: { events } });
    await settled();
    assert.deepEqual([made.streams.length, made.errors], [1, []]);
    made.handle.stop();
});

test('after a second 401 it reports that and rests until resume', async () => {
    let isOver = true;
    const made = listener({
        options: { token: () => 't' }, answers: { events: () => (isOver ? problem(401, 'unauthorized') : null) },
    });
    await settled();
    assert.deepEqual(made.errors.map(({ status, code }) => [status, code]), [[401, 'unauthorized']]);
    assert.equal(made.at('/events/').length, 2);
    await made.clock.advance(3600_000);
    assert.deepEqual([made.at('/events/').length, made.clock.waits], [2, []]);
    isOver = false;
    made.handle.resume();
    await settled();
    assert.equal(made.streams.length, 1);
    made.handle.stop();
});

test('a token function that knows of nobody ends it in the same way; a proxy\'s 401 does not', async () => {
    const token = () => { throw new TidemarkError('logged_out', 'Nobody is logged in.', { status: 401 }); };
    const made = listener({ options: { token } });
    await settled();
    assert.deepEqual([made.errors.map(({ code }) => code), made.clock.waits], [['logged_out'], []]);
    made.handle.stop();

    const other = listener({ answers: { events: () => ({ status: 401, body: '<html>' }) } });
    await settled();
    assert.notDeepEqual(other.clock.waits, []);
    other.handle.stop();
});

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

test('listen needs onChange', () => {
    const { sync, handle } = listener({ answers: { events: never } });
    handle.stop();
    assert.throws(() => sync.listen({}), TypeError);
});
