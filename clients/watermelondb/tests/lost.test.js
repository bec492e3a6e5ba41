import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { memoryStorage } from '../index.js';
import { NEW_TASK } from './support/rows.js';
import { startTeam } from './support/team.js';
import { synchronize } from './support/synchronize.js';

// Lost answers to uploads, and apps that are killed: what the server applied is not applied again.

let server, alice, bob, project, phones;

before(async () => {
    ({ server, alice, bob, project, phones } = await startTeam({ TIDEMARK_SYNC_BATCH_MAX_ROWS: '20' }));
});
after(() => server.stop());

/** Loses the next answers to this phone's uploads. */
function loseAnswers(phone, count = Infinity) {
    let left = count;
    phone.onAnswer = init => {
        if (init.method === 'POST' && left-- > 0) throw new TypeError('the answer is lost');
    };
}

const uploads = phone => phone.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));
const rename = (id, name, token = bob) => server.api(token, 'PATCH', `/tasks/${id}/`, { name });
const onServer = id => server.api(alice, 'GET', `/tasks/${id}/`);

/** Alice's phone. The server has applied its rename of task 0 to `Mine`, but the phone does not know that. */
async function unanswered(options = {}, edit = phone => phone) {
    const id = await project('Dig', 'Pour');
    const storage = memoryStorage();
    const [phone] = phones(id, { storage, ...options });
    await phone.sync();
    phone.database.update('tasks', `${id}-0`, { name: 'Mine' });
    edit(phone, id);
    loseAnswers(phone);
    await assert.rejects(phone.sync());
    phone.onAnswer = null;
    return { id, phone, storage };
}

/** Restarts the app with the same database and storage. */
function restarted(id, phone, options) {
    const [fresh] = phones(id, options);
    fresh.database = phone.database;
    return fresh;
}

for (const onConflict of ['overwrite', 'reject', 'merge', 'newest']) {
    test(`with ${onConflict} an edit whose answer was lost does not overwrite a later one`, async () => {
        const { id, phone, storage } = await unanswered({ onConflict });
        await rename(`${id}-0`, 'Newer');
        const again = restarted(id, phone, { onConflict, storage });
        await again.sync();
        assert.equal((await onServer(`${id}-0`)).name, 'Newer');
        assert.equal(phone.task(`${id}-0`).name, 'Newer');
        assert.deepEqual([phone.database.hasChanges(), phone.database.errors], [false, []]);
        assert.equal(uploads(again)[0].client_batch_id, uploads(phone)[0].client_batch_id);
        assert.equal(uploads(again).length, 1);
    });

    test(`with ${onConflict} later edits are sent as new ones`, async () => {
        const { id, phone, storage } = await unanswered({ onConflict });
        await rename(`${id}-0`, 'Newer');
        phone.database.update('tasks', `${id}-0`, { notes: 'deep' });
        phone.database.update('tasks', `${id}-1`, { name: 'Poured' });
        const again = restarted(id, phone, { onConflict, storage });
        await again.sync();
        const { name, notes } = await onServer(`${id}-0`);
        assert.deepEqual([name, notes], ['Newer', 'deep']);
        assert.equal((await onServer(`${id}-1`)).name, 'Poured');
        assert.deepEqual([phone.task(`${id}-0`).name, phone.task(`${id}-0`).notes], ['Newer', 'deep']);
        assert.equal(phone.database.hasChanges(), false);
    });
}

test('a later edit of the same column is sent too', async () => {
    const { id, phone, storage } = await unanswered();
    await rename(`${id}-0`, 'Newer');
    phone.database.update('tasks', `${id}-0`, { name: 'Mine again' });
    await restarted(id, phone, { storage }).sync();
    assert.equal((await onServer(`${id}-0`)).name, 'Mine again');
    assert.deepEqual([phone.task(`${id}-0`).name, phone.database.hasChanges()], ['Mine again', false]);
});

