import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from './support/clock.js';
import { bucket, page, problem } from './support/fakes.js';
import { WORDS } from './support/foreign.js';
import { listener, never } from './support/listener.js';

const HEAD = 2 ** 52 + 100;

/** Answers to held pulls that a test gives one by one. Pulls without `wait` are answered with the head. */
function holding(head = HEAD) {
    const open = [];
    const sync = request => {
        if (!request.query.wait) return page({}, head);
        return new Promise((resolve, reject) => {
            open.push({ request, answer: async value => { resolve(value); await settled(); } });
            request.signal.addEventListener('abort', () => reject(new Error('aborted')));
        });
    };
    return { sync, open, last: () => open.at(-1) };
}

const news = timestamp => page({ tasks: bucket([{ id: 't-1', name: 'Dig' }]) }, timestamp);

/** The answer to `/events/` of a platform that has no streams. */
const NO_BODY = { status: 200, body: null, headers: new Headers({ 'Content-Type': 'text/event-stream' }), text: never };

test('where the platform has no streams, a pull is held; the app\'s own gets the rows', async () => {
    const { sync, open, last } = holding();
    const made = listener({ answers: { events: () => NO_BODY, sync } });
    await settled();
    // The app has not pulled, so the listener asks where the server is, and calls it once more for what came before.
    assert.equal(made.calls, 2);
    assert.equal(made.at('/events/')[0].signal.aborted, true);
    assert.deepEqual(last().request.query,
        { since: `${HEAD}`, wait: '25', page_size: '1', encoding: 'watermelondb' });
    await last().answer(news(HEAD + 1));
    assert.equal(made.calls, 3);
    assert.deepEqual(open.map(({ request }) => Number(request.query.since)), [HEAD, HEAD + 1]);
    assert.equal(made.at('/events/').length, 1);
    await made.clock.advance(24_000);
    await last().answer(page({}, HEAD + 5));
    assert.deepEqual([made.calls, Number(last().request.query.since), open.length], [3, HEAD + 5, 3]);
    made.handle.stop();
    assert.equal(last().request.signal.aborted, true);
    assert.deepEqual(made.clock.waits, []);
});

test('a held pull is for the collections of the app, and does not name the device', async () => {
    const { sync, last } = holding();
    const made = listener({
        answers: { sync }, events: false,
        options: { project: 'p-1', collections: ['tasks', 'risks'], deviceId: 'phone-1' },
    });
    await settled();
    const { path, query, headers } = last().request;
    assert.deepEqual([path, query.collections], ['/projects/p-1/sync/', 'risks,tasks']);
    assert.equal(Object.keys(headers).some(name => /device/i.test(name)), false);
    assert.equal(made.at('/events/').length, 0);
    made.handle.stop();
});

test('a held pull begins where the app\'s own has ended', async () => {
    const { sync, open, last } = holding();
    let [isDone, timestamp] = [false, HEAD];
    const synchronize = async ({ pullChanges }) => {
        const answer = await pullChanges({ lastPulledAt: HEAD - 5, schemaVersion: 1, migration: null });
        isDone = answer.timestamp === timestamp;
    };
    const own = request => (request.query.wait ? sync(request) : page({}, timestamp));
    const onChange = made => made.sync.sync({ synchronize, database: null });
    const made = listener({ events: false, answers: { sync: own }, onChange });
    await settled();
    assert.deepEqual([made.calls, isDone, Number(last().request.query.since)], [1, true, HEAD]);
    assert.deepEqual(made.at('/sync/').map(({ query }) => query.since), [`${HEAD - 5}`, `${HEAD}`]);
    timestamp += 9;
    await last().answer(news(HEAD + 3));
    assert.deepEqual([made.calls, Number(last().request.query.since), open.length], [2, HEAD + 9, 2]);
    // The app has this already: it synced while the pull was held.
    await last().answer(news(HEAD + 9));
    assert.equal(made.calls, 2);
    made.handle.stop();
});

test('the next pull is held after onChange has ended', async () => {
    const { sync, open, last } = holding();
    let end;
    const made = listener({
        events: false, answers: { sync },
        onChange: ({ calls }) => calls > 2 && new Promise(resolve => { end = resolve; }),
    });
    await settled();
    await last().answer(news(HEAD + 1));
    assert.deepEqual([made.calls, open.length], [3, 1]);
    end();
    await settled();
    assert.deepEqual([made.calls, open.length], [3, 2]);
    made.handle.stop();
});

test('a server that does not hold pulls is asked every 5 to 30 seconds', async () => {
    const made = listener({ answers: { events: () => problem(404, 'not_found'), sync: () => page({}, HEAD) } });
    await made.clock.advance(0);
    const times = [];
    for (let pulls = made.at('/sync/').length; times.length < 6;) {
        await made.clock.advance(1000);
        if (made.at('/sync/').length > pulls) {
            pulls = made.at('/sync/').length;
            times.push(made.clock.time);
        }
    }
    assert.deepEqual(times.map((time, index) => time - (times[index - 1] ?? 1_000_000)),
        [5000, 10_000, 20_000, 30_000, 30_000, 30_000]);
    assert.deepEqual(made.errors, []);
    made.handle.stop();
});

