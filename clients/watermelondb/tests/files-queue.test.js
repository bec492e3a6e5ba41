import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, sha256 } from '../../web/tests/support/files.js';
import { TidemarkError, createSync, memoryStorage } from '../index.js';
import { Ahead } from '../lib/common/files/ahead.js';
import { FileServer, problem } from './support/file-server.js';
import { Disk } from './support/file-stores.js';
import { Database } from './support/standin.js';
import { synchronize } from './support/synchronize.js';

// What a server, a file store and a storage do that a real one does not do on request.

/** An app with files. `answer(method, kind)` returns an answer in the server's place, or nothing. */
class Site {
    server = new FileServer();
    disk = new Disk();
    storage = memoryStorage();
    database = new Database();
    requests = [];
    waits = [];
    answer = () => null;
    now = 1e12;

    constructor(options = {}) {
        this.start(options);
    }

    start({ fileStore = this.disk.store({ isNative: true }), ...options } = {}) {
        this.adapter = createSync({
            url: 'https://sync.example', project: 'p-1', token: 't', fileStore, storage: this.storage, now: () => this.now,
            retry: { attempts: 3 }, wait: async milliseconds => void this.waits.push(milliseconds), random: () => 0.5,
            fetch: (address, init) => this.fetch(address, init), ...options,
        });
        this.files = this.adapter.files;
        return this;
    }

    async fetch(address, init) {
        const [, kind] = /\/sync\/(files|uploads)\//.exec(address) ?? [];
        const instead = await this.answer(init.method, kind ?? 'other', address, init);
        const answer = instead ?? this.server.answer(init.method, address, init);
        if (kind) this.requests.push(`${init.method} ${kind} ${answer.status}`);
        return answer;
    }

    sync() {
        return this.adapter.sync({ synchronize, database: this.database });
    }

    async comesTo(digest, isDone) {
        for (let turn = 0; turn < 20_000; turn++) {
            if (isDone(await this.files.state(digest))) return;
            await new Promise(resolve => setImmediate(resolve));
        }
        assert.fail(`It is ${JSON.stringify(await this.files.state(digest))}.`);
    }

    stored(digest) {
        return this.comesTo(digest, ({ state }) => state === 'stored');
    }

    restsWith(digest, reason) {
        return this.comesTo(digest, state => state.state === 'waiting' && state.reason === reason);
    }
}

const nothing = () => { throw new TypeError('There is no answer.'); };

test('while the session is over files rest after one try, and go on with the next sync', async () => {
    const site = new Site();
    await site.sync();
    let isOver = true;
    site.answer = (_, kind) => (isOver && kind !== 'other' ? problem(401, 'unauthorized') : null);
    const digests = [];
    for (const seed of [1, 2, 3]) digests.push((await site.files.add(bytesOf(500, seed))).digest);
    await site.restsWith(digests[0], 'unauthorized');
    for (let turn = 0; turn < 100; turn++) await site.files.list();
    assert.ok(site.requests.length <= 3, `${site.requests}`);
    isOver = false;
    await site.sync();
    for (const digest of digests) await site.stored(digest);
});

test('when somebody else logs in, nothing more of a file is sent, nor in another name', async () => {
    const site = new Site();
    let user = 'alice';
    const ids = { alice: 1, bob: 2 };
    const sentBy = [];
    site.start({ token: async () => user });
    site.answer = (_, kind, address, { headers }) => {
        const [, name] = headers.Authorization.split(' ');
        if (address.endsWith('/auth/me/')) return new Response(JSON.stringify({ id: ids[name] }));
        if (kind !== 'other') sentBy.push(name);
        if (sentBy.length === 3) user = 'bob';
        return null;
    };
    await site.sync();
    const { digest } = await site.files.add(bytesOf(2_000_000, 19));
    await site.restsWith(digest, 'other_user');
    await assert.rejects(site.sync(), { isOtherUser: true });
    assert.deepEqual(sentBy, ['alice', 'alice', 'alice']);
    user = 'alice';
    await site.sync();
    await site.stored(digest);
    assert.deepEqual(new Set(sentBy), new Set(['alice']));
});

