import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Phone } from './support/phone.js';
import { NEW } from './support/rows.js';
import { synchronize } from './support/synchronize.js';
import { startTeam } from './support/team.js';

// The sample of docs/watermelondb.md, without the adapter: whole apps push everything that they have.

const page = readFileSync(new URL('../../../docs/watermelondb.md', import.meta.url), 'utf8');
const [, sample] = page.match(/^```js\nimport [^\n]*\n(.*?)^```$/ms);

let server, alice, bob, bobsID, schema, project;

before(async () => {
    ({ server, alice, bob, schema, project } = await startTeam());
    bobsID = (await server.api(bob, 'GET', '/auth/me/')).id;
});
after(() => server.stop());

/** A phone whose `sync` is the sample's. */
class StockPhone extends Phone {
    constructor(id, token) {
        super(server, id, token, { schema });
        const names = ['synchronize', 'database', 'url', 'headers'];
        const url = `${server.url}/api/v1/projects/${id}/sync/`;
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
        this.sync = new Function(...names, `${sample}; return sync`)(synchronize, this.database, url, headers);
    }

    create(collection, row) {
        this.database.create(collection, { ...NEW[collection], ...row });
    }

    status(collection, id) {
        return this.database.rows(collection).get(id)?._status;
    }
}

const pair = id => [new StockPhone(id, alice), new StockPhone(id, bob)];

test('a whole app is pushed and reaches another phone', async () => {
    const id = await project('Dig', 'Pour');
    const [phone, other] = pair(id);
    await phone.sync();
    const task = `${id}-t`;
    phone.create('time_entries', { id: `${id}-e`, task });
    phone.create('task_recurrence_rules', { id: `${id}-u`, task });
    phone.create('task_links', { id: `${id}-l`, task, labels: '["plan"]' });
    phone.create('task_suggested_assignees', { id: `${id}-a`, task, suggested_user: bobsID });
    phone.create('retro_action_items', { id: `${id}-i`, retro: `${id}-r`, promoted_task_id: task });
    phone.create('sprint_retros', { id: `${id}-r`, sprint: `${id}-s` });
    phone.create('risks', { id: `${id}-k`, task_ids: JSON.stringify([task]) });
    phone.create('dependencies', { id: `${id}-d`, predecessor: task, successor: `${id}-0` });
    phone.create('tasks', { id: task, sprint: `${id}-s` });
    phone.create('sprints', { id: `${id}-s` });
    phone.create('calendars', { id: `${id}-c` });
    phone.database.remove('tasks', `${id}-1`);
    for (let round = 0; round < 2; round++) await phone.sync();
    await other.sync();
    assert.deepEqual([phone.database.hasChanges(), phone.database.errors], [false, []]);
    for (const name of Object.keys(schema)) {
        if (name !== 'time_entries') assert.equal(phone.snapshot(name), other.snapshot(name), name);
        if (name in NEW) assert.ok(phone.database.rows(name).size > 0, name);
    }
    assert.equal(other.database.rows('time_entries').size, 0);
});

test('a refused new row stays unsent and a refused edit is undone, while the others are applied', async () => {
    const id = await project('Dig', 'Pour');
    const [alices, phone] = pair(id);
    alices.create('dependencies', { id: `${id}-there`, predecessor: `${id}-0`, successor: `${id}-1`, dep_type: 'SS' });
    await alices.sync();
    await phone.sync();
    phone.create('dependencies', { id: `${id}-d`, predecessor: `${id}-0`, successor: `${id}-1` });
    phone.create('time_entries', { id: `${id}-e`, task: `${id}-0` });
    phone.create('risks', { id: `${id}-k`, status: '' });
    phone.database.update('dependencies', `${id}-there`, { lag: 3 });
    phone.database.update('tasks', `${id}-0`, { name: 'Dug' });
    await phone.sync();
    assert.equal(phone.status('dependencies', `${id}-d`), 'created');
    const others = { time_entries: 'e', risks: 'k', dependencies: 'there', tasks: '0' };
    for (const [collection, row] of Object.entries(others)) {
        assert.equal(phone.status(collection, `${id}-${row}`), 'synced', collection);
    }
    await phone.sync();
    assert.equal(phone.database.rows('dependencies').get(`${id}-there`).lag, 0);
    assert.equal(phone.database.rows('risks').get(`${id}-k`).status, 'OPEN');
    await server.member(id, 'bob', 'scheduler');
    await phone.sync();
    await alices.sync();
    assert.equal(phone.database.hasChanges(), false);
    assert.deepEqual([...alices.database.rows('dependencies').keys()].sort(), [`${id}-d`, `${id}-there`]);
    assert.equal(alices.task(`${id}-0`).name, 'Dug');
});

test('edits of two phones in different columns of one row both survive', async () => {
    const id = await project('Dig');
    const [alices, bobs] = pair(id);
    alices.create('risks', { id: `${id}-k` });
    for (const phone of [alices, bobs]) await phone.sync();
    alices.database.update('risks', `${id}-k`, { title: 'Rain' });
    bobs.database.update('risks', `${id}-k`, { impact: 5 });
    for (const phone of [alices, bobs, alices, bobs]) await phone.sync();
    const { title, impact } = alices.database.rows('risks').get(`${id}-k`);
    assert.deepEqual([title, impact], ['Rain', 5]);
    assert.equal(alices.snapshot('risks'), bobs.snapshot('risks'));
});
