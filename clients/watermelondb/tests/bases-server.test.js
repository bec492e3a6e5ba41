import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHousehold } from './support/household.js';
import { basesOf } from './support/ledger.js';
import { Phone } from './support/phone.js';
import { synchronize } from './support/synchronize.js';

// What a real server does with an edit that a pull has gone over.

let server, alice, bob, schema, projects, phone;

before(async () => {
    ({ server, alice, bob, schema, projects, phone } = await startHousehold());
});
after(() => server.stop());

const HOUR = 3_600_000;
const nameOf = async id => (await server.api(alice, 'GET', `/tasks/${id}/`)).name;
const elements = ({ requests }) => requests.filter(({ method }) => method === 'POST')
    .flatMap(({ body }) => JSON.parse(body).changes.tasks.updated).map(basesOf);

/** Bob has edited the task's name on version 1, and alice has renamed it since. */
async function renamed({ isUserWide, onConflict, modifiedAt }) {
    const [id] = await projects(1, 'Dig');
    await server.member(id, 'bob', 'member');
    const options = { schema, onConflict, deviceId: 'bobs' };
    const bobs = isUserWide ? phone(bob, options) : new Phone(server, id, bob, options);
    await bobs.sync();
    bobs.database.update('tasks', `${id}-0`, { name: 'by bob', ...(modifiedAt ? { modified_at: modifiedAt } : {}) });
    await server.api(alice, 'PATCH', `/tasks/${id}-0/`, { name: 'by alice' });
    return { id: `${id}-0`, bobs };
}

for (const isUserWide of [false, true]) {
    const scope = isUserWide ? 'all projects' : 'one project';

    test(`with \`merge\` it is a conflict that is reported, with ${scope}`, async () => {
        const { id, bobs } = await renamed({ isUserWide, onConflict: 'merge' });
        await bobs.sync();
        const [{ conflicts: { tasks: [conflict] } }] = bobs.reports;
        assert.deepEqual(elements(bobs), [['name', 1]]);
        assert.deepEqual([conflict.fields, conflict.client_values.name], [['name'], 'by bob']);
        await bobs.sync();
        const shown = [await nameOf(id), bobs.task(id).name, bobs.database.hasChanges()];
        assert.deepEqual(shown, ['by alice', 'by alice', false]);
    });

    for (const onConflict of ['overwrite', 'reject']) {
        test(`with \`${onConflict}\` it goes through, with ${scope}`, async () => {
            const { id, bobs } = await renamed({ isUserWide, onConflict });
            await bobs.sync();
            assert.deepEqual(elements(bobs), [onConflict === 'reject' ? ['name'] : ['name', 1]]);
            assert.deepEqual([await nameOf(id), bobs.database.hasChanges(), bobs.reports], ['by bob', false, []]);
        });
    }

    for (const isLater of [false, true]) {
        test(`with \`newest\` the later edit, ${isLater ? 'here' : 'there'}, wins, with ${scope}`, async () => {
            const modifiedAt = Date.now() + (isLater ? 0 : -HOUR);
            const { id, bobs } = await renamed({ isUserWide, onConflict: 'newest', modifiedAt });
            if (isLater) bobs.database.update('tasks', id, { modified_at: Date.now() + HOUR });
            await bobs.sync();
            await bobs.sync();
            const name = isLater ? 'by bob' : 'by alice';
            assert.deepEqual([await nameOf(id), bobs.task(id).name], [name, name]);
        });
    }
}

test('without the resolver the same edit overwrites the other one unseen, also with `merge`', async () => {
    const { id, bobs } = await renamed({ onConflict: 'merge' });
    const { pullChanges, pushChanges } = bobs.adapter;
    await synchronize({ database: bobs.database, sendCreatedAsUpdated: true, pullChanges, pushChanges });
    assert.deepEqual([elements(bobs), await nameOf(id), bobs.reports], [[['name']], 'by bob', []]);
});

test('in a conflict of a row whose other columns have other bases, the server knows each', async () => {
    const { id, bobs } = await renamed({ onConflict: 'overwrite' });
    bobs.onRequest = init => {
        if (init.method === 'POST') throw new TypeError('the request is lost');
    };
    await assert.rejects(bobs.sync());
    bobs.onRequest = null;
    bobs.database.update('tasks', id, { notes: 'deep' });
    await bobs.sync();
    await bobs.sync();
    const { name, notes } = await server.api(alice, 'GET', `/tasks/${id}/`);
    assert.deepEqual([name, notes, bobs.task(id).notes, bobs.database.hasChanges()], ['by bob', 'deep', 'deep', false]);
    assert.equal((await bobs.adapter.compare({ synchronize, database: bobs.database })).isSame, true);
});