test('a row whose creation was not answered can be edited and deleted like any other', async () => {
    const create = (phone, id) => {
        for (const name of ['a', 'b', 'c']) phone.database.create('tasks', { ...NEW_TASK, id: `${id}-${name}`, name });
    };
    const { id, phone, storage } = await unanswered({}, create);
    await rename(`${id}-a`, 'Newer');
    await rename(`${id}-b`, 'Newer');
    phone.database.update('tasks', `${id}-b`, { notes: 'deep' });
    phone.database.remove('tasks', `${id}-c`);
    await restarted(id, phone, { storage }).sync();
    assert.equal((await onServer(`${id}-a`)).name, 'Newer');
    const { name, notes } = await onServer(`${id}-b`);
    assert.deepEqual([name, notes], ['Newer', 'deep']);
    await assert.rejects(onServer(`${id}-c`), /404/);
    assert.deepEqual([...phone.database.rows('tasks').keys()].sort(), [`${id}-0`, `${id}-1`, `${id}-a`, `${id}-b`]);
    assert.deepEqual([phone.task(`${id}-a`).name, phone.database.hasChanges()], ['Newer', false]);
});

test('a deletion whose answer was lost is done', async () => {
    const { id, phone, storage } = await unanswered({}, (phone, id) => phone.database.remove('tasks', `${id}-1`));
    await restarted(id, phone, { storage }).sync();
    assert.deepEqual([phone.task(`${id}-1`), phone.database.hasChanges()], [undefined, false]);
});

test('a push whose request was lost is sent again', async () => {
    const id = await project('Dig');
    const [phone] = phones(id);
    await phone.sync();
    phone.database.update('tasks', `${id}-0`, { name: 'Mine' });
    phone.onRequest = init => {
        if (init.method === 'POST') throw new TypeError('the request is lost');
    };
    await assert.rejects(phone.sync());
    phone.onRequest = null;
    await phone.sync();
    assert.equal((await onServer(`${id}-0`)).name, 'Mine');
    assert.equal(phone.database.hasChanges(), false);
});

test('what the lost answer said is reported when it comes again', async () => {
    const refuse = (phone, id) => phone.database.create('tasks', { ...NEW_TASK, id: `${id}-bad`, name: '', status: 5 });
    const { id, phone, storage } = await unanswered({ onError: 'reject_rows' }, refuse);
    const again = restarted(id, phone, { storage, onError: 'reject_rows' });
    await again.sync();
    assert.ok(again.reports[0].rejected.tasks.some(entry => entry.id === `${id}-bad`));
    assert.equal(phone.task(`${id}-bad`)._status, 'created');
    assert.equal(phone.task(`${id}-0`)._status, 'synced');
});

test('a report that the app failed to handle comes again', async () => {
    const id = await project('Dig');
    let isFull = true;
    const told = [];
    const onReport = ({ rejected }) => {
        if (isFull) throw new Error('the disk is full');
        told.push(...rejected.tasks.map(({ code }) => code));
    };
    const [phone] = phones(id, { onReport, onError: 'reject_rows' });
    await phone.sync();
    phone.database.update('tasks', `${id}-0`, { percent_complete: 500 });
    for (let sync = 0; sync < 2; sync++) await assert.rejects(phone.sync(), /disk/);
    isFull = false;
    await phone.sync();
    assert.deepEqual([told, phone.database.hasChanges()], [['out_of_range'], false]);
    assert.equal(new Set(uploads(phone).map(body => body.client_batch_id)).size, 1);
});

test('while the server refuses an old batch, rows are still pulled', async () => {
    const { id, phone, storage } = await unanswered();
    await rename(`${id}-1`, 'Poured');
    const again = restarted(id, phone, { storage });
    const fetch = again.onRequest;
    again.onAnswer = (init, response) => {
        if (init.method === 'POST') Object.defineProperty(response, 'status', { value: 500 });
    };
    await assert.rejects(again.sync(), error => error.status === 500);
    assert.equal(phone.task(`${id}-1`).name, 'Poured');
    await rename(`${id}-0`, 'Newer');
    Object.assign(again, { onRequest: fetch, onAnswer: null });
    await again.sync();
    assert.deepEqual([(await onServer(`${id}-0`)).name, phone.task(`${id}-0`).name], ['Newer', 'Newer']);
});

