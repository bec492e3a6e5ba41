import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { memoryStorage } from '../index.js';
import { failing } from './support/fakes.js';
import { Phone } from './support/phone.js';
import { NEW, NEW_TASK } from './support/rows.js';
import { synchronize } from './support/synchronize.js';
import { names, startTeam } from './support/team.js';

// Named parts, with one project and a real server.

const HOUR = 3600_000;
let server, alice, bob, bobsID, schema, project;

before(async () => {
    ({ server, alice, bob, schema, project } = await startTeam());
    bobsID = (await server.api(bob, 'GET', '/auth/me/')).id;
});
after(() => server.stop());

const MINE = { tasks: [{ assignee: '@me' }] };
const DONE = { tasks: [{ status: 'COMPLETE' }] };
const missing = () => {
    throw new Error('The app has no filter.');
};
const edit = (id, values) => server.api(alice, 'PATCH', `/tasks/${id}/`, values);
const give = (id, user = bobsID) => edit(id, { assignee: user });
const queries = phone => phone.requests.map(({ address }) => new URL(address))
    .filter(({ pathname }) => pathname.endsWith('/sync/')).map(({ searchParams }) => Object.fromEntries(searchParams));

/** Bob's phone in a project in which the first of these tasks is his. */
async function bobs(tasks, options = {}) {
    const id = await project(...tasks);
    if (tasks.length) await give(`${id}-0`);
    const storage = memoryStorage();
    const phone = Object.assign(new Phone(server, id, bob, { schema, storage, ...options }), { storage });
    return { id, phone };
}

/** The same database and storage after a restart of the app. */
function restarted({ database, storage }, id, options = {}) {
    return Object.assign(new Phone(server, id, bob, { schema, storage, ...options }), { database, storage });
}

async function isRight(phone) {
    const result = await phone.adapter.compare({ synchronize, database: phone.database });
    assert.deepEqual([result, phone.database.errors], [{ isSame: true, differing: [] }, []]);
}

test('a phone with a part has the rows of it, and what follows them', async () => {
    const { id, phone } = await bobs(['Dig', 'Pour']);
    for (const task of [0, 1]) {
        const link = { task: `${id}-${task}`, url: 'https://example.org/' };
        await server.api(alice, 'POST', `/projects/${id}/task_links/`, link);
    }
    const { ready } = await phone.adapter.parts.add('mine', MINE);
    await phone.sync();
    await ready;
    assert.deepEqual([names(phone), phone.database.rows('task_links').size], [['Dig'], 1]);
    await isRight(phone);
});

test('a database of everything is narrowed to a part, and an unsent edit outside of it is sent first', async () => {
    const { id, phone } = await bobs(['Dig', 'Pour', 'Build']);
    await phone.sync();
    phone.database.update('tasks', `${id}-1`, { notes: 'deep' });
    await phone.adapter.parts.add('mine', MINE);
    await phone.sync();
    assert.deepEqual(names(phone), ['Dig']);
    assert.equal((await server.api(alice, 'GET', `/tasks/${id}-1/`)).notes, 'deep');
    await phone.sync();
    await isRight(phone);
});

test('rows come into the part and leave it, and a drain is asked for with the filter before', async () => {
    const { id, phone } = await bobs(['Dig', 'Pour']);
    await phone.adapter.parts.add('mine', MINE);
    await phone.sync();
    await give(`${id}-1`);
    await give(`${id}-0`, null);
    phone.requests = [];
    await phone.sync();
    assert.deepEqual(names(phone), ['Pour']);
    const [{ filter, filter_was, left }] = queries(phone);
    assert.deepEqual([JSON.parse(filter), filter_was, left], [MINE, 'same', 'left']);
    await isRight(phone);
});

