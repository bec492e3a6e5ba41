import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../lib/storage.js';
import { accepted, fakeSync, page } from './support/fakes.js';

// What the adapter tells the server of the device.

const told = ({ headers }) => [
    headers['Tidemark-Device-Id'], headers['Tidemark-Device-Name'], headers['Tidemark-App-Version'],
];

async function request(options) {
    const { sync, requests } = fakeSync(() => ({ body: {} }), options);
    await sync.request('GET', '/projects/');
    return told(requests[0]);
}

test('every request names the device, the pull and the push alike', async () => {
    const { sync, requests } = fakeSync(
        request => (request.path.endsWith('/schemas/') ? { body: { schema_version: 'v', collections: [] } }
            : request.method === 'POST' ? accepted(request) : page({}, 5)),
        { deviceId: 'd-1', deviceName: 'Bj\u00f6rns \u2603 100%', appVersion: '2.3.1' });
    await sync.pullChanges({ lastPulledAt: 4, schemaVersion: 1, migration: null });
    assert.ok(requests.length > 0);
    for (const one of requests) {
        assert.deepEqual(told(one), ['d-1', 'Bj%C3%B6rns%20%E2%98%83%20100%25', '2.3.1']);
    }
});

test('an id is made once and kept in the app\'s storage', async () => {
    const storage = memoryStorage();
    const [first] = await request({ storage });
    assert.match(first, /^[0-9a-f-]{36}$/);
    assert.deepEqual(await request({ storage }), [first, undefined, undefined]);
    assert.notEqual((await request({ storage: memoryStorage() }))[0], first);
    const both = await Promise.all([request({ storage: memoryStorage() }), request({ storage })]);
    assert.equal(both[1][0], first);
});

test('forget() forgets the id too', async () => {
    const storage = memoryStorage();
    const { sync, requests } = fakeSync(() => ({ body: {} }), { storage });
    await sync.request('GET', '/projects/');
    await sync.forget();
    assert.equal(storage.get('tidemark:p-1:device'), null);
    await sync.request('GET', '/projects/');
    const [first, second] = requests.map(request => told(request)[0]);
    assert.ok(first && second && first !== second);
});

test('without an id and a storage nothing is told', async () => {
    assert.deepEqual(await request({ deviceName: 'Phone' }), [undefined, undefined, undefined]);
});

test('an id that is no header is left out', async () => {
    for (const deviceId of ['caf\u00e9', 'a\nb', ' a', 'a ', 'x'.repeat(129)]) {
        assert.deepEqual(await request({ deviceId, deviceName: 'Phone' }), [undefined, undefined, undefined]);
    }
    assert.equal((await request({ deviceId: 'x'.repeat(128) }))[0], 'x'.repeat(128));
});

test('half of a surrogate pair in a name harms nothing', async () => {
    assert.deepEqual(await request({ deviceId: 'd', deviceName: 'a\ud83db' }), ['d', 'ab', undefined]);
});

test('a storage that fails is no reason not to ask', async () => {
    const storage = { ...memoryStorage(), get: () => { throw new Error('broken'); } };
    assert.deepEqual(await request({ storage }), [undefined, undefined, undefined]);
});
