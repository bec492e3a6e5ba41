import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { putFile } from './support/attached.js';
import { Browser } from './support/browser.js';
import { bytesOf, contentOf, counting } from './support/files.js';
import { openIn, until } from './support/open.js';
import { scene, sharedProject } from './support/scene.js';

// A tab dies at a step of adding a file and of sending it, or of reading some ahead, and another one goes on.
// STRIDE=1 takes every step, FIRST=… begins at another one.

const STRIDE = Number(process.env.STRIDE ?? 5);
const FIRST = Number(process.env.FIRST ?? 1 + Math.floor(Math.random() * STRIDE));
/** Two requests have the bytes: one of 1 MiB, and the rest. */
const SIZE = 1_500_000;
let server, alice, bob, project;

before(async () => {
    ({ server, alice, bob, project } = await scene());
});
after(() => server.stop());

/** Another tab of the browser. What it sends is counted in `network`, and what is under way `breaks` off or arrives. */
const next = (browser, network, options = {}) => {
    const [tab, cut] = [browser.tab(), new AbortController()];
    if (network.breaks) tab.died.then(() => cut.abort());
    const sending = (address, options) => {
        const signals = [cut.signal, ...(options.signal ? [options.signal] : [])];
        const answer = network(address, { ...options, signal: AbortSignal.any(signals) });
        network.underWay.push(answer.catch(() => {}));
        return answer;
    };
    return [tab, openIn(tab, server, { project, fetch: tab.fetch(sending), ...options })];
};

/** Adds a file and a row, and sends both. Whether the tab came that far. `added` resolves when the file is added. */
async function die(browser, network, bytes, step) {
    const [tab, opening] = next(browser, network);
    const client = await opening;
    tab.killAt(step);
    const done = { isDead: false, added: null, row: null };
    const work = (async () => {
        done.added = await client.files.add(bytes, { name: 'Photo' });
        done.row = await client.insert('attachments', { project_id: project, name: 'Photo', file: done.added.digest });
        await client.sync();
        await until(async () => (await client.files.state(done.added.digest)).state === 'stored', 'it is stored');
    })();
    done.isDead = await Promise.race([work.then(() => false), tab.died.then(() => true)]);
    tab.kill();
    if (!network.breaks) await Promise.all(network.underWay);
    return done;
}

for (const breaks of [false, true]) {
    const what = `a file's way, and what it sends ${breaks ? 'breaks off' : 'arrives'}`;
    test(`a tab may die at any step of ${what}, FIRST=${FIRST} STRIDE=${STRIDE}`, async () => {
        let [sent, resent] = [0, 0];
        for (let step = FIRST; ; step += STRIDE) {
            const [browser, network] = [new Browser(), Object.assign(counting(), { underWay: [], breaks })];
            const [first, opening] = next(browser, network);
            const client = await opening;
            await client.signIn({ token: alice });
            await client.sync();
            first.kill();
            const bytes = bytesOf(SIZE, 2 * step + breaks);
            const { isDead, added, row } = await die(browser, network, bytes, step);
            const again = await next(browser, network)[1];
            const label = { toString: () => `step ${step}: ${network.requests}` };
            if (added) assert.notEqual(await again.files.state(added.digest), null, `${label}`);
            await again.sync();
            const [file] = await again.files.list();
            const digest = added?.digest ?? file?.digest;
            if (digest) {
                await until(async () => (await again.files.state(digest)).state === 'stored', label);
                assert.deepEqual(await contentOf(await again.files.open(digest)), bytes, `${label}`);
            }
            // A request that was under way goes again, at most, and the server may have had it.
            assert.ok(network.bytes <= SIZE + 2 ** 20, `${network.bytes} bytes, ${label}`);
            if (row) {
                await again.sync();
                await until(async () => {
                    await again.sync();
                    return (await again.row('attachments', row)).state === 'stored';
                }, label);
            }
            resent += network.bytes > SIZE;
            sent += network.bytes >= SIZE;
            await again.close();
            if (isDead) continue;
            const counts = `${step} steps, ${sent} with all bytes, ${resent} with more`;
            assert.ok(step > 60 && sent > 5, `There are only ${counts}.`);
            return;
        }
    });
}

test(`a tab may die at any step of reading files ahead, FIRST=${FIRST} STRIDE=${STRIDE}`, async () => {
    const place = await sharedProject({ server, alice });
    const files = [];
    for (let seed = 1; seed <= 3; seed++) {
        const bytes = bytesOf(20_000, seed);
        files.push({ bytes, ...await putFile(server, alice, place, bytes) });
    }
    const options = { project: place, keep: () => true };
    const allHere = client => until(async () => {
        const states = await Promise.all(files.map(({ digest }) => client.files.state(digest)));
        return states.every(each => each?.state === 'stored');
    }, 'all are here');
    let again = 0;
    for (let step = FIRST; ; step += STRIDE) {
        const [browser, network] = [new Browser(), Object.assign(counting(), { underWay: [], breaks: step % 2 === 0 })];
        const [tab, opening] = next(browser, network, options);
        const client = await opening;
        await client.signIn({ token: bob });
        tab.killAt(step);
        const work = client.sync().then(() => allHere(client));
        const isDead = await Promise.race([work.then(() => false), tab.died.then(() => true)]);
        tab.kill();
        await Promise.all(network.underWay);
        const other = await next(browser, network, options)[1];
        await other.sync();
        await allHere(other);
        const read = network.requests.filter(text => text.startsWith('GET files'));
        assert.ok(read.length <= files.length + 1, `step ${step}: ${read}`);
        again += read.length > files.length;
        for (const { digest, bytes } of files) assert.deepEqual(await contentOf(await other.files.open(digest)), bytes);
        await other.close();
        if (isDead) continue;
        assert.ok(step > 30 && again > 0, `There are only ${step} steps, and ${again} with a file that was read again.`);
        return;
    }
});