test('former scopes leave no listeners on the signal of the app', async () => {
    const site = new Site();
    const { signal } = new AbortController();
    let count = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args) => (count++, addEventListener.apply(signal, args));
    signal.removeEventListener = (...args) => (count--, removeEventListener.apply(signal, args));
    site.storage.set('tidemark:projects', JSON.stringify(['a', 'b', 'c']));
    const bare = createSync({
        url: 'https://sync.example', token: 't', fileStore: site.disk.store(), storage: site.storage, signal,
        fetch: (address, init) => site.fetch(address, init), retry: { attempts: 1 },
    });
    const before = count;
    for (let round = 0; round < 3; round++) {
        await bare.sync({ synchronize, database: site.database }).catch(() => {});
    }
    assert.equal(count, before);
});

test('the time that the server asks for is kept, and a captive page is no success', async () => {
    const site = new Site();
    await site.sync();
    const page = () => new Response('<h1>Log in</h1>', { status: 200, headers: { 'Content-Type': 'text/html' } });
    const answers = [() => problem(429, 'rate_limited', {}, { 'Retry-After': '7' }), page];
    site.answer = (_, kind) => (kind === 'other' ? null : answers.shift()?.());
    const { digest } = await site.files.add(bytesOf(500, 4));
    await site.stored(digest);
    assert.ok(site.waits.includes(7000), `${site.waits}`);
    assert.deepEqual(site.requests.slice(0, 3), ['PUT files 429', 'PUT files 200', 'PUT files 201']);
});

test('bytes that the device has lost have failed, and hold up no other', async () => {
    const site = new Site();
    await site.sync();
    site.answer = (_, kind) => (kind === 'other' ? null : nothing());
    const lost = await site.files.add(bytesOf(500, 5));
    const other = await site.files.add(bytesOf(500, 6));
    await site.restsWith(lost.digest, 'network');
    const { uri } = await site.files.open(lost.digest);
    site.disk.files.set(uri.slice(5), Buffer.alloc(7));
    site.answer = () => null;
    await site.sync();
    await site.stored(other.digest);
    const { state, reason } = await site.files.state(lost.digest);
    assert.deepEqual([state, reason], ['failed', 'bytes_lost']);
    await site.files.add(bytesOf(500, 5));
    await site.stored(lost.digest);
    assert.equal(site.disk.files.size, 2);
});

test('a file store that can\'t be read just now is no reason to give a file up', async () => {
    const site = new Site();
    await site.sync();
    const store = site.disk.store({ isNative: true });
    let isLocked = false;
    const read = async (...args) => {
        if (isLocked) throw new Error('The device is locked.');
        return store.read(...args);
    };
    site.start({ fileStore: { ...store, read } });
    site.answer = (_, kind) => (kind === 'other' ? null : nothing());
    const { digest } = await site.files.add(bytesOf(500, 7));
    await site.restsWith(digest, 'network');
    isLocked = true;
    site.answer = () => null;
    await site.sync();
    await site.restsWith(digest, 'failed');
    isLocked = false;
    await site.sync();
    await site.stored(digest);
});

test('a full disk drops the cache for what is to be kept, and says what to do where that is not enough', async () => {
    const site = new Site();
    const store = site.disk.store({ isNative: true });
    let room = 2000;
    const used = () => [...site.disk.files.values()].reduce((sum, { length }) => sum + length, 0);
    const append = async (name, bytes) => {
        if (used() + bytes.length > room) throw new Error('write failed: ENOSPC (No space left on device)');
        await store.append(name, bytes);
    };
    site.start({ fileStore: { ...store, append } });
    await site.sync();
    const first = await site.files.add(bytesOf(1500, 8));
    site.database.create('attachments', { id: 'r', file: first.digest });
    await site.stored(first.digest);
    for (let round = 0; round < 2; round++) await site.sync();
    const second = await site.files.add(bytesOf(1400, 9));
    assert.equal(await site.files.state(first.digest), null, 'It was a cache.');
    assert.equal((await site.files.open(first.digest).catch(error => error)).code, 'not_copied');
    await site.stored(second.digest);
    await assert.rejects(site.files.add(bytesOf(1500, 10)), { code: 'not_copied', detail: /No space left/ });
    assert.equal(used(), 1400, 'Own bytes stay until a row says that they are stored.');
    room = 1e6;
    assert.equal((await site.files.open(first.digest)).size, 1500);
});

