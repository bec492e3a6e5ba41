import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Bank } from './support/bank.js';
import { startHousehold } from './support/household.js';
import { Phone } from './support/phone.js';

// What a phone shows after a sync is a state that was: real pages, with writes between them.

let server, alice, phone, projects;

before(async () => {
    ({ server, alice, phone, projects } = await startHousehold());
});
after(() => server.stop());

/** A bank over so many projects, and a phone that has them, with pages of two rows. */
async function opened(count, options = {}) {
    const ids = await projects(count);
    const bank = new Bank(server, alice);
    for (const id of ids) await bank.open(id, 6);
    return { bank, ids, device: phone(alice, { pageSize: 2, collections: ['tasks'], ...options }) };
}

/** Moves points over the whole bank before later pages, so often. */
function disturb(device, bank, times = 1) {
    device.onRequest = async (init, address) => {
        if (!address.includes('cursor=') || times-- <= 0) return;
        await bank.move(bank.ids[0], bank.ids.at(-1), 7);
        await bank.move(bank.ids.at(-1), bank.ids[1], 3);
    };
}

for (const count of [1, 3]) {
    test(`points that move between two pages add up on a phone with all projects, ${count} of them moved`, async () => {
        const { bank, device } = await opened(count);
        disturb(device, bank);
        await device.sync();
        assert.deepEqual(bank.shownBy(device), bank.whole);
    });
}

test('so they do on a phone with one project, in a first sync and in a later one', async () => {
    const { bank, ids: [id] } = await opened(1);
    const device = new Phone(server, id, alice, { pageSize: 2 });
    for (let sync = 0; sync < 2; sync++) {
        for (const account of bank.ids.slice(1)) await bank.move(account, bank.ids[0], 1);
        disturb(device, bank);
        await device.sync();
        assert.deepEqual(bank.shownBy(device), bank.whole);
    }
});

test('a collection that the app adds is of the same moment as the others', async () => {
    const { bank, ids: [id], device } = await opened(1, { collections: ['projects'] });
    await device.sync();
    const wider = phone(alice, { former: device, pageSize: 2, collections: ['projects', 'tasks'] });
    let writes = 1;
    wider.onRequest = async (init, address) => {
        if (!address.includes('cursor=') || writes-- <= 0) return;
        await bank.move(bank.ids[0], bank.ids.at(-1), 7);
        await bank.close(bank.ids[1]);
        await bank.upload({ updated: [{ id: bank.ids[1], name: 'Renamed' }] });
        await server.api(alice, 'PATCH', `/projects/${id}/`, { name: 'Renamed' });
    };
    await wider.sync();
    const shown = bank.ids.map(account => wider.task(account).percent_complete);
    assert.deepEqual(shown, [...bank.points.values()]);
    const renamed = [wider.task(bank.ids[1]), wider.database.rows('projects').get(id)];
    assert.deepEqual(renamed.map(({ name }) => name), ['Renamed', 'Renamed']);
    assert.equal([...wider.database.rows('tasks').values()].filter(row => row.project_id === id).length, 5);
});

test('what is edited here lies on top of it, and is sent', async () => {
    const { bank, device } = await opened(1);
    await device.sync();
    const [first, last] = [bank.ids[0], bank.ids.at(-1)];
    device.database.update('tasks', first, { name: 'Mine' });
    for (const account of bank.ids.slice(1)) await bank.move(account, first, 1);
    disturb(device, bank);
    await device.sync();
    assert.deepEqual(bank.shownBy(device), bank.whole);
    assert.deepEqual([device.task(first).name, device.database.hasChanges()], ['Mine', false]);
    assert.equal((await server.api(alice, 'GET', `/tasks/${first}/`)).name, 'Mine');
    assert.equal(device.task(last).percent_complete, bank.points.get(last));
});

test('turbo loads one moment', async () => {
    const { bank, device } = await opened(1);
    let writes = 1;
    device.onAnswer = async (init, { status }) => {
        if (status === 200 && writes-- > 0) await bank.move(bank.ids[0], bank.ids[1], 9);
    };
    await device.sync({ unsafeTurbo: true });
    assert.deepEqual(bank.shownBy(device), bank.whole);
});