test('parts are joined, changed and removed, and without any the phone has everything', async () => {
    const { id, phone } = await bobs(['Dig', 'Pour', 'Build']);
    await edit(`${id}-1`, { status: 'COMPLETE' });
    const { parts } = phone.adapter;
    await parts.add('mine', MINE);
    await parts.add('done', DONE);
    await phone.sync();
    assert.deepEqual(names(phone), ['Dig', 'Pour']);
    await parts.update('done', { tasks: [{ status: 'NOT_STARTED' }] });
    phone.requests = [];
    await phone.sync();
    assert.deepEqual(names(phone), ['Build', 'Dig']);
    assert.ok(queries(phone).every(({ since }) => since !== '0'), 'a roll');
    await parts.remove('done');
    await phone.sync();
    assert.deepEqual(names(phone), ['Dig']);
    await isRight(phone);
    await parts.remove('mine');
    phone.requests = [];
    await phone.sync();
    assert.deepEqual(names(phone), ['Build', 'Dig', 'Pour']);
    const [{ since, filter = null, filter_was }] = queries(phone);
    assert.deepEqual([since === '0', filter, JSON.parse(filter_was)], [false, null, MINE]);
    assert.deepEqual(await parts.list(), []);
    await isRight(phone);
    // From now on as without parts.
    phone.requests = [];
    await phone.sync();
    assert.deepEqual(queries(phone).map(({ filter_was }) => filter_was), [undefined]);
});

test('a removed part is asked for as long as its keepHours say', async () => {
    let now = 1000 * HOUR;
    const { phone } = await bobs(['Dig', 'Pour'], { now: () => now });
    const { parts } = phone.adapter;
    await parts.add('mine', MINE);
    await parts.add('rest', { tasks: [{ status: 'NOT_STARTED' }] }, { keepHours: 48 });
    await phone.sync();
    await parts.remove('rest');
    now += 47 * HOUR;
    await phone.sync();
    assert.deepEqual(names(phone), ['Dig', 'Pour']);
    const [, rest] = await parts.list();
    assert.deepEqual([rest.name, rest.keepHours, rest.keepUntil], ['rest', 48, 1048 * HOUR]);
    now += HOUR;
    await phone.sync();
    assert.deepEqual([names(phone), (await parts.list()).length], [['Dig'], 1]);
    // Without that it goes at once.
    await parts.add('rest', { tasks: [{}] });
    await phone.sync();
    await parts.remove('rest');
    await phone.sync();
    assert.deepEqual(names(phone), ['Dig']);
});

test('a part is ready when the phone has what it asks for, also after a restart', async () => {
    const { id, phone } = await bobs(['Dig']);
    const states = {};
    const watch = (name, ready) => ready.then(() => { states[name] = true; }, error => { states[name] = error.code; });
    watch('mine', (await phone.adapter.parts.add('mine', MINE)).ready);
    watch('gone', (await phone.adapter.parts.add('gone', DONE)).ready);
    await phone.adapter.parts.remove('gone');
    assert.deepEqual([states, (await phone.adapter.parts.list())[0].isReady], [{ gone: 'unknown_part' }, false]);
    await phone.sync();
    assert.deepEqual([states.mine, (await phone.adapter.parts.list())[0].isReady], [true, true]);
    const later = restarted(phone, id);
    await (await later.adapter.parts.add('mine', MINE)).ready;
    assert.deepEqual(later.requests, []);
    await later.sync();
    assert.deepEqual(names(later), ['Dig']);
});

test('a filter may be a function, which is asked once a sync, and whose last value is kept', async () => {
    const { id, phone } = await bobs(['Dig', 'Pour', 'Build']);
    for (const number of [0, 1, 2]) await edit(`${id}-${number}`, { planned_start: `2026-1${number}-02` });
    let [month, calls] = [10, 0];
    const window = () => {
        calls++;
        return { tasks: [{ planned_start: { from: `2026-${month}-01`, until: `2026-${month}-28` } }] };
    };
    const { ready } = await phone.adapter.parts.add('month', window);
    for (const expected of ['Dig', 'Pour', 'Build']) {
        await phone.sync();
        assert.deepEqual(names(phone), [expected]);
        await isRight(phone);
        month++;
    }
    await ready;
    assert.equal(calls, 4, 'once more when it was named');
    const later = restarted(phone, id);
    await later.sync();
    assert.deepEqual(names(later), ['Build']);
});

