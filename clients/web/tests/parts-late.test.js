import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { modulesOf } from './support/imports.js';
import { openIn } from './support/open.js';
import { sharedProject } from './support/scene.js';

// What only parts need is loaded by a copy that has some, or with the first one.

const MINE = { tasks: [{ assignee: '@me' }] };
let server, alice, bob, bobs;

before(async () => {
    server = await Server.start();
    [alice, bob] = [await server.user('alice'), await server.user('bob')];
    bobs = (await server.api(bob, 'GET', '/auth/me/')).id;
});
after(() => server.stop());

/** Bob's project with a task of his, and one of nobody. */
async function plan() {
    const project = await sharedProject({ server, alice });
    await server.task(alice, project, { id: `mine-${project}`, name: 'Mine', assignee: bobs });
    await server.task(alice, project, { id: `other-${project}`, name: 'Other' });
    return { project, mine: `mine-${project}`, other: `other-${project}` };
}

/** A window of bob's. */
async function opened(browser, project, options = {}) {
    const client = await openIn(browser.tab(), server, { project, ...options });
    if (!client.state.isSignedIn) await client.signIn({ token: bob });
    return client;
}

const ids = async client => (await client.rows('tasks')).map(({ id }) => id).join();
const names = async client => (await client.parts.list()).map(({ name }) => name).join();
const hasLoaded = client => client._replica._parting !== null;
const fails = { code: 'not_loaded', detail: /Check the network/ };

/** From now on the files can't be loaded. Returns what ends that. */
function cutOff({ _replica: replica }) {
    const { partingModule } = replica;
    replica.partingModule = async () => { throw new TypeError('Failed to fetch dynamically imported module'); };
    return () => Object.assign(replica, { partingModule });
}

test('the client loads nothing that only parts need before somebody has named one', () => {
    const first = modulesOf('index.js');
    assert.ok(first.some(each => each.endsWith('/lib/store/replica.js')));
    assert.deepEqual(first.filter(each => /\/lib\/parts\/|part-filter/.test(each)), []);
    const late = modulesOf('lib/parts/index.js');
    assert.ok(late.some(each => each.endsWith('part-filter.js')));
});

test('a copy without parts syncs and is asked for them without those files, and the first one loads them', async () => {
    const { project, mine, other } = await plan();
    const client = await opened(new Browser(), project);
    const back = cutOff(client);
    await client.sync();
    await client.update('tasks', other, { notes: 'Ours' });
    await client.sync();
    assert.deepEqual([await ids(client), await client.parts.list(), hasLoaded(client)], [`${mine},${other}`, [], false]);
    back();
    await client.parts.add('mine', MINE);
    assert.equal(hasLoaded(client), true);
    await client.sync();
    assert.equal(await ids(client), mine);
    await client.close();
});

test('a window that syncs has the part that another window has named, and so has one that opens later', async () => {
    const { project, mine } = await plan();
    const browser = new Browser();
    const first = await opened(browser, project);
    await first.sync();
    const second = await opened(browser, project);
    await second.parts.add('mine', MINE);
    await second.sync();
    assert.deepEqual([await ids(first), await names(first), hasLoaded(first)], [mine, 'mine', true]);
    await Promise.all([first.close(), second.close()]);
    const third = await opened(browser, project);
    assert.equal(hasLoaded(third), false, 'rows are shown and edited without');
    await server.task(alice, project, { id: `new-${project}`, name: 'New' });
    await third.update('tasks', mine, { notes: 'Mine' });
    await third.sync();
    assert.deepEqual([await ids(third), await names(third)], [mine, 'mine']);
    assert.equal((await server.api(alice, 'GET', `/tasks/${mine}/`)).notes, 'Mine');
    await third.close();
});

test('a part that is named without those files changes nothing, and can be named later', async () => {
    const { project, mine, other } = await plan();
    const client = await opened(new Browser(), project);
    await client.sync();
    const back = cutOff(client);
    for (const work of [() => client.parts.add('mine', MINE), () => client.parts.add('mine', () => MINE),
        () => client.parts.remove('mine')]) {
        await assert.rejects(work, fails);
    }
    await client.sync();
    assert.deepEqual([client._database._db.version, await names(client), await ids(client)],
        [1, '', `${mine},${other}`]);
    back();
    await client.parts.add('mine', MINE);
    await client.sync();
    assert.equal(await ids(client), mine);
    await client.close();
});

test('without those files a copy with parts is shown, edited and sent, nothing is pulled, and a sync tries again', async () => {
    const { project, mine, other } = await plan();
    const browser = new Browser();
    const first = await opened(browser, project);
    await first.parts.add('mine', MINE);
    await first.sync();
    await first.close();
    const client = await opened(browser, project);
    const back = cutOff(client);
    await server.api(alice, 'PATCH', `/tasks/${mine}/`, { assignee: null });
    await server.api(alice, 'PATCH', `/tasks/${other}/`, { assignee: bobs });
    await client.update('tasks', mine, { notes: 'Mine' });
    const before = await client._replica.state();
    await assert.rejects(client.sync(), fails);
    await assert.rejects(client.parts.list(), fails);
    await assert.rejects(client._replica.reset(false, before), fails);
    await assert.rejects(client._replica.adopt(await client._replica.schema()), fails);
    const { since, filter, drain, kept } = await client._replica.state();
    assert.deepEqual([since, filter, drain, kept], [before.since, before.filter, null, null]);
    assert.equal(client.state.error.code, 'not_loaded');
    assert.equal(await ids(client), mine);
    assert.equal((await server.api(alice, 'GET', `/tasks/${mine}/`)).notes, 'Mine', 'it was sent');
    back();
    await client.sync();
    assert.deepEqual([await ids(client), client.state.error, client.state.unsent], [other, null, 0]);
    await client.close();
});

test('a pull that another window overtakes with a part knows of what its rows are', async () => {
    const { project, mine, other } = await plan();
    const browser = new Browser();
    const first = await opened(browser, project);
    await first.sync();
    const second = await openIn(browser.tab(), server, { project });
    await server.task(alice, project, { id: `late-${project}`, name: 'Late' });
    const { transport } = first._hub._leader._line._syncer;
    const { page } = transport;
    const asked = [];
    // While a page is on its way, the other window names a part and pulls it by itself.
    transport.page = async (...given) => {
        const [, { query: { filter = null, filter_was: was = null } }] = given;
        if (asked.push([filter, was]) > 1) return page.apply(transport, given);
        const answer = await page.apply(transport, given);
        await second.parts.add('mine', MINE);
        const line = second._line(await second._replica.state(), { onStatus() {}, onLeft() {} });
        await line.sync();
        line.end();
        return answer;
    };
    await first.sync();
    assert.deepEqual(asked, [[null, null], [null, JSON.stringify(MINE)]], 'it was to have everything');
    assert.equal(await ids(first), `late-${project},${mine},${other}`);
    await first.sync();
    assert.equal(await ids(first), mine);
    await Promise.all([first.close(), second.close()]);
});