test('without sync() the client gets the later edit with the next synchronize', async () => {
    const { id, phone, storage } = await unanswered();
    await rename(`${id}-0`, 'Newer');
    phone.database.update('tasks', `${id}-0`, { notes: 'deep' });
    phone.database.update('tasks', `${id}-1`, { name: 'Poured' });
    const { adapter } = restarted(id, phone, { storage });
    const { pullChanges, pushChanges } = adapter;
    const stock = () => synchronize({ database: phone.database, sendCreatedAsUpdated: true, pullChanges, pushChanges });
    await stock();
    assert.equal((await onServer(`${id}-0`)).name, 'Newer');
    await stock();
    assert.equal((await onServer(`${id}-0`)).notes, 'deep');
    assert.equal((await onServer(`${id}-1`)).name, 'Poured');
    assert.deepEqual([phone.task(`${id}-0`).name, phone.task(`${id}-0`).notes], ['Newer', 'deep']);
    assert.equal(phone.database.hasChanges(), false);
});

test('a migration that is due waits for the lost push', async () => {
    const { id, phone, storage } = await unanswered();
    await rename(`${id}-0`, 'Newer');
    Object.assign(phone.database, { version: 2, migrations: [{ toVersion: 2, tables: ['risks'] }] });
    await server.api(alice, 'POST', `/projects/${id}/risks/`, { title: 'Rain', probability: 2, impact: 3 });
    const again = restarted(id, phone, { storage });
    await again.sync();
    assert.ok(again.requests.some(({ address }) => address.includes('migration=')));
    assert.deepEqual([phone.task(`${id}-0`).name, phone.database.pulledVersion], ['Newer', 2]);
});

test('after a reset of the database the old batch is still sent, once', async () => {
    const id = await project('Dig');
    const storage = memoryStorage();
    const [phone] = phones(id, { storage });
    await phone.sync();
    phone.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof' });
    phone.onRequest = init => {
        if (init.method === 'POST') throw new TypeError('the request is lost');
    };
    await assert.rejects(phone.sync());
    const [fresh] = phones(id, { storage });
    await fresh.sync();
    await fresh.sync();
    assert.equal(fresh.task(`${id}-new`).name, 'Roof');
    assert.equal(uploads(fresh).length, 1);
});

/** A storage and requests that stop working after so many steps, together with the app. */
class Mortal {
    steps = 0;
    values = new Map();

    constructor(dies) {
        this.dies = dies;
    }

    step() {
        if (++this.steps >= this.dies) throw new TypeError('the app is killed');
    }

    storage() {
        const touch = work => async (...args) => {
            this.step();
            const value = work(...args);
            this.step();
            return value;
        };
        return {
            get: touch(key => this.values.get(key) ?? null),
            set: touch((key, value) => void this.values.set(key, value)),
            remove: touch(key => void this.values.delete(key)),
        };
    }
}

for (const isFirst of [true, false]) {
    test(`killed at any step of ${isFirst ? 'the push' : 'the sync after it'} no edit is lost, doubled or brought back`,
        async () => {
            for (let dies = 1; ; dies++) {
                const id = await project('Dig', 'Pour');
                const life = new Mortal(Infinity);
                const storage = life.storage();
                const mortal = { storage, retry: { attempts: 1 }, batchRows: isFirst ? 1 : 10 };
                const [phone] = phones(id, mortal);
                const watch = phone => Object.assign(phone, {
                    onRequest: () => life.step(), onAnswer: () => life.step(),
                });
                await phone.sync();
                phone.database.update('tasks', `${id}-0`, { name: 'Mine' });
                phone.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof' });
                if (!isFirst) {
                    loseAnswers(phone, 1);
                    await assert.rejects(phone.sync());
                    await rename(`${id}-0`, 'Newer');
                }
                Object.assign(life, { steps: 0, dies });
                const second = watch(restarted(id, phone, mortal));
                const isDead = await second.sync().then(() => false, () => true);
                life.dies = Infinity;
                const reached = (await onServer(`${id}-0`)).name === 'Mine';
                if (isFirst && reached) await rename(`${id}-0`, 'Newer');
                const third = restarted(id, phone, mortal);
                await third.sync();
                const expected = isFirst && !reached ? 'Mine' : 'Newer';
                assert.equal((await onServer(`${id}-0`)).name, expected, `killed at step ${dies}`);
                assert.equal(phone.task(`${id}-0`).name, expected, `killed at step ${dies}`);
                assert.equal((await onServer(`${id}-new`)).name, 'Roof');
                assert.equal(phone.database.hasChanges(), false, `killed at step ${dies}`);
                assert.deepEqual([...life.values.keys()].filter(key => key.includes('batch')), []);
                if (!isDead) {
                    assert.ok(dies > 8);
                    break;
                }
            }
        });
}

