import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { putFile } from './support/attached.js';
import { Browser } from './support/browser.js';
import { breaking, bytesOf, contentOf } from './support/files.js';
import { syncedIn } from './support/open.js';
import { scene } from './support/scene.js';

// Downloads that break off, with a real server.

const SIZE = 1_000_000;
let server, alice, project;

before(async () => {
    ({ server, alice, project } = await scene());
});
after(() => server.stop());

/** Puts a file on the server, with a row that names it. */
async function put(seed) {
    const bytes = bytesOf(SIZE, seed);
    return { bytes, ...await putFile(server, alice, project, bytes) };
}

const opened = network => syncedIn(new Browser().tab(), server,
    { token: alice, project, fetch: network, retry: { attempts: 4 } });

test('a download goes on where it broke off, as long as more comes', async () => {
    const { bytes, digest } = await put(1);
    const network = breaking(90_000);
    const client = await opened(network);
    const blob = await client.files.open(digest);
    assert.deepEqual(await contentOf(blob), bytes);
    assert.equal(blob.type, 'application/octet-stream');
    assert.equal(network.got, SIZE, 'no byte came twice');
    assert.deepEqual(network.asked.slice(0, 3), ['all', 'bytes=90000-', 'bytes=180000-']);
    assert.equal(network.asked.length, 12);
    await client.close();
});

test('without more it ends, and the next one goes on', async () => {
    const { bytes, digest } = await put(2);
    let isCut = false;
    const network = breaking(400_000, (address, options) => {
        const isFile = address.includes('/sync/files/');
        const answer = isCut ? Promise.reject(new TypeError('There is no network.')) : fetch(address, options);
        isCut ||= isFile;
        return answer;
    });
    const client = await opened(network);
    await assert.rejects(client.files.open(digest), { code: 'network' });
    assert.deepEqual([network.asked, network.got], [['all'], 400_000]);
    isCut = false;
    network.most = Infinity;
    assert.deepEqual(await contentOf(await client.files.open(digest)), bytes);
    assert.deepEqual([network.asked, network.got], [['all', 'bytes=400000-'], SIZE]);
    await client.close();
});

test('one that broke off behind the last byte has all of it', async () => {
    const { bytes, digest } = await put(3);
    const network = breaking(SIZE);
    const client = await opened(network);
    assert.deepEqual(await contentOf(await client.files.open(digest)), bytes);
    assert.deepEqual(network.asked, ['all', `bytes=${SIZE}-`]);
    await client.close();
});

test('what answers with the whole file begins it anew, and what answers with other bytes is not believed', async () => {
    // From the second request on nothing breaks.
    const answered = make => async (address, { headers: { Range, ...headers }, ...options }) => {
        if (Range) network.most = Infinity;
        return Range ? make(address, { ...options, headers }, Range) : fetch(address, { ...options, headers });
    };
    const whole = answered(fetch);
    const foreign = answered(() => new Response(new Uint8Array(SIZE - 300_000), { status: 206 }));
    const shifted = answered(async (address, options) => new Response((await fetch(address, options)).body,
        { status: 206, headers: { 'Content-Range': `bytes 0-${SIZE - 1}/${SIZE}` } }));
    let network;
    for (const [seed, inner] of [[4, whole], [5, foreign], [6, shifted]]) {
        const { bytes, digest } = await put(seed);
        network = breaking(300_000, inner);
        const client = await opened(network);
        assert.deepEqual(await contentOf(await client.files.open(digest)), bytes, `${seed}`);
        assert.deepEqual(network.asked.slice(0, 2), ['all', 'bytes=300000-']);
        await client.close();
    }
});
