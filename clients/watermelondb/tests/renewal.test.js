import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TidemarkError } from '../index.js';
import { settled } from './support/clock.js';
import { problem } from './support/fakes.js';
import { listener } from './support/listener.js';

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