test('an edit of a row that left is sent before the row goes', async () => {
    const { id, phone } = await bobs(['Dig', 'Pour']);
    await phone.adapter.parts.add('mine', MINE);
    await phone.sync();
    phone.database.update('tasks', `${id}-0`, { notes: 'deep' });
    await give(`${id}-0`, null);
    phone.onRequest = ({ method }) => {
        if (method === 'POST') throw new TypeError('no network');
    };
    await assert.rejects(phone.sync(), failing({ code: 'network' }));
    assert.equal(phone.task(`${id}-0`).notes, 'deep');
    // A part that is left with an edit is no difference.
    phone.onRequest = null;
    await phone.sync();
    assert.equal(phone.task(`${id}-0`), undefined);
    assert.equal((await server.api(alice, 'GET', `/tasks/${id}-0/`)).notes, 'deep');
    await phone.sync();
    await isRight(phone);
});

test('a row that is handed over and back while its edit waits stays', async () => {
    const { id, phone } = await bobs(['Dig']);
    await phone.adapter.parts.add('mine', MINE);
    await phone.sync();
    phone.database.update('tasks', `${id}-0`, { notes: 'deep' });
    await give(`${id}-0`, null);
    phone.onRequest = ({ method }) => {
        if (method === 'POST') throw new TypeError('no network');
    };
    await assert.rejects(phone.sync());
    await give(`${id}-0`);
    phone.onRequest = null;
    await phone.sync();
    assert.deepEqual([phone.task(`${id}-0`).notes, phone.database.hasChanges()], ['deep', false]);
    await phone.sync();
    await isRight(phone);
});

test('a row that is edited at the moment it is about to go stays', async () => {
    const { id, phone } = await bobs(['Dig', 'Pour']);
    await give(`${id}-1`);
    await phone.adapter.parts.add('mine', MINE);
    await phone.sync();
    for (const number of [0, 1]) await give(`${id}-${number}`, null);
    // The app's own writer is there first.
    const { write } = phone.database;
    phone.database.write = function (work) {
        phone.database.write = write;
        this.write(async () => this.update('tasks', `${id}-0`, { notes: 'deep' }));
        return this.write(work);
    };
    await phone.sync();
    assert.deepEqual(names(phone), ['Dig']);
    assert.equal(phone.task(`${id}-0`)._status, 'updated');
    await phone.sync();
    assert.deepEqual([names(phone), (await server.api(alice, 'GET', `/tasks/${id}-0/`)).notes], [[], 'deep']);
});

test('a row with an unsent edit outside of the part is left out of the comparison', async () => {
    const { id, phone } = await bobs(['Dig']);
    await phone.adapter.parts.add('mine', MINE);
    await phone.sync();
    phone.database.update('tasks', `${id}-0`, { notes: 'deep' });
    await give(`${id}-0`, null);
    phone.onRequest = ({ method }) => {
        if (method === 'POST') throw new TypeError('no network');
    };
    await assert.rejects(phone.sync());
    const storage = phone.storage;
    // The batch has no answer; without it the phone can be compared.
    const same = restarted({ database: phone.database, storage: without(storage, 'batch') }, id);
    await isRight(same);
});

/** A copy of a storage without keys that contain a text. */
function without(storage, text) {
    return { ...storage, get: key => (key.includes(text) ? null : storage.get(key)) };
}

test('new rows of the phone outside of its part are accepted, and go', async () => {
    const { id, phone } = await bobs(['Dig']);
    await phone.adapter.parts.add('mine', MINE);
    await phone.sync();
    phone.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof' });
    phone.database.create('risks', { ...NEW.risks, id: `${id}-risk` });
    await phone.sync();
    assert.deepEqual(names(phone), ['Dig', 'Roof']);
    await phone.sync();
    assert.deepEqual([names(phone), phone.database.rows('risks').size], [['Dig'], 1]);
    assert.equal((await server.api(alice, 'GET', `/tasks/${id}-new/`)).name, 'Roof');
    await isRight(phone);
});

