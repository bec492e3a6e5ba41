import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { BINARY, ENVIRONMENT, Server, tidemark } from '../../watermelondb/tests/support/server.js';
import { open } from '../index.js';
import { Browser } from './support/browser.js';
import { openIn, syncedIn, until } from './support/open.js';

// Several users of one browser, each with a copy.

const PASSWORD = 'correct horse battery';
let server, tokens, project, schema, made = 0;

before(async () => {
    server = await Server.start({ TIDEMARK_AUTH_LOGINS_PER_ADDRESS: '0', TIDEMARK_AUTH_LOGINS_PER_ACCOUNT: '0' });
    tokens = { alice: await server.user('alice'), bob: await server.user('bob') };
    project = await server.project(tokens.alice, 'Boat');
    await server.member(project, 'bob', 'member');
    await server.task(tokens.alice, project, { id: 't-1', name: 'Old' });
    for (const name of ['alice', 'bob']) {
        const args = ['user', 'password', name, '--password-stdin', '--database', server.database];
        spawnSync(BINARY, args, { env: ENVIRONMENT, input: `${PASSWORD}\n` });
    }
    schema = JSON.parse(await tidemark('schema', '--format', 'jsonschema'));
});
after(() => server.stop());

/** A user's copy in a tab, signed in and synced; without a name as an earlier version of the app opened it. */
async function begun(tab, user, options = { user }) {
    const client = await syncedIn(tab, server, { token: tokens[user], ...options });
    return client;
}

/** Adds a task with a new id, without sending it. */
async function add(client) {
    const id = `made-${++made}`;
    await client.insert('tasks', { id, project_id: project, name: id });
    return id;
}

const ids = async client => (await client.unsent()).map(({ id }) => id);

/** Who has added a task, by the server. */
async function author(id) {
    const { results } = await server.api(tokens.alice, 'GET', `/tasks/${id}/history/`);
    return results.at(-1).user.username;
}

const databases = ({ disk }) => [...disk.databases].filter(([, { version }]) => version > 0).map(([name]) => name);

test('each user has a copy and a session, and switching wipes nothing', async () => {
    const browser = new Browser();
    const alices = await begun(browser.tab(), 'alice');
    const hers = await add(alices);
    await alices.close();
    const bobs = await begun(browser.tab(), 'bob');
    assert.deepEqual([await bobs.row('tasks', hers), await ids(bobs)], [null, []]);
    const his = await add(bobs);
    await bobs.close();
    for (const [user, id] of [['alice', hers], ['bob', his]]) {
        const client = await openIn(browser.tab(), server, { user });
        assert.deepEqual([await ids(client), client.state.isSignedIn, client.state.user.username], [[id], true, user]);
        await client.sync();
        assert.equal(await author(id), user);
        await client.close();
    }
    assert.equal(databases(browser).length, 2);
});

test('two windows may have the copies of two users at once', async () => {
    const browser = new Browser();
    const [alices, bobs] = [await begun(browser.tab(), 'alice'), await begun(browser.tab(), 'bob')];
    const [hers, his] = [await add(alices), await add(bobs)];
    await Promise.all([alices.sync(), bobs.sync()]);
    assert.deepEqual([await author(hers), await author(his)], ['alice', 'bob']);
    assert.deepEqual([alices.state.user.username, bobs.state.user.username], ['alice', 'bob']);
    await Promise.all([alices.close(), bobs.close()]);
});

test('a log-out asks, says what is unsent, and leaves it behind for its user', async () => {
    const browser = new Browser();
    const client = await begun(browser.tab(), 'alice');
    const [one, two] = [await add(client), await add(client)];
    const detail = '2 edits not sent yet. Sync first, or leave them behind.';
    await assert.rejects(client.signOut(), { code: 'unsent_edits', detail, unsent: 2, setAside: 0 });
    assert.equal(client.state.isSignedIn, true);
    assert.deepEqual(await client.signOut({ leavingUnsent: true }), { unsent: 2, setAside: 0, files: 0 });
    const { isSignedIn, user, unsent } = client.state;
    assert.deepEqual([isSignedIn, user.username, unsent], [false, 'alice', 2]);
    await assert.rejects(client.sync(), { status: 401 });
    await client.close();

    const bobs = await begun(browser.tab(), 'bob');
    assert.deepEqual(await bobs.signOut(), { unsent: 0, setAside: 0, files: 0 });
    assert.deepEqual([bobs.state.user, await bobs.rows('tasks')], [null, []]);
    await bobs.close();

    const again = await openIn(browser.tab(), server, { user: 'alice' });
    assert.equal(again.state.isSignedIn, false);
    await again.signIn({ token: tokens.alice });
    await again.sync();
    assert.deepEqual([await author(one), await author(two)], ['alice', 'alice']);
    await again.close();
});

