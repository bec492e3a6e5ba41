import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { memoryStorage } from '../index.js';
import { Phone } from './support/phone.js';
import { synchronize } from './support/synchronize.js';
import { names, startTeam } from './support/team.js';

// The app is killed between any two steps of a sync in which rows come, leave and have unsent edits, and the filter is
// another one. It starts again with a third filter.

let server, alice, bob, bobsID, schema, project;

before(async () => {
    ({ server, alice, bob, schema, project } = await startTeam());
    bobsID = (await server.api(bob, 'GET', '/auth/me/')).id;
});
after(() => server.stop());

const MINE = { tasks: [{ assignee: '@me' }] };
const OPEN = { tasks: [{ assignee: '@me' }, { status: 'IN_PROGRESS' }] };
const DONE = { tasks: [{ assignee: '@me' }, { status: 'COMPLETE' }] };
const edit = (id, values) => server.api(alice, 'PATCH', `/tasks/${id}/`, values);

/** A project, and bob's phone in it with the part `mine`: Stay, Edited, Away and Back. */
async function begun() {
    const id = await project('Stay', 'Edited', 'Away', 'Back', 'Come', 'Open', 'Done');
    for (const number of [0, 1, 2, 3]) await edit(`${id}-${number}`, { assignee: bobsID });
    await edit(`${id}-5`, { status: 'IN_PROGRESS' });
    await edit(`${id}-6`, { status: 'COMPLETE' });
    const storage = memoryStorage();
    const phone = new Phone(server, id, bob, { schema, storage });
    await phone.adapter.parts.add('mine', MINE);
    await phone.sync();
    assert.deepEqual(names(phone), ['Away', 'Back', 'Edited', 'Stay']);
    phone.database.update('tasks', `${id}-0`, { notes: 'here' });
    phone.database.update('tasks', `${id}-1`, { notes: 'deep' });
    for (const number of [1, 2, 3]) await edit(`${id}-${number}`, { assignee: null });
    await edit(`${id}-4`, { assignee: bobsID });
    return { id, storage, database: phone.database };
}

/** The same app, with another filter. It dies before the step with this number, and counts `steps`. */
function mortal({ id, storage, database }, dies) {
    const life = { steps: 0 };
    const step = () => {
        if (++life.steps >= dies) throw new TypeError('the app is killed');
    };
    const touch = name => async (...args) => {
        step();
        const value = storage[name](...args);
        step();
        return value;
    };
    // To die before something is read is to die after what came before it.
    const own = { get: storage.get, set: touch('set'), remove: touch('remove') };
    const phone = new Phone(server, id, bob, { schema, storage: own, retry: { attempts: 1 } });
    Object.assign(phone, { database, onRequest: step, onAnswer: step });
    const { batch } = database;
    Object.assign(database, {
        isKilled: () => ++life.steps >= dies,
        batch: async prepared => {
            step();
            await batch.call(database, prepared);
            step();
        },
    });
    life.run = async () => {
        await phone.adapter.parts.update('mine', OPEN);
        await phone.sync();
    };
    return life;
}

test('killed at any step, and begun again with another filter, nothing is lost or kept for ever', async t => {
    let dies = 1;
    for (; ; dies++) {
        const app = await begun();
        const { id, storage, database } = app;
        const life = mortal(app, dies);
        const isDead = await life.run().then(() => false, () => true);
        delete database.isKilled;
        delete database.batch;
        const label = `killed at step ${dies}`;
        await edit(`${id}-3`, { assignee: bobsID });
        await edit(`${id}-5`, { name: 'Opened' });
        const later = Object.assign(new Phone(server, id, bob, { schema, storage }), { database });
        await later.adapter.parts.add('mine', DONE);
        for (let round = 0; round < 2; round++) await later.sync();
        const fresh = new Phone(server, id, bob, { schema });
        await fresh.adapter.parts.add('mine', DONE);
        await fresh.sync();
        assert.deepEqual(names(later), ['Back', 'Come', 'Done', 'Stay'], label);
        for (const name of Object.keys(schema)) {
            assert.equal(later.snapshot(name), fresh.snapshot(name), `${name}, ${label}`);
        }
        for (const [number, notes] of [[0, 'here'], [1, 'deep']]) {
            assert.equal((await server.api(alice, 'GET', `/tasks/${id}-${number}/`)).notes, notes, label);
        }
        const { left } = JSON.parse(storage.get(`tidemark:${id}:part`));
        assert.deepEqual([left, database.hasChanges(), database.errors], [{}, false, []], label);
        const result = await later.adapter.compare({ synchronize, database });
        assert.deepEqual(result, { isSame: true, differing: [] }, label);
        if (!isDead) break;
    }
    t.diagnostic(`${dies - 1} steps`);
    assert.ok(dies > 20);
});