test('a download goes on after breaks, is checked, and read once for all who ask', async () => {
    const site = new Site();
    const bytes = bytesOf(2_500_000, 11);
    const digest = sha256(bytes);
    site.server.files.set(digest, Buffer.from(bytes));
    site.server.rows.set('r', { id: 'r', file: digest, state: 'stored', commit: 2 });
    await site.sync();
    const faults = [() => null, nothing, () => problem(503, 'busy'), () => null, nothing];
    site.answer = (_, kind) => (kind === 'files' ? faults.shift()?.() : null);
    const opened = await Promise.all([site.files.open(digest), site.files.open(digest)]);
    for (const each of opened) assert.deepEqual(new Uint8Array(await each.arrayBuffer()), bytes);
    assert.deepEqual(site.requests, ['GET files 206', 'GET files 503', 'GET files 206', 'GET files 206']);
    assert.equal(site.disk.files.size, 1);
    const empty = sha256(new Uint8Array(0));
    site.server.files.set(empty, Buffer.alloc(0));
    site.server.rows.set('e', { id: 'e', file: empty, state: 'stored', commit: 3 });
    assert.equal((await site.files.open(empty)).size, 0);
});

test('what is wrong each time is given up, and a proxy may send the whole file', async () => {
    const site = new Site();
    await site.sync();
    const [bytes, wrong] = [bytesOf(1_500_000, 12), bytesOf(1_500_000, 13)];
    const whole = content => () => new Response(content, { status: 200, headers: { 'Content-Type': 'image/png' } });
    site.answer = (_, kind) => (kind === 'files' ? whole(wrong)() : null);
    await assert.rejects(site.files.open(sha256(bytes)), { code: 'invalid_answer' });
    assert.equal(site.disk.files.size, 0);
    site.answer = (_, kind) => (kind === 'files' ? whole(bytes)() : null);
    const opened = await site.files.open(sha256(bytes));
    assert.deepEqual([opened.size, opened.type], [bytes.length, 'image/png']);
});

test('the cache keeps what was opened last, and never drops what was opened just now', async () => {
    const site = new Site({ fileCacheBytes: 1000 });
    await site.sync();
    const digests = [21, 22, 23, 24].map(seed => {
        const bytes = Buffer.from(bytesOf(seed === 24 ? 5000 : 450, seed));
        site.server.files.set(sha256(bytes), bytes);
        site.server.rows.set(`${seed}`, { id: `${seed}`, file: sha256(bytes), state: 'stored', commit: 2 });
        return sha256(bytes);
    });
    const here = async () => Promise.all(digests.map(async digest => await site.files.state(digest) !== null));
    for (const index of [0, 1, 0, 2]) {
        site.now += 1000;
        await site.files.open(digests[index]);
    }
    assert.deepEqual(await here(), [true, false, true, false]);
    site.now += 1000;
    await site.files.open(digests[3]);
    assert.deepEqual(await here(), [true, false, true, true]);
    site.now += 1000;
    await site.files.open(digests[1]);
    assert.deepEqual(await here(), [false, true, true, false], 'It was larger than the cache.');
});

test('the app may begin again in the middle, and its requests go on where they were', async () => {
    const site = new Site();
    await site.sync();
    const bytes = bytesOf(900_000, 14);
    let patches = 0;
    site.answer = (method, kind) => (kind !== 'other' && (method === 'PATCH' ? ++patches > 1 : patches > 1) ? nothing() : null);
    const { digest } = await site.files.add(bytes);
    await site.restsWith(digest, 'network');
    assert.equal((await site.files.state(digest)).sent, 2 ** 18);
    site.answer = () => null;
    site.start();
    await site.sync();
    await site.stored(digest);
    assert.equal(site.server.received, bytes.length);
    assert.deepEqual(site.requests.filter(each => each.startsWith('PUT')), ['PUT files 201']);
});

test('an upload that another client of the user has begun is the same, and goes on at its offset', async () => {
    const site = new Site();
    await site.sync();
    const bytes = bytesOf(500_000, 15);
    const digest = sha256(bytes);
    site.server.uploads.set('u0', { digest, size: bytes.length, bytes: Buffer.from(bytes.subarray(0, 300_000)), isComplete: false });
    await site.files.add(bytes);
    await site.stored(digest);
    assert.equal(site.server.received, 200_000);
});

test('bytes that arrive as others are sent once more, and then the file has failed', async () => {
    const site = new Site();
    await site.sync();
    let faults = 0;
    site.answer = method => (method === 'PATCH' && ++faults ? problem(400, 'digest_mismatch') : null);
    const { digest } = await site.files.add(bytesOf(5000, 16));
    await site.comesTo(digest, ({ state }) => state === 'failed');
    assert.deepEqual([faults, (await site.files.state(digest)).reason], [2, 'digest_mismatch']);
});