test('without what the adapter knew, the part is pulled from 0, and what is unsent is sent', async () => {
    const { id, phone } = await bobs(['Dig', 'Pour']);
    await give(`${id}-1`);
    await phone.adapter.parts.add('mine', MINE);
    await phone.sync();
    phone.database.update('tasks', `${id}-1`, { notes: 'deep' });
    await give(`${id}-1`, null);
    const later = restarted({ ...phone, database: phone.database, storage: memoryStorage() }, id);
    await later.adapter.parts.add('mine', MINE);
    await later.sync();
    assert.deepEqual(queries(later).map(({ since }) => since)[0], '0');
    assert.deepEqual([names(later), (await server.api(alice, 'GET', `/tasks/${id}-1/`)).notes], [['Dig'], 'deep']);
    await later.sync();
    await isRight(later);
});

test('a database that is older than the storage is pulled from 0', async () => {
    const { id, phone } = await bobs(['Dig', 'Pour']);
    await phone.adapter.parts.add('mine', MINE);
    await phone.sync();
    const former = phone.database.lastPulledAt;
    for (let round = 0; round < 3; round++) {
        await edit(`${id}-1`, { name: `Pour ${round}` });
        await phone.sync();
    }
    phone.database.lastPulledAt = former;
    phone.database.errors = [];
    await give(`${id}-1`);
    phone.requests = [];
    await phone.sync();
    assert.deepEqual([queries(phone)[0].since, names(phone)], ['0', ['Dig', 'Pour 2']]);
    await isRight(phone);
});

test('after a purge the part is pulled from 0, and an unsent edit outside of it is sent', async () => {
    const { id, phone } = await bobs(['Dig', 'Pour', 'Build']);
    await give(`${id}-1`);
    await phone.adapter.parts.add('mine', MINE);
    await phone.sync();
    phone.database.update('tasks', `${id}-1`, { notes: 'deep' });
    await give(`${id}-1`, null);
    await server.api(alice, 'DELETE', `/tasks/${id}-2/`);
    await edit(`${id}-0`, { name: 'Dug' });
    await server.command('purge', '--older-than', '0s');
    await phone.sync();
    assert.ok(phone.requests.some(({ status }) => status === 410));
    assert.deepEqual([names(phone), (await server.api(alice, 'GET', `/tasks/${id}-1/`)).notes], [['Dug'], 'deep']);
    await phone.sync();
    await isRight(phone);
});

test('what is wrong with a part is said where it is named, or by the server', async () => {
    const { phone } = await bobs(['Dig']);
    const { parts } = phone.adapter;
    for (const args of [['', MINE], ['mine', MINE, { keepHours: -1 }], ['mine', MINE, { keep: 1 }]]) {
        await assert.rejects(parts.add(...args), TypeError);
    }
    for (const filter of [{ tasks: { assignee: '@me' } }, { projects: ['p-1'] }, () => null]) {
        await assert.rejects(parts.add('mine', filter), failing({ code: 'invalid_filter' }));
    }
    await assert.rejects(parts.update('mine', MINE), failing({ code: 'unknown_part' }));
    await assert.rejects(parts.remove('mine'), failing({ code: 'unknown_part' }));
    for (let part = 0; part < 8; part++) await parts.add(`part ${part}`, { tasks: [{ sprint: `s-${part}` }] });
    await assert.rejects(parts.add('one more', MINE), failing({ code: 'invalid_filter' }));
    assert.equal((await parts.list()).length, 8);
    for (let part = 0; part < 8; part++) await parts.remove(`part ${part}`);
    const { ready } = await parts.add('named', { tasks: [{ name: 'Dig' }] });
    await assert.rejects(phone.sync(), failing({ code: 'invalid_filter' }));
    await assert.rejects(ready, failing({ code: 'invalid_filter' }));
    // It holds up the phone no longer than it is there.
    await parts.update('named', MINE);
    await phone.sync();
    assert.deepEqual(names(phone), ['Dig']);
});

