import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from '../../web/tests/support/browser.js';
import { openIn } from '../../web/tests/support/open.js';
import { MemberCalls } from '../lib/members/calls.js';
import { grantable, mayChange, mayRemove, ordered } from '../lib/members/rules.js';

let server, alice, project, client;

before(async () => {
    server = await Server.start();
    alice = await server.user('alice');
    for (const name of ['bob', 'carol']) await server.user(name);
    project = await server.project(alice, 'Boat');
    client = await openIn(new Browser().tab(), server);
    await client.signIn({ token: alice });
    await client.sync();
});
after(async () => {
    await client.close();
    await server.stop();
});

test('the rules are the server\'s', () => {
    assert.deepEqual([400, 300, 200, null].map(role => grantable(role)),
        [[1, 100, 200, 300, 400], [1, 100, 200], [], []]);
    assert.deepEqual([mayChange(400, 400), mayChange(300, 200), mayChange(300, 300), mayChange(200, 1)],
        [true, true, false, false]);
    assert.deepEqual([mayRemove(1, 1, true), mayRemove(1, 1, false), mayRemove(300, 100, false)], [true, false, true]);
    const rows = [{ user: 1, role: 100 }, { user: 2, role: 400 }, { user: 3, role: 100 }];
    assert.deepEqual(ordered(rows, id => ['', 'Zoe', 'Max', 'Ann'][id]).map(({ row }) => row.user), [2, 3, 1]);
});

test('members are added by name, get another role, and are removed', async () => {
    const calls = new MemberCalls(client, 'memberships', project);
    assert.equal(await calls.find('nobody'), null);
    const bob = await calls.find('bob');
    const row = await calls.add(bob.id, 100);
    assert.equal(row.role, 100);
    assert.deepEqual((await calls.known()).map(({ username }) => username), ['alice', 'bob']);
    const changed = await calls.setRole(row, 200);
    assert.equal(changed.role, 200);
    await assert.rejects(calls.remove(row), { code: 'stale_version' });
    await client.sync();
    assert.equal((await client.row('memberships', row.id)).role, 200, 'it comes to the copy');
    await calls.remove(changed);
    await client.sync();
    assert.equal(await client.row('memberships', row.id), null);
    await assert.rejects(calls.remove((await client.rows('memberships'))[0]), { code: 'last_owner' });
});
