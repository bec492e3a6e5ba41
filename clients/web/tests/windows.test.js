import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { BINARY, ENVIRONMENT, Server } from '../../watermelondb/tests/support/server.js';
import { open } from '../index.js';
import { Browser } from './support/browser.js';
import { openIn, syncedIn, until } from './support/open.js';
import { turns } from './support/turns.js';

// Windows of one browser and a real server.

const PASSWORD = 'correct horse battery';
let server, alice, bob, project;

before(async () => {
    server = await Server.start({ TIDEMARK_AUTH_LOGINS_PER_ADDRESS: '0', TIDEMARK_AUTH_LOGINS_PER_ACCOUNT: '0' });
    [alice, bob] = [await server.user('alice'), await server.user('bob')];
    project = await server.project(alice, 'Boat');
    await server.member(project, 'bob', 'member');
    await server.task(alice, project, { id: 't-1', name: 'Old' });
});
after(() => server.stop());

/** So many windows of a new browser, signed in with a token if there is one. */
async function windows(count, token, options = {}) {
    const browser = new Browser();
    const made = [];
    for (let each = 0; each < count; each++) {
        const tab = browser.tab();
        made.push({ tab, client: await openIn(tab, server, options) });
    }
    if (token) await made[0].client.signIn({ token });
    return { browser, made, clients: made.map(({ client }) => client), close: () => close(made) };
}

const close = made => Promise.all(made.filter(({ tab }) => !tab.isDead).map(({ client }) => client.close()));

/** Sets carol's password, which ends her sessions. */
function password(text) {
    const args = ['user', 'password', 'carol', '--password-stdin', '--database', server.database];
    spawnSync(BINARY, args, { env: ENVIRONMENT, input: `${text}\n` });
}

test('any window syncs, through the one that holds the lock', async () => {
    const { clients: [one, two], close } = await windows(2, alice);
    await two.sync();
    assert.equal((await one.row('tasks', 't-1')).name, 'Old');
    await until(() => two.state.isSignedIn && two.state.lastSync !== null, 'the other window hears of it');
    assert.deepEqual(one.state, two.state);
    await close();
});

test('when the window that syncs dies, another one goes on with what was asked of it', async () => {
    const { browser, made: [one, two], close } = await windows(2, alice);
    await one.client.sync();
    await two.client.update('tasks', 't-1', { name: 'From two' });
    one.tab.killAt(12);
    await two.client.sync();
    assert.ok(one.tab.isDead);
    assert.equal((await server.api(alice, 'GET', '/tasks/t-1/')).name, 'From two');
    assert.equal(browser.tabs.size, 1);
    await close();
});

test('with events, a change of others reaches all windows, and an edit in any window the server', async () => {
    const { clients: [one, two], close } = await windows(2, alice, { listen: true });
    const seen = [];
    const stop = two.live('tasks', { project }, rows => seen.push(rows.find(({ id }) => id === 't-1')?.name));
    await until(() => seen.length > 0 && one.state.lastSync, 'the first sync');
    await server.api(alice, 'PATCH', '/tasks/t-1/', { name: 'By others' });
    await until(() => seen.at(-1) === 'By others', 'the other\'s change');
    await two.update('tasks', 't-1', { name: 'By two' });
    await until(async () => (await server.api(alice, 'GET', '/tasks/t-1/')).name === 'By two', 'the edit is sent');
    await until(() => one.state.unsent === 0 && two.state.unsent === 0, 'both know it');
    stop();
    const { length } = seen;
    await one.update('tasks', 't-1', { name: 'Unseen' });
    await one.sync();
    assert.equal(seen.length, length);
    await close();
});

test('with events, the copy outlasts a server that restarts', async () => {
    const { clients: [one, two], close } = await windows(2, alice, { listen: true });
    await until(() => one.state.lastSync, 'the first sync');
    await server.halt();
    await two.update('tasks', 't-1', { name: 'Offline' });
    await until(() => two.state.isOnline === false && two.state.unsent === 1, 'it is offline');
    await until(() => [one, two].every(({ state }) => state.offlineSince > 0), 'both know since when');
    await server.run();
    await until(async () => (await server.api(alice, 'GET', '/tasks/t-1/')).name === 'Offline', 'the edit is sent');
    await until(() => two.state.isOnline && two.state.offlineSince === null, 'it is online again');
    await close();
});

test('another user sees nothing of the first one, in no window', async () => {
    const { clients: [one, two], close } = await windows(2, alice);
    await one.sync();
    const entry = { project_id: project, task: 't-1', minutes: 5, entry_date: '2026-03-01' };
    const id = await two.insert('time_entries', entry);
    await assert.rejects(two.signIn({ token: bob }), { code: 'unsent_edits' });
    assert.equal((await one.row('time_entries', id)).minutes, 5);
    await one.sync();
    await two.signIn({ token: bob });
    assert.deepEqual([await one.rows('time_entries'), await one.rows('tasks')], [[], []]);
    await one.sync();
    assert.deepEqual([await two.rows('time_entries'), (await two.rows('tasks')).length], [[], 1]);
    assert.equal(two.state.user.username, 'bob');
    await close();
});