for (const status of [404, 405, 406, 403]) {
    test(`${status} for events leads to held pulls for an hour`, async () => {
        const { sync, open, last } = holding();
        let isOld = true;
        const made = listener({ answers: { events: () => (isOld ? problem(status, 'not_found') : null), sync } });
        await settled();
        await made.clock.advance(1000);
        assert.equal(open.length, 1);
        isOld = false;
        for (let count = 0; count < 143; count++) {
            await made.clock.advance(25_000);
            await last().answer(page({}, HEAD));
        }
        assert.equal(made.streams.length, 0);
        await made.clock.advance(25_000);
        await last().answer(page({}, HEAD));
        assert.equal(made.streams.length, 1);
        assert.deepEqual(made.errors, []);
        made.handle.stop();
    });
}

test('a page in the place of events leads to held pulls', async () => {
    const { sync, open } = holding();
    const html = { body: '<html>', headers: { 'Content-Type': 'text/html' } };
    const made = listener({ answers: { events: () => html, sync } });
    await settled();
    assert.deepEqual([open.length, made.at('/events/').length, made.errors.length], [1, 1, 0]);
    made.handle.stop();
});

for (const [what, events] of [
    ['refused', () => ({ status: 502, body: '<html>' })], ['cut', () => { throw new TypeError('reset'); }],
]) {
    test(`where events are ${what} again and again, pulls are held`, async () => {
        const { sync, open } = holding();
        const made = listener({ answers: { events, sync } });
        for (let seconds = 0; seconds < 90 && open.length === 0; seconds++) await made.clock.advance(1000);
        assert.deepEqual([open.length, made.at('/events/').length, made.errors.length], [1, 7, 0]);
        made.handle.stop();
    });
}

test('20 streams of one user are too many: then pulls are held', async () => {
    const { sync, open } = holding();
    const full = { ...problem(429, 'too_many_streams'), headers: { 'Retry-After': '7' } };
    const made = listener({ answers: { events: () => full, sync } });
    await made.clock.advance(6999);
    assert.equal(open.length, 0);
    await made.clock.advance(1);
    assert.deepEqual([open.length, made.at('/events/').length, made.errors.length], [1, 1, 0]);
    made.handle.stop();
});

for (const [what, events] of [['head', request => never(request)], ['first event', () => null]]) {
    test(`a proxy that holds back the ${what} is noticed after 5 seconds, and said once`, async () => {
        const { sync, open, last } = holding();
        const made = listener({ answers: { events, sync } });
        await made.clock.advance(4999);
        assert.equal(open.length, 0);
        await made.clock.advance(1);
        assert.deepEqual([open.length, made.errors.length], [1, 1]);
        assert.equal(made.at('/events/')[0].signal.aborted, true);
        for (let count = 0; count < 400; count++) {
            await made.clock.advance(25_000);
            await last().answer(page({}, HEAD));
        }
        assert.deepEqual(made.errors.map(({ code, detail }) => [code, detail]),
            [['events_held_back', WORDS.events_held_back]]);
        assert.equal(made.at('/events/').length, 3);
        made.handle.stop();
    });
}

test('resume tries events again: another network may let them through', async () => {
    const { sync, open } = holding();
    let isOld = true;
    const made = listener({ answers: { events: request => (isOld ? never(request) : null), sync } });
    await made.clock.advance(5000);
    isOld = false;
    made.handle.resume();
    await settled();
    assert.deepEqual([made.streams.length, open[0].request.signal.aborted], [1, true]);
    made.handle.stop();
});

test('no answer to anything is not a proxy that holds back events', async () => {
    let isDown = true;
    const made = listener({ answers: {
        events: request => (isDown ? never(request) : null), sync: () => { throw new TypeError('gone'); },
    } });
    await made.clock.advance(10_000);
    isDown = false;
    for (let count = 0; count < 30 && made.streams.length === 0; count++) await made.clock.advance(500);
    await made.stream().hello();
    await made.clock.advance(10_000);
    assert.deepEqual([made.errors, made.streams.length, made.stream().isCut], [[], 1, false]);
    made.handle.stop();
});

test('a held pull without an answer ends after 45 seconds and begins again', async () => {
    const { sync, open } = holding();
    const made = listener({ events: false, answers: { sync } });
    await settled();
    await made.clock.advance(44_999);
    assert.equal(open.length, 1);
    await made.clock.advance(1001);
    assert.deepEqual([open.length, open[0].request.signal.aborted, made.errors], [2, true, []]);
    assert.equal(open[1].request.query.since, `${HEAD}`);
    made.handle.stop();
});

