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
