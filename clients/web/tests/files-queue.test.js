import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { comesTo } from './support/attached.js';
import { Browser } from './support/browser.js';
import { bytesOf, contentOf, counting, faking, page, problem, sha256 } from './support/files.js';
import { openIn, syncedIn, until } from './support/open.js';
import { scene } from './support/scene.js';

// What answers in the server's place, and in which order a copy's files go.

let server, alice, project;

before(async () => {
    ({ server, alice, project } = await scene());
});
after(() => server.stop());

const nothing = () => { throw new TypeError('There is no answer.'); };

const opened = (fetch, options = {}) =>
    syncedIn(new Browser().tab(), server, { token: alice, project, fetch, ...options });

const WAITS = [
    ['busy', problem(503, 'busy')], ['rate_limited', problem(429, 'rate_limited')], ['network', nothing],
    ['too_many_uploads', problem(429, 'too_many_uploads', { 'Retry-After': '0' })], ['http_502', page(502)],
    ['no_file_store', problem(501, 'no_file_store')], ['invalid_answer', page(200)], ['http_403', page(403)],
    ['http_404', page(404)], ['http_405', page(405)], ['http_501', page(501)],
];
for (const [reason, answer] of WAITS) {
    test(`a file waits when the answer to its first request is ${reason}`, async () => {
        let isFaulty = true;
        const client = await opened(faking(() => isFaulty && answer));
        const seed = 100 + WAITS.findIndex(each => each[0] === reason);
        const { digest, size } = await client.files.add(bytesOf(5000, seed));
        await client.sync();
        await until(async () => (await client.files.state(digest)).reason === reason, reason);
        assert.deepEqual(await client.files.state(digest), { state: 'waiting', sent: 0, size, reason });
        assert.deepEqual([client.state.error, client.state.filesToSend], [null, 1]);
        isFaulty = false;
        await client.sync();
        await comesTo(client, digest, 'stored');
        await client.close();
    });
}

const FAILS = [
    ['forbidden', problem(403, 'forbidden')], ['file_too_large', problem(413, 'file_too_large')],
    ['http_413', page(413)], ['invalid_parameter', problem(400, 'invalid_parameter')],
    ['project_archived', problem(403, 'project_archived')],
];
for (const [reason, answer] of FAILS) {
    test(`a file fails when the answer is ${reason}, and others are sent`, async () => {
        const bad = bytesOf(5000, 200 + FAILS.findIndex(each => each[0] === reason));
        let isFaulty = true;
        const client = await opened(faking((_, address) => isFaulty && address.includes(sha256(bad)) && answer));
        const { digest } = await client.files.add(bad);
        const other = await client.files.add(bytesOf(6000, 200 + FAILS.length + bad[3]));
        await client.sync();
        await comesTo(client, digest, 'failed');
        await comesTo(client, other.digest, 'stored');
        assert.equal((await client.files.state(digest)).reason, reason);
        isFaulty = false;
        await client.files.add(bad);
        await client.sync();
        await comesTo(client, digest, 'stored');
        await client.close();
    });
}

test('what a proxy says of an upload that goes on makes it wait, and costs none of it', async () => {
    const size = 3_000_000;
    for (const [place, status] of [404, 405, 501].entries()) {
        let isFaulty = null;
        const network = faking(() => isFaulty && page(status));
        const client = await opened((address, options) => network(address, options).finally(() => {
            isFaulty ??= options.method === 'PATCH' || null;
        }));
        const { digest } = await client.files.add(bytesOf(size, 260 + place));
        await client.sync();
        await until(async () => (await client.files.state(digest)).reason === `http_${status}`, `${status}`);
        const { state, sent } = await client.files.state(digest);
        assert.equal(state, 'waiting');
        assert.ok(sent > 0, `${status}`);
        isFaulty = false;
        await client.sync();
        await comesTo(client, digest, 'stored');
        // What the proxy has swallowed was the rest.
        assert.ok(network.bytes <= 2 * size - sent, `${network.bytes} of ${size}`);
        await client.close();
    }
});