test('a function that fails is told after the sync, and its last value counts', async () => {
    const { id, phone } = await bobs(['Dig', 'Pour']);
    let filter = MINE;
    await phone.adapter.parts.add('mine', () => filter ?? missing());
    await phone.sync();
    for (const wrong of [null, { tasks: 1 }]) {
        filter = wrong;
        await give(`${id}-1`);
        await assert.rejects(phone.sync(), failing({ code: 'invalid_filter' }));
        assert.deepEqual(names(phone), ['Dig', 'Pour']);
    }
});

test('a removed part that is kept gives way where all parts together are too many', async () => {
    const { phone } = await bobs(['Dig']);
    const { parts } = phone.adapter;
    for (let part = 0; part < 8; part++) {
        await parts.add(`${part}`, { tasks: [{ sprint: `s-${part}` }] }, { keepHours: 1 });
    }
    await parts.remove('3');
    await parts.add('mine', MINE);
    assert.deepEqual((await parts.list()).map(({ name }) => name).join(' '), '0 1 2 4 5 6 7 mine');
});

test('parts need sync()', async () => {
    const { id, phone } = await bobs(['Dig', 'Pour']);
    const alone = adapter => {
        const { pullChanges, pushChanges } = adapter;
        return synchronize({ database: phone.database, sendCreatedAsUpdated: true, pullChanges, pushChanges });
    };
    await phone.adapter.parts.add('mine', MINE);
    await assert.rejects(alone(phone.adapter), failing({ code: 'needs_sync' }));
    await phone.sync();
    await phone.adapter.parts.remove('mine');
    const later = restarted(phone, id);
    await assert.rejects(alone(later.adapter), failing({ code: 'needs_sync' }));
    await later.sync();
    await alone(later.adapter);
    assert.deepEqual(names(phone), ['Dig', 'Pour']);
    // The watermark is not known now.
    await later.adapter.parts.add('mine', MINE);
    await later.sync();
    assert.deepEqual(names(phone), ['Dig']);
    await isRight(later);
});

test('with unsafeTurbo a part comes in pages', async () => {
    const { phone } = await bobs(['Dig', 'Pour']);
    await phone.adapter.parts.add('mine', MINE);
    await phone.sync({ unsafeTurbo: true });
    assert.deepEqual(names(phone), ['Dig']);
});

test('a listener is called when the parts change, and not when they stay the same', async () => {
    const { phone } = await bobs(['Dig', 'Pour']);
    const { parts } = phone.adapter;
    let calls = 0;
    let wake = () => {};
    const listening = phone.adapter.listen({
        onChange: async () => {
            calls++;
            await phone.sync();
            wake();
        },
        appState: null, events: false,
    });
    const next = () => new Promise(resolve => { wake = resolve; });
    await next();
    const first = await parts.add('mine', MINE);
    await first.ready;
    assert.deepEqual(names(phone), ['Dig']);
    const before = calls;
    await (await parts.add('mine', MINE)).ready;
    await parts.list();
    assert.equal(calls, before);
    const done = next();
    await parts.remove('mine');
    await done;
    listening.stop();
    assert.deepEqual(names(phone), ['Dig', 'Pour']);
});

test('to forget the user is to forget the parts', async () => {
    const { id, phone } = await bobs(['Dig', 'Pour']);
    const keys = new Set();
    const { storage } = phone;
    const noted = { ...storage, set: (key, value) => void (keys.add(key), storage.set(key, value)) };
    const logged = restarted({ database: phone.database, storage: noted }, id);
    const { ready } = await logged.adapter.parts.add('mine', MINE);
    await logged.sync();
    await ready;
    const waiting = (await logged.adapter.parts.add('done', DONE)).ready;
    await logged.adapter.forget(() => logged.database.reset());
    await assert.rejects(waiting, failing({ code: 'unknown_part' }));
    assert.deepEqual([[...keys].filter(key => storage.get(key) !== null), await logged.adapter.parts.list()], [[], []]);
    await logged.sync();
    assert.deepEqual(names(logged), ['Dig', 'Pour']);
});