test('a storage that fails makes add fail, and leaves no bytes', async () => {
    const site = new Site();
    const values = memoryStorage();
    let isFull = false;
    const set = (key, value) => {
        if (isFull && key.includes(':file')) throw new Error('The storage is full.');
        values.set(key, value);
    };
    site.start({ storage: { ...values, set } });
    await site.sync();
    isFull = true;
    await assert.rejects(site.files.add(bytesOf(500, 17)), /The storage is full/);
    assert.deepEqual([site.disk.files.size, await site.files.list()], [0, []]);
    isFull = false;
    await site.stored((await site.files.add(bytesOf(500, 17))).digest);
});

test('names of another database in the same folder are left alone', async () => {
    const site = new Site();
    const { digest } = await site.files.add(bytesOf(500, 18));
    const other = `p-1.x.${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`;
    const stale = `p-1.${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`;
    for (const name of [other, 'readme.txt', stale]) site.disk.files.set(name, Buffer.alloc(3));
    site.start();
    assert.equal((await site.files.list()).length, 1);
    const names = [...site.disk.files.keys()];
    assert.deepEqual([names.includes(other), names.includes('readme.txt'), names.includes(stale)], [true, true, false]);
    assert.equal((await site.files.open(digest)).size, 500);
});

/** A server with files that somebody else has sent, and rows that name them. */
function stocked(site, sizes) {
    return sizes.map((size, index) => {
        const bytes = Buffer.from(bytesOf(size, 40 + index));
        site.server.files.set(sha256(bytes), bytes);
        site.server.rows.set(`k${index}`, { id: `k${index}`, file: sha256(bytes), state: 'stored', commit: 2 });
        return sha256(bytes);
    });
}

/** Lets everything run that is due. */
async function turns(site) {
    for (let turn = 0; turn < 300; turn++) {
        await site.files.list();
        await new Promise(resolve => setImmediate(resolve));
    }
}

test('what the app wants to keep is read ahead, over breaks and restarts, and nothing else', async () => {
    const site = new Site();
    const digests = stocked(site, [600, 700, 800]);
    site.answer = (_, kind) => (kind === 'files' ? nothing() : null);
    const asked = [];
    const keep = (row, collection) => asked.push([row.id, collection]) && row.id !== 'k1';
    site.start({ keep });
    await site.sync();
    assert.deepEqual(asked, ['k0', 'k1', 'k2'].map(id => [id, 'attachments']));
    await turns(site);
    assert.deepEqual([site.requests, site.disk.files.size], [[], 0]);
    site.answer = () => null;
    site.start({ keep });
    await site.sync();
    await site.comesTo(digests[2], state => state?.state === 'stored');
    assert.deepEqual(await Promise.all(digests.map(async each => await site.files.state(each) !== null)), [true, false, true]);
    assert.equal(site.requests.length, 2);
    site.answer = nothing;
    assert.equal((await site.files.open(digests[0])).size, 600);
    assert.equal(site.storage.get('tidemark:p-1:ahead'), null);
});

test('what is read ahead drops nothing, and goes with the user', async () => {
    const site = new Site();
    const digests = stocked(site, [600, 700, 800, 300]);
    site.start({ keep: () => true, fileCacheBytes: 1000 });
    await site.sync();
    await turns(site);
    const here = async () => Promise.all(digests.map(async digest => await site.files.state(digest) !== null));
    assert.deepEqual(await here(), [true, false, false, true], 'There is no room for the others.');
    assert.equal(JSON.parse(site.storage.get('tidemark:p-1:ahead')).length, 2);
    await site.files.open(digests[1]);
    assert.deepEqual(await here(), [false, true, false, true], 'What somebody opens goes before.');
    let isAsked;
    const underWay = new Promise(resolve => { isAsked = resolve; });
    site.answer = (_, kind) => (kind === 'files' ? (isAsked(), new Promise(() => {})) : null);
    const reading = site.files.open(digests[2]);
    reading.catch(() => {});
    await underWay;
    await site.adapter.forget(async () => site.database.reset());
    assert.deepEqual([site.storage.get('tidemark:p-1:ahead'), site.disk.files.size], [null, 0]);
    await assert.rejects(reading, { isAborted: true });
});

