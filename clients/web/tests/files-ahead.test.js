import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { filesNamed } from '../lib/common/files/named.js';
import { putFile } from './support/attached.js';
import { Browser } from './support/browser.js';
import { breaking, bytesOf, contentOf, counting, faking, offline, page, problem, sha256 } from './support/files.js';
import { openIn, syncedIn, until } from './support/open.js';
import { scene, sharedProject } from './support/scene.js';
import { turns } from './support/turns.js';

// Files that a copy reads before anybody opens them, with a real server.

const SIZE = 5000;
let server, alice, bob, project, seed = 500;

before(async () => {
    ({ server, alice, bob } = await scene());
});
beforeEach(async () => {
    project = await sharedProject({ server, alice });
});
after(() => server.stop());

/** Files of alice's on the server, of these sizes, each with a row `k0`, `k1`, … */
async function stocked(...sizes) {
    const files = [];
    for (const [index, size] of sizes.entries()) {
        const bytes = bytesOf(size, ++seed);
        files.push({ bytes, ...await putFile(server, alice, project, bytes, { name: `k${index}` }) });
    }
    return files;
}

/** A window of bob's, signed in and synced. */
const opened = (options = {}, browser = new Browser()) => syncedIn(browser.tab(), server,
    { token: bob, project, keep: () => true, retry: { attempts: 1 }, ...options });

/** Resolves when nothing is read ahead. */
async function rested(client) {
    await turns();
    for (let ahead = aheadOf(client); ahead._running;) await ahead._running;
}

const aheadOf = client => client.files._own._beside._ahead;

/** Which of these files the copy has. */
const here = (client, files) =>
    Promise.all(files.map(async ({ digest }) => await client.files.state(digest) !== null));

const has = (client, file) => until(async () => (await here(client, [file]))[0], `${file.digest} is here`);

const never = () => new Promise(() => {});