/** Records, for each value that a body marks as edited, the batch ids under which it was sent and applied. */
function recordApplied(phone, applied) {
    phone.onAnswer = async (init, response) => {
        if (init.method !== 'POST' || response.status !== 200) return;
        const { client_batch_id: id, changes } = JSON.parse(init.body);
        for (const row of [...changes.tasks.created, ...changes.tasks.updated]) {
            for (const column of row._changed.split(',').filter(Boolean)) {
                const key = `${row.id} ${column} ${row[column]}`;
                applied.set(key, (applied.get(key) ?? new Set()).add(id));
            }
        }
    };
}

let losses = 0;
const SEEDS = process.env.SEED ? [Number(process.env.SEED)] : [1, 2, Math.floor(Math.random() * 1e9)];

for (const seed of SEEDS) {
    for (const isAlone of [false, true]) {
        test(`random losses ${isAlone ? 'without sync() ' : ''}send no edit twice, seed ${seed}`, async () => {
            let state = seed;
            const random = below => {
                state = (Math.imul(state, 1103515245) + 12345) >>> 0;
                return (state >>> 16) % below;
            };
            const id = await project('Dig', 'Pour', 'Build');
            const options = { storage: memoryStorage(), retry: { attempts: 1 } };
            options.onConflict = ['overwrite', 'reject', 'merge'][random(3)];
            let [phone] = phones(id, options);
            const applied = new Map();
            const connect = isNoisy => {
                recordApplied(phone, applied);
                const record = phone.onAnswer;
                phone.onRequest = () => {
                    if (isNoisy && random(12) === 0) throw new TypeError('the request is lost');
                };
                phone.onAnswer = async (init, response) => {
                    await record(init, response);
                    const isLost = isNoisy && (init.method === 'POST' ? random(3) : random(10)) === 0;
                    if (!isLost) return;
                    losses++;
                    throw new TypeError('the answer is lost');
                };
            };
            const sync = async () => {
                if (!isAlone) return phone.sync();
                const { pullChanges, pushChanges } = phone.adapter;
                const args = { database: phone.database, sendCreatedAsUpdated: true, pullChanges, pushChanges };
                return synchronize({ ...args, migrationsEnabledAtVersion: 1 });
            };
            connect(false);
            await sync();
            for (let step = 0; step < 60; step++) {
                connect(true);
                const task = `${id}-${random(3)}`;
                const column = ['name', 'notes'][random(2)];
                const action = random(6);
                if (action < 2) phone.database.update('tasks', task, { [column]: `mine ${step}` });
                else if (action < 4) await server.api(bob, 'PATCH', `/tasks/${task}/`, { [column]: `theirs ${step}` });
                else if (action === 4) phone = restarted(id, phone, options);
                else await sync().catch(() => {});
            }
            connect(false);
            for (let round = 0; round < 3; round++) {
                await sync().catch(error => assert.equal(error.code, 'conflict', `${error}`));
            }
            const doubled = [...applied].filter(([, ids]) => ids.size > 1);
            assert.deepEqual(doubled, [], `seed ${seed}, ${options.onConflict}`);
            for (const number of [0, 1, 2]) {
                const { name, notes } = await onServer(`${id}-${number}`);
                const local = phone.task(`${id}-${number}`);
                assert.deepEqual([local.name, local.notes], [name, notes], `seed ${seed}`);
            }
            assert.deepEqual([phone.database.hasChanges(), phone.database.errors], [false, []]);
        });
    }
}

test('answers were lost in the random runs', { skip: SEEDS.length < 2 }, () => assert.ok(losses > 0));