test('what is read ahead outlasts a log-in page in the server\'s place, and what the server refuses is left out', async () => {
    const page = status => new Response('<h1>Log in</h1>', { status, headers: { 'Content-Type': 'text/html' } });
    const answers = [
        [() => page(403), true], [() => page(404), true], [() => page(200), true], [nothing, true],
        [() => problem(404, 'not_found'), false], [() => problem(403, 'forbidden'), false],
    ];
    for (const [answer, isAgain] of answers) {
        const site = new Site({ keep: () => true });
        const [digest] = stocked(site, [600]);
        site.server.head = 3;
        site.answer = (_, kind) => (kind === 'files' ? answer() : null);
        await site.sync();
        await turns(site);
        site.answer = () => null;
        for (let round = 0; round < 4; round++) {
            await site.sync();
            await turns(site);
        }
        if (isAgain) await site.comesTo(digest, state => state?.state === 'stored');
        else assert.equal(await site.files.state(digest), null, `${answer}`);
        await turns(site);
        assert.equal(site.storage.get('tidemark:p-1:ahead'), null);
    }
});

test('a file that is damaged on the server keeps no other from being read ahead, and is read ever less often', async () => {
    const site = new Site({ keep: () => true, retry: { attempts: 1 } });
    const digests = stocked(site, [600, 700, 800]);
    let asked = 0;
    site.answer = (_, kind, address) =>
        (kind === 'files' && address.includes(digests[0]) && ++asked ? new Response(new Uint8Array(600)) : null);
    for (let round = 0; round < 30; round++) {
        await site.sync();
        await turns(site);
    }
    for (const digest of digests.slice(1)) await site.comesTo(digest, state => state?.state === 'stored');
    assert.equal(await site.files.state(digests[0]), null);
    assert.ok(asked >= 3 && asked <= 8, `${asked} times`);
});

test('a full disk ends what is read ahead until the next start, and the cache stays', async () => {
    const site = new Site();
    const digests = stocked(site, [600, 700, 800]);
    const store = site.disk.store({ isNative: true });
    let room = 650;
    const append = (name, bytes) => {
        const used = [...site.disk.files.values()].reduce((sum, { length }) => sum + length, 0);
        if (used + bytes.length > room) throw new Error('write failed: ENOSPC (No space left on device)');
        return store.append(name, bytes);
    };
    const fileStore = { ...store, append };
    site.start({ fileStore });
    await site.sync();
    await site.files.open(digests[0]);
    site.start({ fileStore, keep: () => true });
    for (const row of site.server.rows.values()) row.commit = 3;
    site.server.head = 3;
    const requests = site.requests.length;
    for (let round = 0; round < 3; round++) {
        await site.sync();
        await turns(site);
    }
    const here = () => Promise.all(digests.map(async digest => await site.files.state(digest) !== null));
    assert.deepEqual([await here(), site.requests.length - requests], [[true, false, false], 1]);
    room = 5000;
    site.start({ fileStore, keep: () => true });
    await site.sync();
    for (const digest of digests) await site.comesTo(digest, state => state?.state === 'stored');
});

test('what is tried again by itself waits longer only as long as nothing is read', async () => {
    for (const [breaks, expected] of [[[2, 4, 6], [0, 0, 0]], [[1, 2, 3], [0, 1, 2]], [[1, 3, 4, 5], [0, 0, 1, 2]]]) {
        const [files, pauses] = [['a', 'b', 'c', 'd'].map(digest => ({ digest, project: 'p' })), []];
        let asked = 0;
        const list = { next: async () => files[0] ?? null, done: async file => files.splice(files.indexOf(file), 1) };
        const read = async () => {
            if (breaks.includes(++asked)) throw new TidemarkError('network', 'It broke.');
        };
        const ahead = new Ahead({ list, read, pause: async failures => pauses.push(failures) });
        ahead.wake();
        await ahead._running;
        assert.deepEqual([pauses, files.length], [expected, 0]);
    }
});

test('a wake is never lost, at whatever moment of the end of a run it comes', async () => {
    for (let moment = 0; moment < 12; moment++) {
        let asked = 0;
        const next = async () => {
            if (++asked > 1) return null;
            let later = Promise.resolve();
            for (let step = 0; step < moment; step++) later = later.then(() => {});
            later.then(() => ahead.wake());
            return null;
        };
        const ahead = new Ahead({ list: { next }, read: async () => {} });
        ahead.wake();
        for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve));
        assert.equal(asked, 2, `${moment}`);
    }
});