test('a file waits for its user when the session has ended', async () => {
    let isOver = true;
    const client = await opened(faking(() => isOver && problem(401, 'unauthorized')));
    const { digest } = await client.files.add(bytesOf(5000, 299));
    await client.sync().catch(error => assert.match(error.code, /^(session_ended|unauthorized)$/));
    await until(() => !client.state.isSignedIn, 'the session has ended');
    assert.equal(client.state.filesToSend, 1);
    isOver = false;
    await client.signIn({ token: alice });
    await client.sync();
    await comesTo(client, digest, 'stored');
    await client.close();
});

test('with a listening copy a file is tried again by itself', async () => {
    let failures = 3;
    const client = await opened(faking(() => failures-- > 0 && [problem(503, 'busy'), nothing][failures % 2]),
        { listen: true });
    const { digest } = await client.files.add(bytesOf(5000, 300));
    await comesTo(client, digest, 'stored');
    await client.close();
});

test('a request that gets no answer at all ends, and the file goes on', async () => {
    let hangs = 2;
    const network = counting((address, options) => (/\/uploads\//.test(address) && hangs-- > 0
        ? new Promise(() => {}) : fetch(address, options)));
    const client = await opened(network, { timeout: 300 });
    const { digest } = await client.files.add(bytesOf(3000, 302));
    await client.sync();
    await comesTo(client, digest, 'stored');
    assert.ok(hangs < 1);
    await client.close();
});

test('the time that the server asks for is kept, whatever is added meanwhile', async () => {
    let faults = 1;
    const waits = [];
    const wait = milliseconds => new Promise(resolve => { waits.push({ milliseconds, resolve }); });
    const network = faking(() => faults-- > 0 && problem(429, 'rate_limited', { 'Retry-After': '7' }));
    const client = await opened(network, { listen: true, wait });
    const { digest } = await client.files.add(bytesOf(3000, 303));
    const asked = await until(() => waits.find(({ milliseconds }) => milliseconds === 7000), 'it waits');
    const other = await client.files.add(bytesOf(3000, 304));
    await client.sync();
    assert.deepEqual([network.requests, (await client.files.state(other.digest)).state], [['PUT files 429'], 'waiting']);
    asked.resolve();
    for (const each of [digest, other.digest]) await comesTo(client, each, 'stored');
    await client.close();
});

test('how far a file is can be seen in all windows, and another window goes on when one is closed', async () => {
    const browser = new Browser();
    let close = null;
    const network = counting(async (address, options) => {
        const answer = await fetch(address, options);
        if (options.method === 'PATCH') close?.();
        return answer;
    });
    const first = await syncedIn(browser.tab(), server, { token: alice, project, fetch: network, listen: true });
    const second = await openIn(browser.tab(), server, { project, fetch: network, listen: true });
    const seen = new Set();
    second.files.onChange(async digest => seen.add((await second.files.state(digest))?.sent));
    close = () => {
        if (seen.size < 2) return;
        close = null;
        first.close();
    };
    const { digest, size } = await second.files.add(bytesOf(9_000_000, 305));
    await comesTo(second, digest, 'stored');
    assert.ok(seen.size > 3 && close === null, [...seen].join());
    assert.equal(network.requests.filter(each => each.startsWith('PUT')).length, 1);
    assert.ok(network.bytes <= size + 2 ** 23, `${network.bytes} bytes: ${network.requests}`);
    await second.close();
});

test('a sync waits for no file', async () => {
    let release;
    const held = new Promise(resolve => { release = resolve; });
    const client = await opened(faking(async () => { await held; }));
    const { digest } = await client.files.add(bytesOf(5000, 301));
    await client.insert('tasks', { project_id: project, id: 'beside', name: 'Beside' });
    await client.sync();
    assert.deepEqual([client.state.unsent, client.state.isSyncing], [0, false]);
    release();
    await comesTo(client, digest, 'stored');
    await client.close();
});

