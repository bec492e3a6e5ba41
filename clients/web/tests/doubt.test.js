import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock, settled } from '../../watermelondb/tests/support/clock.js';
import { EventStreams } from '../lib/common/stream.js';

// A stream of events that goes silent: see `isThere` of `Listening`.

const HELLO = 'event: hello\ndata: {"heartbeat_s": 25, "expires_in": null, "head": 1}\n\n';
const PING = 'event: ping\ndata: {}\n\n';

/** A stream that said hello, and what `isThere` answers. */
async function greeted(isThere) {
    const clock = new Clock();
    let body;
    const response = new Response(new ReadableStream({ start: controller => { body = controller; } }),
        { headers: { 'Content-Type': 'text/event-stream' } });
    const asked = [];
    const transport = {
        wait: (time, signal) => clock.wait(time, signal), random: () => 0.5, token: 't',
        plain: new AbortController().signal, mayStream: true,
        bearer: async () => 't', open: async () => response,
    };
    const streams = new EventStreams({
        transport, scope: { isUserWide: true }, onNews: () => {},
        isThere: async () => { asked.push(clock.time); return isThere; },
    });
    const end = new AbortController();
    const run = streams.run(end.signal).then(() => 'ended', error => error.code);
    const send = async text => {
        body.enqueue(new TextEncoder().encode(text));
        await settled();
    };
    await settled();
    await send(HELLO);
    return { clock, asked, send, run, end, state: () => Promise.race([run, settled().then(() => 'runs')]) };
}

test('a stream that is silent for longer than a heartbeat takes is cut if the server does not answer', async () => {
    const { clock, asked, send, state } = await greeted(false);
    await clock.advance(29_000);
    await send(PING);
    await clock.advance(29_999);
    assert.deepEqual([asked.length, await state()], [0, 'runs'], 'a heartbeat came');
    await clock.advance(1);
    assert.equal(asked.length, 1);
    assert.equal(await state(), 'timeout');
});

test('if the server answers, the stream may stay silent for two and a half heartbeats', async () => {
    const { clock, asked, state, end } = await greeted(true);
    await clock.advance(62_499);
    assert.deepEqual([asked.length, await state()], [1, 'runs']);
    await clock.advance(1);
    assert.equal(await state(), 'timeout');
    end.abort();
});