test('503 with Retry-After is waited for, and then the pull is held from the same place', async () => {
    const { sync, open, last } = holding();
    const made = listener({ events: false, answers: { sync } });
    await settled();
    await last().answer({ ...problem(503, 'stopping'), headers: { 'Retry-After': '8' } });
    await made.clock.advance(7999);
    assert.equal(open.length, 1);
    await made.clock.advance(1);
    assert.deepEqual([open.length, open[1].request.query.since, made.errors.length], [2, `${HEAD}`, 0]);
    made.handle.stop();
});

test('after a restore of the server it calls the app and begins at the server\'s head', async () => {
    let head = HEAD;
    const held = holding();
    const made = listener({
        events: false, answers: { sync: request => (request.query.wait ? held.sync(request) : page({}, head)) },
    });
    await settled();
    const { calls } = made;
    head = HEAD - 50;
    await held.last().answer(problem(409, 'since_ahead'));
    await made.clock.advance(1000);
    assert.deepEqual([made.calls, Number(held.last().request.query.since)], [calls + 1, HEAD - 50]);
    made.handle.stop();
});

test('when the project is lost, the app is called, the loss is reported, and nothing runs any more', async () => {
    const { sync, last } = holding();
    const made = listener({ events: false, answers: { sync }, options: { project: 'p-1' } });
    await settled();
    const { calls } = made;
    await last().answer(problem(403, 'membership_revoked'));
    assert.deepEqual([made.calls, made.errors.map(({ isAccessLost }) => isAccessLost)], [calls + 1, [true]]);
    assert.deepEqual(made.clock.waits, []);
    made.handle.stop();
});

test('401 while a pull is held leads to one more with a new token, and then to a report', async () => {
    const { sync, open, last } = holding();
    let count = 0;
    const made = listener({ events: false, answers: { sync }, options: { token: () => `t-${++count}` } });
    await settled();
    await last().answer(problem(401, 'unauthorized'));
    assert.equal(open.length, 2);
    assert.notEqual(open[0].request.headers.Authorization, open[1].request.headers.Authorization);
    await last().answer(problem(401, 'unauthorized'));
    assert.deepEqual([open.length, made.errors.map(({ status }) => status), made.clock.waits], [2, [401], []]);
    made.handle.stop();
});

test('a pull that is refused for good is reported once and asked for rarely', async () => {
    const made = listener({
        events: false,
        answers: { sync: ({ query }) => (query.wait ? problem(400, 'unknown_collection') : page({}, HEAD)) },
    });
    await made.clock.advance(300_000);
    assert.deepEqual(made.errors.map(({ code }) => code), ['unknown_collection']);
    assert.ok(made.at('/sync/').length <= 7);
    made.handle.stop();
});

test('a wrapper that gives answers only as a whole is recognized by the first of them', async () => {
    const asked = [];
    const fetch = async (address, init) => {
        const { pathname, searchParams } = new URL(address);
        asked.push(pathname.replace('/api/v1', ''));
        // It waits for the end of a stream, and of what the server holds.
        if (pathname.endsWith('/events/') || searchParams.has('wait')) return never(init);
        return { status: 200, headers: new Headers(), text: async () => JSON.stringify(page({}, HEAD).body) };
    };
    const onChange = made => made.sync.request('GET', '/users/');
    const made = listener({ options: { fetch }, onChange });
    await settled();
    assert.deepEqual(asked, ['/events/', '/users/', '/sync/', '/users/', '/sync/']);
    await made.clock.advance(100_000);
    assert.deepEqual([made.errors, asked.filter(path => path === '/events/').length], [[], 1]);
    made.handle.stop();
    const later = made.sync.listen({ onChange: () => {} });
    await settled();
    assert.equal(asked.filter(path => path === '/events/').length, 1);
    later.stop();
});

test('it is recognized by a held pull, too, and nobody is told of a proxy', async () => {
    let events = 0;
    const fetch = async (address, init) => {
        if (address.includes('/events/')) {
            events++;
            return never(init);
        }
        if (address.includes('wait=')) return never(init);
        return { status: 200, headers: new Headers(), text: async () => JSON.stringify(page({}, HEAD).body) };
    };
    const made = listener({ options: { fetch } });
    await made.clock.advance(7200_000);
    assert.deepEqual([made.errors, events], [[], 1]);
    made.handle.stop();
});

test('React Native\'s own fetch is not tried', async () => {
    const { fetch, Response } = globalThis;
    const asked = [];
    globalThis.fetch = async (address, { signal }) => {
        asked.push(new URL(address).pathname);
        if (asked.length > 1) return never({ signal });
        return { status: 200, headers: new Headers(), text: async () => JSON.stringify(page({}, HEAD).body) };
    };
    globalThis.Response = class {};
    try {
        const made = listener({ options: { fetch: undefined } });
        await settled();
        assert.deepEqual(asked, ['/api/v1/sync/', '/api/v1/sync/']);
        made.handle.stop();
    } finally {
        Object.assign(globalThis, { fetch, Response });
    }
});