test('a sync that is under way does not serve the next user', async () => {
    const { clients: [one, two], close } = await windows(2, alice);
    const synced = one.sync().catch(error => error);
    await two.signIn({ token: bob, discard: true });
    await synced;
    await one.sync();
    await one.sync();
    assert.equal(one.state.user.username, 'bob');
    assert.deepEqual((await one.rows('projects')).map(({ id }) => id), [project]);
    await close();
});

test('signing out wipes the copy, unless something is unsent', async () => {
    const { clients: [one, two], close } = await windows(2, alice);
    await one.sync();
    await two.update('tasks', 't-1', { name: 'Unsent' });
    const detail = '1 edit has not reached the server. Send it first, or discard it.';
    await assert.rejects(one.signOut(), { code: 'unsent_edits', detail });
    await one.signOut({ discard: true });
    assert.deepEqual([await two.rows('tasks'), one.state.user, one.state.unsent], [[], null, 0]);
    await assert.rejects(two.sync(), { status: 401 });
    assert.notEqual((await server.api(alice, 'GET', '/tasks/t-1/')).name, 'Unsent');
    await close();
});

test('a session that was ended keeps what is unsent until its user is back', async () => {
    await server.command('user', 'add', 'carol');
    await server.member(project, 'carol', 'member');
    password(PASSWORD);
    const { clients: [one, two], close } = await windows(2);
    await one.signIn({ username: 'carol', password: PASSWORD });
    await one.sync();
    await two.update('tasks', 't-1', { name: 'By carol' });
    password(`${PASSWORD}!`);
    await assert.rejects(two.sync(), { status: 401 });
    await until(() => !one.state.isSignedIn && !two.state.isSignedIn, 'both know it');
    assert.deepEqual([two.state.unsent, two.state.user.username], [1, 'carol']);
    await two.signIn({ username: 'carol', password: `${PASSWORD}!` });
    await two.sync();
    assert.equal((await server.api(alice, 'GET', '/tasks/t-1/')).name, 'By carol');
    await one.signOut();
    await close();
});

test('a password given again begins another session for all windows, and keeps what is unsent', async () => {
    password(PASSWORD);
    const refreshes = new Set();
    const noting = async (address, options) => {
        const answer = await fetch(address, options);
        if (address.endsWith('/auth/token/')) refreshes.add((await answer.clone().json()).refresh);
        return answer;
    };
    const { clients: [one, two], close } = await windows(2, null, { fetch: noting, listen: false });
    await one.signIn({ username: 'carol', password: PASSWORD });
    await one.sync();
    assert.equal(one.state.signedInWith, 'password');
    await two.update('tasks', 't-1', { name: 'Kept' });
    await assert.rejects(two.reauthenticate('wrong'), { code: 'invalid_credentials' });
    assert.deepEqual([two.state.isSignedIn, two.state.unsent], [true, 1]);
    await two.reauthenticate(PASSWORD);
    assert.deepEqual([two.state.unsent, (await two.row('tasks', 't-1')).name], [1, 'Kept']);
    for (const each of [one, two]) assert.equal((await each.request('GET', '/auth/me/')).username, 'carol');
    await two.sync();
    assert.equal((await server.api(alice, 'GET', '/tasks/t-1/')).name, 'Kept');
    const [old] = refreshes;
    const renewed = await fetch(`${server.url}/api/v1/auth/token/refresh/`, {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ refresh: old }),
    });
    assert.equal(renewed.status, 401, 'the old session is over');
    await close();
});

test('a password given again is of no use once the copy is somebody else\'s', async () => {
    const { browser, clients: [one, two], close } = await windows(2, alice);
    assert.equal(one.state.signedInWith, 'token');
    password(PASSWORD);
    await one.signIn({ username: 'carol', password: PASSWORD });
    let interrupt = async () => {};
    const slow = await openIn(browser.tab(), server, { fetch: async (address, options) => {
        if (address.endsWith('/auth/me/')) await interrupt();
        return fetch(address, options);
    } });
    interrupt = () => two.signIn({ token: bob, discard: true });
    await assert.rejects(slow.reauthenticate(PASSWORD), { code: 'other_user' });
    assert.deepEqual([one.state.user.username, one.state.signedInWith], ['bob', 'token']);
    await slow.close();
    await close();
});

test('a wrong password changes nothing', async () => {
    const { clients: [one], close } = await windows(1, alice);
    await assert.rejects(one.signIn({ username: 'alice', password: 'wrong' }), { code: 'invalid_credentials' });
    await one.sync();
    assert.equal(one.state.user.username, 'alice');
    await close();
});