for (const [what, part] of [['its beginning', 'PUT files'], ['its last bytes', 'PATCH uploads']]) {
    test(`a file whose upload loses the answer to ${what} goes on, and is sent once`, async () => {
        let isFaulty = true;
        const network = counting(async (address, options) => {
            const answer = await fetch(address, options);
            const [method, kind] = part.split(' ');
            if (!isFaulty || options.method !== method || !address.includes(`/sync/${kind}/`)) return answer;
            isFaulty = false;
            throw new TypeError('The answer is lost.');
        });
        const client = await opened(network);
        const { digest, size } = await client.files.add(bytesOf(5000, 302 + part.length));
        await client.sync();
        await client.sync();
        await comesTo(client, digest, 'stored');
        assert.equal(network.bytes, size, `${network.requests}`);
        await client.close();
    });
}

test('an upload that the server has forgotten begins anew, and one with another offset goes on there', async () => {
    const faults = [problem(404, 'not_found'), problem(409, 'upload_offset_mismatch')];
    const network = faking(method => method === 'PATCH' && faults.shift());
    const client = await opened(network);
    const { digest } = await client.files.add(bytesOf(5000, 310));
    for (let round = 0; round < 3; round++) await client.sync();
    await comesTo(client, digest, 'stored');
    const begins = network.requests.filter(each => each.startsWith('PUT'));
    assert.deepEqual([begins.length, network.requests.includes('HEAD uploads 204')], [2, true], `${network.requests}`);
    await client.close();
});

test('bytes that arrive as others are sent once more, and then the file has failed', async () => {
    let faults = 0;
    const network = faking(method => method === 'PATCH' && ++faults && problem(400, 'digest_mismatch'));
    const client = await opened(network);
    const { digest } = await client.files.add(bytesOf(5000, 311));
    await client.sync();
    await comesTo(client, digest, 'failed');
    assert.deepEqual([faults, (await client.files.state(digest)).reason], [2, 'digest_mismatch']);
    await client.close();
});

test('a file whose bytes the browser has lost fails, and holds up no other', async () => {
    const client = await opened(fetch);
    const lost = await client.files.add(bytesOf(5000, 320));
    const other = await client.files.add(bytesOf(5000, 321));
    await client._replica.writeFiles(({ transaction }) => transaction.delete('bytes', [lost.digest, project]));
    await client.sync();
    await comesTo(client, lost.digest, 'failed');
    await comesTo(client, other.digest, 'stored');
    assert.equal((await client.files.state(lost.digest)).reason, 'bytes_lost');
    await client.files.add(bytesOf(5000, 320));
    await client.sync();
    await comesTo(client, lost.digest, 'stored');
    await client.close();
});

test('what a download brings is checked, and read again', async () => {
    const client = await opened(fetch);
    const bytes = bytesOf(400_000, 312);
    const { digest } = await client.files.add(bytes);
    await client.insert('attachments', { project_id: project, name: 'Photo', file: digest });
    await client.sync();
    await comesTo(client, digest, 'stored');
    await client.close();
    for (const faults of [[page(200)], [nothing, page(200)], [problem(503, 'busy')]]) {
        const count = faults.length;
        const network = faking(method => method === 'GET' && faults.shift());
        const other = await opened(network, { retry: { attempts: 3 } });
        const [one, two] = await Promise.all([other.files.open(digest), other.files.open(digest)]);
        assert.deepEqual(await contentOf(one), bytes);
        assert.equal(one.size, two.size);
        assert.equal(network.requests.length, count + 1, `${network.requests}`);
        await other.close();
    }
    const other = await opened(faking(method => method === 'GET' && page(200)));
    await assert.rejects(other.files.open(digest), { code: 'invalid_answer' });
    assert.equal(await other.files.state(digest), null, 'nothing of it is kept');
    await other.close();
});

test('a file that is removed is sent no more, nor forgotten when the server has it', async () => {
    const network = faking(method => method === 'PATCH' && problem(503, 'busy'));
    const client = await opened(network);
    const { digest } = await client.files.add(bytesOf(5000, 313));
    await client.sync();
    await until(async () => (await client.files.state(digest)).reason === 'busy', 'an upload is begun');
    await client.files.remove(digest);
    assert.equal(await client.files.state(digest), null);
    await until(() => network.requests.includes('DELETE uploads 204'), 'the upload is ended');
    await client.files.remove(digest);
    await assert.rejects(client.files.retry(digest), { code: 'unknown_file' });
    await client.close();
});
