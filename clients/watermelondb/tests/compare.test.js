import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Digest } from '../lib/common/digest.js';
import { failing } from './support/fakes.js';
import { startHousehold } from './support/household.js';
import { NEW_TASK } from './support/rows.js';
import { synchronize } from './support/synchronize.js';

// A local database is compared with the server's digests, in both scopes.

let server, alice, bob, projects, phone;

before(async () => {
    ({ server, alice, bob, projects, phone } = await startHousehold());
});
after(() => server.stop());

const compare = phone => phone.adapter.compare({ synchronize, database: phone.database });
const same = { isSame: true, differing: [] };

test('the digest is that of docs/protocol.md', () => {
    const digest = new Digest();
    assert.equal(digest.text, '0000000000000000');
    digest.addRow('t-1', 3);
    assert.equal(digest.text, '9bab96788cd12280');
    const other = new Digest();
    other.addRow('t-2', 1);
    assert.equal(other.text, '81af29787e192d4b');
    digest.add({ count: 1, digest: other.text });
    assert.deepEqual([digest.text, digest.count], ['1a04bf00f2c80fcb', 2]);
});

for (const isUserWide of [true, false]) {
    const what = isUserWide ? 'all projects' : 'one project';
    const synced = async (options = {}, token = alice) => {
        const ids = await projects(3, 'Dig', 'Pour');
        for (const id of ids) await server.member(id, 'bob', 'viewer');
        const made = phone(token, { project: isUserWide ? null : ids[0], ...options });
        await made.sync();
        return { id: ids[0], ids, phone: made };
    };

    test(`of ${what}: equal rows are the same, and a row that differs or is missing is found`, async () => {
        const { id, phone } = await synced();
        assert.deepEqual(await compare(phone), same);
        const tasks = phone.database.table('tasks');
        const row = tasks.get(`${id}-0`);
        tasks.set(`${id}-0`, { ...row, server_version: 9 });
        assert.deepEqual(await compare(phone), { isSame: false, differing: ['tasks'] });
        tasks.delete(`${id}-0`);
        assert.deepEqual(await compare(phone), { isSame: false, differing: ['tasks'] });
        tasks.set(`${id}-0`, row);
        assert.deepEqual(await compare(phone), same);
        tasks.set('stray', { ...row, id: 'stray' });
        assert.deepEqual(await compare(phone), { isSame: false, differing: ['tasks'] });
    });

    test(`of ${what}: what a viewer sees is the same`, async () => {
        const { phone } = await synced({}, bob);
        assert.deepEqual(await compare(phone), same);
    });

    test(`of ${what}: unsent rows don't count, but a delete has to be sent first`, async () => {
        const { id, phone } = await synced({ onError: 'reject_rows' });
        const { database } = phone;
        database.update('tasks', `${id}-0`, { name: 'Dug' });
        database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof', status: 'NO_SUCH', project_id: id });
        assert.deepEqual(await compare(phone), same);
        await phone.sync();
        assert.equal(await compare(phone), null);
        await phone.sync();
        assert.equal(phone.task(`${id}-new`)._status, 'created');
        assert.deepEqual(await compare(phone), same);
        database.remove('tasks', `${id}-1`);
        assert.equal(await compare(phone), null);
        assert.equal(database.hasChanges(), true);
    });

    test(`of ${what}: before the first pull, and behind the server, nothing is compared`, async () => {
        const { id, ids, phone: first } = await synced();
        await server.api(alice, 'PATCH', `/tasks/${id}-0/`, { name: 'Newer' });
        assert.equal(await compare(first), null);
        await first.sync();
        assert.deepEqual(await compare(first), same);
        const fresh = phone(alice, { project: isUserWide ? null : ids[0] });
        assert.equal(await compare(fresh), null);
        assert.equal(fresh.database.lastPulledAt, null);
    });

    test(`of ${what}: only what the app has is compared`, async () => {
        const { phone } = await synced({ collections: ['tasks', 'risks'] });
        phone.database.table('sprints').set('stray', { id: 'stray', server_version: 1, _status: 'synced' });
        assert.deepEqual(await compare(phone), same);
        for (const row of phone.database.table('tasks').values()) delete row.server_version;
        assert.deepEqual(await compare(phone), same);
        const { searchParams } = new URL(phone.requests.at(-1).address);
        assert.equal(searchParams.get('collections'), 'risks');
    });

    test(`of ${what}: the result is told with the next request, and shown in the list of devices`, async () => {
        const { id, phone } = await synced({ deviceId: `device ${isUserWide}` });
        const sent = [];
        phone.onRequest = ({ headers }) => {
            sent.push(headers['Tidemark-Digest']);
            if (sent.length === 2) throw new TypeError('lost');
        };
        await compare(phone);
        phone.database.table('tasks').delete(`${id}-0`);
        await compare(phone);
        await phone.sync();
        await phone.sync();
        assert.deepEqual(sent.slice(0, 4), [undefined, 'same', 'same', 'differs']);
        assert.ok(sent.length > 4 && sent.slice(4).every(result => result === undefined));
        const { results } = await server.api(alice, 'GET', '/devices/');
        const { digest } = results.find(device => device.device_id === `device ${isUserWide}`);
        assert.equal(digest, 'differs');
    });
}

test('a database in the other scope is not compared', async () => {
    const [id] = await projects(1, 'Dig');
    const one = phone(alice, { project: id });
    await one.sync();
    assert.equal(await compare(phone(alice, { former: one })), null);
    const fail = async () => { throw new Error('the disk is full'); };
    await assert.rejects(one.adapter.compare({ synchronize: fail, database: one.database }), /disk/);
    await assert.rejects(compare(phone(bob, { former: one, project: id })), failing({ code: 'other_user' }));
});