test('copies set aside are counted apart', async () => {
    const client = await begun(new Browser().tab(), 'bob');
    await server.member(project, 'bob', 'viewer');
    await client.update('tasks', 't-1', { name: 'Not by bob' });
    await client.sync();
    const alone = { detail: '1 edit set aside. Sync first, or leave them behind.', unsent: 0, setAside: 1 };
    await assert.rejects(client.signOut(), { code: 'unsent_edits', ...alone });
    await server.member(project, 'bob', 'member');
    await add(client);
    const detail = '1 edit not sent yet, and 1 set aside. Sync first, or leave them behind.';
    await assert.rejects(client.signOut(), { code: 'unsent_edits', detail, unsent: 1, setAside: 1 });
    assert.deepEqual(await client.signOut({ discard: true }), { unsent: 1, setAside: 1, files: 0 });
    assert.deepEqual([client.state.user, client.state.unsent, client.state.setAside], [null, 0, 0]);
    await client.close();
});

/** A `fetch` that notes the sessions that are ended. */
function noting() {
    const ended = [];
    return { ended, fetch: (address, options) => {
        if (address.endsWith('/auth/logout/')) ended.push(JSON.parse(options.body).refresh);
        return fetch(address, options);
    } };
}

const refreshed = refresh => fetch(`${server.url}/api/v1/auth/token/refresh/`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ refresh }),
});

test('a log-out ends the session on the server, and no other user\'s', async () => {
    const browser = new Browser();
    const { ended, fetch } = noting();
    const clients = {};
    for (const user of ['alice', 'bob']) {
        clients[user] = await openIn(browser.tab(), server, { user, fetch });
        await clients[user].signIn({ username: user, password: PASSWORD });
    }
    await clients.alice.signOut({ leavingUnsent: true });
    assert.equal(ended.length, 1);
    assert.equal((await refreshed(ended[0])).status, 401);
    assert.equal((await clients.bob.request('GET', '/auth/me/')).username, 'bob');
    await Promise.all(Object.values(clients).map(client => client.close()));
});

test('a sign-in that turns out to be another user\'s is refused, and changes nothing', async () => {
    const { ended, fetch } = noting();
    const client = await begun(new Browser().tab(), 'alice', { user: 'alice', fetch });
    const id = await add(client);
    const detail = 'This is the copy of alice, and bob has signed in. Nothing has changed. Open the copy of bob.';
    for (const credentials of [{ token: tokens.bob }, { username: 'bob', password: PASSWORD }]) {
        for (const more of [{}, { discard: true }, { adopt: true }]) {
            await assert.rejects(client.signIn({ ...credentials, ...more }), { code: 'other_user', detail });
        }
    }
    assert.deepEqual([await ids(client), client.state.user.username, client.state.isSignedIn], [[id], 'alice', true]);
    await client.sync();
    assert.equal(await author(id), 'alice');
    assert.equal(ended.length, 3);
    for (const refresh of ended) assert.equal((await refreshed(refresh)).status, 401, 'his session has ended');
    await client.close();
    const fresh = await openIn(new Browser().tab(), server, { user: 'alice' });
    await assert.rejects(fresh.signIn({ token: tokens.bob }), { code: 'other_user', detail });
    assert.equal(fresh.state.user, null);
    await fresh.close();
});

test('a name in other upper and lower case has the same copy, and what is no name is refused', async () => {
    const browser = new Browser();
    await (await begun(browser.tab(), 'alice')).close();
    const client = await openIn(browser.tab(), server, { user: 'Alice' });
    assert.equal(client.state.user.username, 'alice');
    await client.close();
    for (const user of [undefined, '', 'a b', 7]) {
        const { indexedDB, locks, channel } = browser.tab();
        assert.throws(() => open({ url: server.url, indexedDB, locks, channel, network: {}, user }), TypeError);
    }
});