test('a lost project is told to all windows', async () => {
    const { clients: [one, two], close } = await windows(2, bob);
    await one.sync();
    const { results } = await server.api(alice, 'GET', `/projects/${project}/memberships/`);
    await two.update('tasks', 't-1', { name: 'Too late' });
    const heard = [];
    for (const client of [one, two]) client.onLeft(lost => heard.push([lost.name, lost.code, lost.setAside]));
    await server.api(alice, 'DELETE', `/memberships/${results.find(({ display_name: name }) => name === 'bob').id}/`);
    await one.sync();
    await until(() => heard.length === 2, 'both hear of it');
    assert.deepEqual(heard, Array(2).fill(['Boat', 'membership_revoked', 1]));
    assert.equal((await two.setAside())[0].values.name, 'Too late');
    await two.dismiss((await two.setAside())[0].number);
    await until(() => two.state.setAside === 0, 'it is dismissed');
    await server.member(project, 'bob', 'member');
    await close();
});

test('an edit that is refused goes aside, and is in the inbox', async () => {
    const { clients: [one], close } = await windows(1, bob, { project });
    await one.sync();
    await server.member(project, 'bob', 'viewer');
    await one.update('tasks', 't-1', { name: 'Not by bob' });
    await one.sync();
    const [{ values, reason }] = await one.setAside();
    assert.deepEqual([values.name, reason, one.state.error], ['Not by bob', 'forbidden', null]);
    assert.notEqual((await one.row('tasks', 't-1')).name, 'Not by bob');
    const entry = (await one.inbox()).find(({ id, code }) => id === 't-1' && code === 'forbidden');
    await one.dismissFromInbox(entry.entry);
    assert.deepEqual((await one.inbox()).filter(each => each.entry === entry.entry), []);
    await server.member(project, 'bob', 'member');
    await close();
});

test('requests go with the session\'s token', async () => {
    const { clients: [one, two], close } = await windows(2, alice);
    await one.sync();
    assert.equal((await two.request('GET', '/auth/me/')).username, 'alice');
    const made = await two.request('POST', '/projects/', { body: { name: 'Shed', start_date: '2026-03-01' } });
    await one.sync();
    assert.equal((await two.row('projects', made.id)).name, 'Shed');
    await close();
});

test('a window says why it can\'t begin, and when it has to end', async () => {
    const tab = new Browser().tab();
    const common = { url: server.url, indexedDB: tab.indexedDB, channel: tab.channel, network: {} };
    assert.throws(() => open({ ...common, locks: null }), { code: 'insecure_context' });
    assert.throws(() => open({ ...common, url: '' }), TypeError);
    assert.throws(() => open({ ...common, project: undefined }), /The option project of open is undefined/);
    assert.throws(() => open({ ...common, onconflict: 'merge' }), /open has no option onconflict/);
    const client = await openIn(tab, server);
    const [name] = tab.browser.disk.databases.keys();
    await new Promise(resolve => { tab.indexedDB.open(name, 6).onblocked = resolve; setTimeout(resolve, 100); });
    await assert.rejects(client.rows('tasks'), { code: 'closed' });
    await assert.rejects(openIn(tab, server), { code: 'newer_version' });
});

test('a copy of a newer layout is not touched', async () => {
    const browser = new Browser();
    const tab = browser.tab();
    const client = await syncedIn(tab, server, { token: alice });
    await client.update('tasks', 't-1', { notes: 'Unsent' });
    const [name] = browser.disk.databases.keys();
    await new Promise(resolve => { tab.indexedDB.open(name, 6).onsuccess = resolve; });
    tab.kill();
    const stored = () => structuredClone(browser.disk.image().map(([name, { version, stores }]) =>
        [name, version, stores.map(([store, { records, nextKey }]) => [store, records, nextKey])]));
    const before = stored();
    const rows = new Map(before[0][2]).get('rows');
    assert.equal(rows.get('["tasks","t-1"]').value.values.notes, 'Unsent');
    for (const options of [{}, { indexes: { tasks: ['name'] } }, { user: 'alice' }]) {
        await assert.rejects(openIn(browser.tab(), server, options), { code: 'newer_version' });
        assert.deepEqual(stored(), before);
    }
});

test('a window that is closed while it begins to sync leaves that to the next one', async () => {
    for (let turn = 0; turn < 20; turn++) {
        const browser = new Browser();
        const tab = browser.tab();
        const first = await openIn(tab, server);
        await first.signIn({ token: alice });
        const closed = await openIn(browser.tab(), server);
        await first.close();
        await turns(turn);
        await closed.close();
        const next = await openIn(tab, server);
        let isSynced = false;
        next.sync().then(() => { isSynced = true; });
        await until(() => isSynced, `a sync, closed after ${turn} turns`);
        for (const each of [...browser.tabs]) each.kill();
    }
});

test('a window may be closed while an edit is stored', async () => {
    const tab = new Browser().tab();
    const client = await syncedIn(tab, server, { token: alice });
    const project = await server.project(alice);
    await client.sync();
    const edits = [1, 2, 3].map(number => client.insert('tasks', { project_id: project, name: `${number}` }));
    await turns(3);
    await client.close();
    await Promise.all(edits);
    assert.equal((await (await openIn(tab, server)).unsent()).length, 3);
});
