import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { failing } from './support/fakes.js';
import { startHousehold } from './support/household.js';
import { NEW } from './support/rows.js';
import { synchronize } from './support/synchronize.js';

// Several users of one device, each with a database, a session and a part of the device's storage.

let server, tokens, projects, phone;

before(async () => {
    const household = await startHousehold();
    ({ server, projects, phone } = household);
    tokens = { alice: household.alice, bob: household.bob };
});
after(() => server.stop());

/** One device's storage, as docs/react-native.md says: each user's keys have a prefix. */
class Device {
    values = new Map();

    storage(prefix) {
        const { values } = this;
        return {
            get: key => values.get(prefix + key) ?? null, set: (key, value) => void values.set(prefix + key, value),
            remove: key => void values.delete(prefix + key),
        };
    }

    /** The app as this user has it open; again after a switch, with the database that is there. */
    open(user, former, storage = this.storage(`${user}:`)) {
        const made = phone(tokens[user], { former, storage });
        made.database.adapter = { dbName: `plans-${user}` };
        return made;
    }

    keys(user) {
        return [...this.values.keys()].filter(key => key.startsWith(`${user}:`));
    }
}

const names = ({ database }) => [...database.rows('tasks').values()].map(({ name }) => name).sort();
const unsent = ({ adapter, database }) => adapter.unsent({ synchronize, database });
const nameOf = async (user, id) => (await server.api(tokens[user], 'GET', `/tasks/${id}/`)).name;

test('two users of one device switch with unsent edits, and each one\'s arrive in their name alone', async () => {
    const device = new Device();
    const [shared] = await projects(1, 'Dig', 'Paint');
    await server.member(shared, 'bob', 'member');
    for (const [user, name] of [['alice', 'Hers'], ['bob', 'His']]) {
        const own = await server.project(tokens[user], name);
        await server.task(tokens[user], own, { name });
    }
    let [alices, bobs] = [device.open('alice'), device.open('bob')];
    await Promise.all([alices.sync(), bobs.sync()]);
    assert.deepEqual([names(alices), names(bobs)], [['Dig', 'Hers', 'Paint'], ['Dig', 'His', 'Paint']]);

    // The answer to Alice's first edit is lost, so a batch waits in her part of the storage; another edit follows.
    alices.database.update('tasks', `${shared}-0`, { name: 'Dig, by Alice' });
    alices.onAnswer = init => {
        if (init.method === 'POST') throw new TypeError('the answer is lost');
    };
    await assert.rejects(alices.sync());
    const entry = { ...NEW.time_entries, project_id: shared, task: `${shared}-0` };
    alices.database.create('time_entries', { ...entry, id: `${shared}-alices` });
    bobs.database.update('tasks', `${shared}-1`, { name: 'Paint, by Bob' });
    bobs.database.create('time_entries', { ...entry, id: `${shared}-bobs` });
    assert.deepEqual(await unsent(alices), { tasks: [`${shared}-0`], time_entries: [`${shared}-alices`] });
    assert.deepEqual(await unsent(bobs), { tasks: [`${shared}-1`], time_entries: [`${shared}-bobs`] });

    // Bob's sync sends nothing of hers.
    bobs = device.open('bob', bobs);
    await bobs.sync();
    const sentBy = ({ requests }) => requests.filter(({ method }) => method === 'POST').map(({ body }) => body).join();
    assert.match(sentBy(bobs), /Paint, by Bob/);
    assert.doesNotMatch(sentBy(bobs), /by Alice|-alices/);
    assert.deepEqual(Object.keys(await unsent(bobs)), []);
    assert.deepEqual([...bobs.database.rows('time_entries').keys()], [`${shared}-bobs`]);

    // Back to Alice: what she had left goes, under her name.
    alices = device.open('alice', alices);
    await alices.sync();
    assert.doesNotMatch(sentBy(alices), /by Bob|-bobs/);
    assert.deepEqual([await unsent(alices), await unsent(bobs)], [{}, {}]);
    assert.deepEqual([...alices.database.rows('time_entries').keys()], [`${shared}-alices`]);
    assert.deepEqual([await nameOf('bob', `${shared}-0`), await nameOf('alice', `${shared}-1`)],
        ['Dig, by Alice', 'Paint, by Bob']);
    for (const [user, id] of [['alice', `${shared}-alices`], ['bob', `${shared}-bobs`]]) {
        const { results } = await server.api(tokens[user], 'GET', `/projects/${shared}/time_entries/`);
        assert.deepEqual(results.map(each => each.id), [id]);
    }
    await bobs.sync();
    assert.deepEqual([names(alices), names(bobs)],
        [['Dig, by Alice', 'Hers', 'Paint, by Bob'], ['Dig, by Alice', 'His', 'Paint, by Bob']]);
    assert.deepEqual([...alices.database.errors, ...bobs.database.errors], []);

    // One logs out, and the other has all.
    const before = device.keys('alice');
    await bobs.adapter.forget(async () => bobs.database.reset());
    assert.deepEqual([device.keys('bob'), device.keys('alice')], [[], before]);
    alices = device.open('alice', alices);
    await alices.sync();
    assert.deepEqual(names(alices), ['Dig, by Alice', 'Hers', 'Paint, by Bob']);
});

test('two users who share one part of the storage are told apart, with a database each too', async () => {
    const device = new Device();
    const storage = device.storage('');
    await device.open('alice', undefined, storage).sync();
    await assert.rejects(device.open('bob', undefined, storage).sync(), failing({ isOtherUser: true }));
});