test('what the app keeps is read one after another before anybody opens it, and opens without a network', async () => {
    const files = await stocked(SIZE, SIZE, 3_000_000, SIZE);
    const claim = sha256(bytesOf(SIZE, ++seed));
    await server.api(alice, 'POST', `/projects/${project}/attachments/`, { name: 'k9', file: claim });
    let [isThere, running, most] = [true, 0, 0];
    const network = counting(async (address, options) => {
        if (!isThere) return offline();
        if (!/\/sync\/files\//.test(address)) return fetch(address, options);
        most = Math.max(most, ++running);
        const answer = await fetch(address, options);
        const body = await answer.arrayBuffer();
        running--;
        return new Response(body, answer);
    });
    const asked = [];
    const keep = (row, collection) => {
        asked.push([collection, row.name, row.state, row.project_id]);
        return row.name !== 'k1';
    };
    const client = await opened({ keep, fetch: network });
    const told = [];
    client.files.onChange(digest => told.push(digest));
    for (const index of [0, 2, 3]) await has(client, files[index]);
    await rested(client);
    assert.deepEqual(await here(client, files), [true, false, true, true]);
    assert.deepEqual([network.requests, most], [Array(3).fill('GET files 200'), 1]);
    const names = [...new Set(asked.map(each => each.join(' ')))].sort();
    assert.deepEqual(names, [0, 1, 2, 3].map(index => `attachments k${index} stored ${project}`));
    assert.ok([0, 2, 3].some(index => told.includes(files[index].digest)), 'windows are told');
    isThere = false;
    for (const index of [0, 2, 3]) {
        assert.deepEqual(await contentOf(await client.files.open(files[index].digest)), files[index].bytes);
    }
    await client.close();
});

test('a row that comes to be stored later is read then, and keep is asked again for it alone', async () => {
    await stocked(SIZE, SIZE);
    const asked = [];
    const keep = ({ name }) => asked.push(name) > 0;
    const client = await opened({ keep, listen: true });
    await until(() => asked.includes('k0') && asked.includes('k1'), 'all were asked for');
    await until(async () => (await client.rows('attachments')).length === 2 && !client.state.isSyncing, 'it rests');
    const bytes = bytesOf(SIZE, ++seed);
    const { id } = await server.api(alice, 'POST', `/projects/${project}/attachments/`, {
        name: 'late', file: sha256(bytes),
    });
    await until(async () => (await client.row('attachments', id))?.state === 'pending', 'the row comes first');
    await turns();
    const before = asked.length;
    assert.ok(!asked.includes('late'), 'the server does not have the file yet');
    await putFile(server, alice, project, bytes, { name: 'twin' });
    await has(client, { digest: sha256(bytes) });
    const since = () => [...new Set(asked.slice(before))].sort();
    await until(() => since().length >= 2, 'both rows are asked for');
    assert.deepEqual(since(), ['late', 'twin']);
    await client.close();
});

test('after a choice of the app has changed, sync() asks for all rows, and what is not kept any more stays', async () => {
    const files = await stocked(SIZE, SIZE, SIZE);
    let chosen = 'k0';
    const network = counting();
    const client = await opened({ keep: ({ name }) => name === chosen, fetch: network });
    await has(client, files[0]);
    chosen = 'k2';
    await client.sync();
    await has(client, files[2]);
    await rested(client);
    assert.deepEqual([await here(client, files), network.requests.length], [[true, false, true], 2]);
    await client.close();
});

test('a row that is not kept any more before its file is read, or that is deleted, is left out', async () => {
    const files = await stocked(SIZE, SIZE, SIZE);
    let isThere = false;
    const network = faking(() => !isThere && offline);
    const client = await opened({ keep: ({ name }) => name !== 'done', fetch: network });
    await rested(client);
    await server.api(alice, 'PATCH', `/attachments/${files[0].id}/`, { name: 'done' });
    await server.api(alice, 'DELETE', `/attachments/${files[1].id}/`);
    isThere = true;
    const requests = network.requests.length;
    // It has the changes, and is asked for nothing else: the app has not asked for a sync.
    await client._hub._leader._line._syncer.sync(new AbortController().signal);
    client._hub._leader._line._send(false);
    await has(client, files[2]);
    await rested(client);
    assert.deepEqual(await here(client, files), [false, false, true]);
    assert.deepEqual(network.requests.slice(requests), ['GET files 200']);
    await client.close();
});

test('the cache bounds it, and nothing is dropped for it', async () => {
    const files = await stocked(600, 700, 800, 300);
    const network = counting();
    const client = await opened({ fileCacheBytes: 1000, fetch: network });
    await rested(client);
    const first = await here(client, files);
    const sizes = [600, 700, 800, 300].filter((_, index) => first[index]);
    assert.equal(network.requests.length, sizes.length, 'nothing is read that has no room');
    assert.ok(sizes.length > 0 && sizes.reduce((sum, size) => sum + size) <= 1000, `${first}`);
    const smallest = Math.min(...[600, 700, 800, 300].filter((_, index) => !first[index]));
    assert.ok(sizes.reduce((sum, size) => sum + size) + smallest > 1000, 'there is no room for another one');
    const missing = files[first.indexOf(false)];
    await client.files.open(missing.digest);
    assert.equal((await here(client, [missing]))[0], true, 'What somebody opens goes before.');
    const second = await here(client, files);
    await client.sync();
    await rested(client);
    for (const [index, isHere] of (await here(client, files)).entries()) assert.ok(isHere || !second[index]);
    await client.close();
});

test('what somebody opens meanwhile goes before a file that is on its way', async () => {
    const files = await stocked(600, 700);
    let client = null;
    const network = faking(async (_, address) => {
        if (address.includes(files[0].digest)) await client.files.open(files[1].digest);
    });
    let isKept = false;
    client = await opened({ fetch: network, fileCacheBytes: 1000, keep: row => isKept && row.file === files[0].digest });
    isKept = true;
    await client.sync();
    await rested(client);
    assert.deepEqual(await here(client, files), [false, true]);
    assert.deepEqual(network.requests, ['GET files 200', 'GET files 200']);
    await client.close();
});

test('a browser without space ends it until the next sync(), and the cache stays', async () => {
    const files = await stocked(SIZE, SIZE, SIZE);
    const browser = new Browser();
    const tab = browser.tab();
    const kept = new Set();
    const network = counting();
    const client = await syncedIn(tab, server,
        { token: bob, project, keep: ({ name }) => kept.has(name), fetch: network });
    await client.files.open(files[0].digest);
    const write = client._replica.writeFiles;
    let isFull = true;
    client._replica.writeFiles = function (work, durability) {
        // Nothing can be added, but something dropped.
        if (isFull && durability === 'relaxed') tab.failCommit('QuotaExceededError');
        return write.call(this, work, durability);
    };
    for (const name of ['k1', 'k2']) kept.add(name);
    await client.sync();
    await rested(client);
    assert.equal(network.requests.length, 2, 'one file shows that there is no space');
    isFull = false;
    assert.deepEqual(await here(client, files), [true, false, false]);
    aheadOf(client).wake();
    await rested(client);
    assert.equal(network.requests.length, 2);
    await client.sync();
    await rested(client);
    assert.deepEqual(await here(client, files), [true, true, true]);
    await client.close();
});

test('one window at a time reads, and the next one goes on when it closes', async () => {
    const files = await stocked(SIZE, SIZE, SIZE);
    const browser = new Browser();
    let [most, isHeld] = [1, true];
    const asked = [];
    const network = faking((_, address) => {
        asked.push(address);
        return isHeld && asked.length > most && never;
    });
    const windows = [await opened({ fetch: network }, browser), await opened({ fetch: network }, browser)];
    await until(() => asked.length === 2, 'the second file is asked for');
    await windows[1].sync();
    await turns();
    assert.equal(asked.length, 2, 'the other window asks for none');
    assert.equal(windows[1].files._own, null);
    isHeld = false;
    await windows[0].close();
    await windows[1].sync();
    for (const file of files) await has(windows[1], file);
    assert.equal(new Set(asked).size, 3);
    assert.equal(asked.length, 4, 'only what was under way is asked for again');
    await windows[1].close();
});

test('a sync waits for no file that is read ahead, and a log-out for none', async () => {
    const files = await stocked(SIZE);
    let isAsked = false;
    const client = await opened({ fetch: faking(() => {
        isAsked = true;
        return never;
    }) });
    await until(() => isAsked, 'it is asked for');
    const { id } = await server.task(alice, project, { name: 'New' });
    await client.sync();
    assert.equal((await client.row('tasks', id)).name, 'New');
    assert.equal(client.state.error, null);
    await client.signOut();
    assert.deepEqual([await client.files.list(), (await here(client, files))[0]], [[], false]);
    await client.close();
});

test('what one session was about to read, it does not read when the next one has begun', async () => {
    await stocked(SIZE, SIZE, SIZE);
    const answers = [];
    const network = faking(() => () => new Promise(resolve => answers.push(resolve)));
    const client = await opened({ fetch: network });
    await until(() => answers.length === 1, 'one is asked for');
    const former = aheadOf(client);
    await client.signOut();
    await client.signIn({ token: alice });
    await client.sync();
    await until(() => answers.length === 2, 'the next one asks itself');
    answers[0](problem(404, 'not_found')());
    await until(() => former._running === null || answers.length > 2, 'the former one has ended');
    assert.equal(answers.length, 2);
    await client.close();
});

test('an error of keep is told, costs only the rows that it is thrown for, and no sync', async () => {
    const files = await stocked(SIZE, SIZE);
    const client = await opened({ keep: ({ name }) => {
        if (name === 'k0') throw new RangeError('no such task');
        return true;
    } });
    await has(client, files[1]);
    await rested(client);
    const detail = 'The option keep throws for a row of attachments: RangeError: no such task. '
        + 'No files of such rows are read ahead.';
    assert.deepEqual(client.state.error, { code: 'keep_failed', detail, status: 0 });
    assert.deepEqual(await here(client, files), [false, true]);
    await client.close();
});

test('what the server refuses is not asked for again, and what answers in its place is', async () => {
    const answers = [
        [problem(404, 'not_found'), false], [problem(403, 'forbidden'), false], [problem(503, 'busy'), true],
        [page(403), true], [page(404), true], [page(200), true], [offline, true],
    ];
    for (const [answer, isAgain] of answers) {
        const [file] = await stocked(SIZE);
        let isFaulty = true;
        const network = faking((_, address) => isFaulty && address.includes(file.digest) && answer);
        const client = await opened({ fetch: network, keep: row => row.file === file.digest });
        await rested(client);
        assert.equal(network.requests.length, 1, `${network.requests}`);
        isFaulty = false;
        for (let round = 0; round < 4; round++) {
            aheadOf(client).wake();
            await rested(client);
        }
        assert.deepEqual([await here(client, [file]), network.requests.length], [[isAgain], isAgain ? 2 : 1]);
        await client.close();
    }
});

for (const [what, answer] of [
    ['damaged', () => new Response(new Uint8Array(SIZE))], ['not to be read', problem(500, 'internal_error')],
]) {
    test(`a file that is ${what} on the server blocks no other, and is read less and less often`, async () => {
        const files = await stocked(SIZE, SIZE, SIZE);
        const bad = new Set(files.slice(0, 2).map(({ digest }) => digest));
        const asked = [];
        const network = faking((_, address) => {
            const digest = [...bad].find(each => address.includes(each));
            if (digest) asked.push(digest);
            return digest && answer;
        });
        const client = await opened({ fetch: network });
        for (let round = 0; round < 50; round++) {
            aheadOf(client).wake();
            await rested(client);
        }
        assert.deepEqual(await here(client, files), [false, false, true]);
        assert.ok(asked.length >= 4 && asked.length <= 12, `${asked.length} times`);
        await client.close();
    });
}

test('a window that listens tries again by itself, and goes on where a download broke off', async () => {
    const [file] = await stocked(1_000_000);
    let failures = 20;
    const network = breaking(150_000, (address, options) => {
        const isFailing = /\/sync\/files\//.test(address) && failures-- > 0 && failures % 3;
        return isFailing ? offline() : fetch(address, options);
    });
    const client = await opened({ fetch: network, listen: true, wait: async () => turns() });
    await has(client, file);
    assert.equal(network.got, 1_000_000, 'no byte came twice');
    assert.deepEqual(await contentOf(await client.files.open(file.digest)), file.bytes);
    await client.close();
});

test('the time that the server asks for is kept, up to an hour', async () => {
    const [file] = await stocked(SIZE);
    const [waits, faults] = [[], ['7', '86400']];
    const wait = async milliseconds => {
        waits.push(milliseconds);
        await turns();
    };
    const network = faking(() => {
        const seconds = faults.shift();
        return seconds && problem(429, 'rate_limited', { 'Retry-After': seconds });
    });
    const client = await opened({ fetch: network, listen: true, wait });
    await has(client, file);
    assert.deepEqual(waits.filter(each => [7000, 3_600_000, 86_400_000].includes(each)), [7000, 3_600_000]);
    await client.close();
});

test('without the code for files a sync goes on, and with it all is read', async () => {
    const files = await stocked(SIZE, SIZE);
    const client = await openIn(new Browser().tab(), server, { project, keep: () => true });
    const { load } = client.files;
    client.files.load = async () => { throw new TypeError('Failed to fetch dynamically imported module'); };
    await client.signIn({ token: bob });
    await client.sync();
    assert.deepEqual([client.state.error, client.files._module], [null, null]);
    client.files.load = load;
    await client.sync();
    for (const file of files) await has(client, file);
    await client.close();
});

test('a copy of all projects reads files of each, and of one that is lost no more', async () => {
    const one = await stocked(SIZE);
    const first = project;
    project = await sharedProject({ server, alice });
    const two = await stocked(SIZE);
    const client = await opened({ project: null, keep: ({ project_id: id }) => [first, project].includes(id) });
    const state = ({ digest }, id) => client.files.state(digest, { project: id });
    await until(async () => await state(one[0], first) && await state(two[0], project), 'both are here');
    const { results } = await server.api(alice, 'GET', `/projects/${first}/memberships/`);
    const { id: bobs } = await server.api(bob, 'GET', '/auth/me/');
    await server.api(alice, 'DELETE', `/memberships/${results.find(({ user }) => user === bobs).id}/`);
    await client.sync();
    await rested(client);
    assert.deepEqual([await state(one[0], first), (await state(two[0], project)).state], [null, 'stored']);
    await client.close();
});

test('a file whose row does not tell its size counts as a photo', () => {
    const fields = [{ field: 'file', state: 'state', size: 'size' }, { field: 'face', state: 'seen' }];
    const row = { project_id: 'p', file: 'a', state: 'stored', size: 7, face: 'b', seen: 'pending' };
    const [file, face] = filesNamed(row, fields);
    assert.deepEqual(file, { digest: 'a', project: 'p', state: 'stored', size: 7 });
    assert.deepEqual(face, { digest: 'b', project: 'p', state: 'pending', size: 2 ** 20 });
    assert.deepEqual(filesNamed({ ...row, file: null, seen: undefined }, fields), []);
});

test('keep has to be a function', async () => {
    for (const keep of ['mine', { task: 't' }, true]) {
        await assert.rejects(async () => opened({ keep }), /The option keep of open is no function\./);
    }
});