test('what was made before the first log-in is the user\'s who logs in, after the question', async () => {
    const client = await openIn(new Browser().tab(), server, { user: 'bob', schema });
    const made = await client.insert('projects', { name: 'Pier', start_date: '2026-01-05' });
    await assert.rejects(client.signIn({ token: tokens.alice, adopt: true }), { code: 'other_user' });
    await assert.rejects(client.signIn({ token: tokens.bob }), { code: 'unclaimed_edits', unsent: 1, setAside: 0 });
    await client.signIn({ token: tokens.bob, adopt: true });
    await client.sync();
    assert.equal((await server.api(tokens.bob, 'GET', `/projects/${made}/`)).name, 'Pier');
    await client.close();
});

test('what was made before anybody was named is open to whoever has no copy yet', async () => {
    const browser = new Browser();
    const former = await openIn(browser.tab(), server, { schema });
    const made = await former.insert('projects', { name: 'Quay', start_date: '2026-01-05' });
    await former.close();
    const opened = user => openIn(browser.tab(), server, { user });
    const [alices, bobs] = [await opened('alice'), await opened('bob')];
    for (const client of [alices, bobs]) assert.deepEqual([await ids(client), client.state.user], [[made], null]);
    await assert.rejects(alices.signIn({ token: tokens.alice }), { code: 'unclaimed_edits' });
    await alices.signIn({ token: tokens.alice, adopt: true });
    await until(() => bobs.state.error?.code === 'other_user', 'it is hers now');
    assert.deepEqual(await ids(await opened('bob')), []);
    await alices.sync();
    assert.equal((await server.api(tokens.alice, 'GET', `/projects/${made}/`)).name, 'Quay');
    for (const tab of [...browser.tabs]) tab.kill();
});

for (const layout of [1, 2]) {
    const indexes = layout === 2 ? { tasks: ['name'] } : undefined;

    test(`a copy with layout ${layout} of an earlier version becomes its owner's, and its windows go on`, async () => {
        const browser = new Browser();
        const former = await begun(browser.tab(), 'alice', { indexes });
        const one = await add(former);
        assert.equal([...browser.disk.databases.values()][0].version, layout);
        const alices = await openIn(browser.tab(), server, { user: 'alice' });
        assert.deepEqual([await ids(alices), alices.state.isSignedIn], [[one], true]);
        const bobs = await begun(browser.tab(), 'bob');
        assert.deepEqual(await ids(bobs), []);
        const two = await add(former);
        await until(() => alices.state.unsent === 2, 'the other window hears of it');
        await alices.sync();
        assert.deepEqual([await author(one), await author(two), former.state.unsent], ['alice', 'alice', 0]);
        assert.equal(databases(browser).length, 2);
        await Promise.all([former, alices, bobs].map(client => client.close()));
    });
}

test('a user with two copies has the earlier version\'s until it is empty', async () => {
    const browser = new Browser();
    const one = await add(await begun(browser.tab(), 'alice'));
    const former = await begun(browser.tab(), 'alice', {});
    const two = await add(former);
    for (const tab of [...browser.tabs]) tab.kill();
    for (const id of [two, one]) {
        const client = await openIn(browser.tab(), server, { user: 'alice' });
        assert.deepEqual(await ids(client), [id]);
        await client.sync();
        assert.equal(await author(id), 'alice');
        await client.close();
    }
});

test('a window ends when an earlier version\'s has given its copy to another user, who sees nothing of it', async () => {
    const browser = new Browser();
    const former = await begun(browser.tab(), 'alice', {});
    const alices = await openIn(browser.tab(), server, { user: 'alice' });
    const shown = [];
    alices.live('tasks', {}, rows => shown.push(...rows.map(({ name }) => name)));
    await until(() => shown.includes('Old'), 'her rows');
    await former.signIn({ token: tokens.bob });
    await assert.rejects(alices.insert('tasks', { project_id: project, name: 'Late' }), /other_user|closed/);
    await until(() => alices.state.error?.code === 'other_user', 'it says why');
    assert.match(alices.state.error.detail, /^bob has signed in on this copy, which was that of alice/);
    await assert.rejects(alices.rows('tasks'), { code: 'closed' });
    await former.sync();
    await former.insert('tasks', { project_id: project, name: 'By bob' });
    assert.equal(shown.includes('By bob'), false);
    const again = await openIn(browser.tab(), server, { user: 'alice' });
    assert.deepEqual([again.state.user, await again.rows('tasks')], [null, []]);
    await Promise.all([former, again].map(client => client.close()));
});
