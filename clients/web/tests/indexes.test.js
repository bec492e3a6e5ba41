import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Index } from '../lib/indexes/entries.js';
import { Database } from '../lib/store/database.js';
import { LiveQueries } from '../lib/window/live.js';
import { Browser } from './support/browser.js';
import { Copy } from './support/copy.js';
import * as documents from './support/documents.js';
import { turns } from './support/turns.js';

// Indexes that a page names: what they are read for, and who keeps their entries.

const ids = rows => rows.map(({ id }) => id).join();

/** A copy of so many tasks of two projects, which are put there with their entries, and what a question of it reads. */
async function large(count, indexes) {
    const copy = await Copy.open(new Browser(), { indexes });
    await copy.start();
    const { stores } = copy.browser.disk.databases.get('copy');
    const stored = structuredClone(stores.get('rows').get(['tasks', 'p-1']));
    const made = ((await copy.replica.state()).indexes ?? []).map(each => new Index(each));
    for (let number = 0; number < count; number++) {
        const id = `t-${String(number).padStart(6, '0')}`;
        const values = { ...stored.values, name: `name ${number % 5000}`, notes: number < 3 ? 'rare' : 'common' };
        const record = { ...stored, id, project_id: number % 2 ? 'p' : 'q', values };
        stores.get('rows').put(record);
        for (const index of made) stores.get('entries').put(0, index.entryOf(record));
    }
    copy.reads = async work => {
        copy.browser.disk.reads = {};
        await work();
        const { rows = 0, entries = 0 } = copy.browser.disk.reads;
        return { rows, entries };
    };
    return copy;
}

/** A live query of a copy, with what it has told. */
async function live({ replica }, options) {
    const told = [];
    const queries = new LiveQueries(replica, error => { throw error; });
    replica.onChange = change => queries.changed(change);
    queries.add('tasks', options, rows => told.push(rows));
    await settled();
    return told;
}

const settled = () => turns(150);

test('three rows of 100,000 are read with their entries, and nothing else', async () => {
    const copy = await large(100_000, { tasks: ['notes', ['project_id', 'name']] });
    let rows;
    const read = async options => { rows = await copy.replica.rows('tasks', options); };
    assert.deepEqual(await copy.reads(() => read({ where: { notes: 'rare' } })), { rows: 3, entries: 3 });
    assert.equal(ids(rows), 't-000000,t-000001,t-000002');
    const first = { project: 'p', order: 'name', limit: 3 };
    assert.deepEqual(await copy.reads(() => read(first)), { rows: 3, entries: 3 });
    assert.equal(ids(rows), 't-000001,t-005001,t-010001');
});

test('a live query of 50 rows reads the same beside 1,000 and beside 100,000', async () => {
    const counts = [];
    for (const size of [1000, 100_000]) {
        const copy = await large(size, { tasks: ['name'] });
        let told;
        const reads = [await copy.reads(async () => { told = await live(copy, { order: 'name', limit: 50 }); })];
        const update = (id, values) => copy.reads(async () => {
            await copy.replica.update('tasks', id, values);
            await settled();
        });
        const [first] = told[0];
        reads.push(await update(first.id, { notes: 'edited' }));
        reads.push(await update(first.id, { name: 'z' }));
        reads.push(await update('t-000999', { name: 'a' }));
        assert.deepEqual(told.map(rows => rows.length), [50, 50, 50, 50]);
        assert.equal(told.at(-1)[0].id, 't-000999');
        assert.deepEqual(told.at(-1), await copy.replica.rows('tasks', { order: 'name', limit: 50 }));
        counts.push(reads);
    }
    assert.deepEqual(counts[0], counts[1]);
    assert.deepEqual(counts[0], [
        { rows: 50, entries: 50 }, { rows: 2, entries: 0 }, { rows: 3, entries: 1 }, { rows: 2, entries: 0 },
    ]);
});

test('own unsent edits are in the right place at once, whether there is an index or not', async () => {
    for (const indexes of [{}, { tasks: [['notes', '-name']] }]) {
        const copy = await Copy.open(new Browser(), { indexes });
        await copy.start();
        const told = await live(copy, { where: { notes: 'x' }, order: '-name', limit: 3 });
        for (const name of ['b', 'd', 'a', 'c']) {
            await copy.replica.insert('tasks', { id: name, project_id: 'p', name, notes: 'x' });
        }
        await settled();
        assert.equal(ids(told.at(-1)), 'd,c,b');
        await copy.replica.update('tasks', 'd', { name: '0' });
        await settled();
        assert.equal(ids(told.at(-1)), 'c,b,a');
        await copy.replica.update('tasks', 'c', { notes: 'y' });
        await settled();
        assert.equal(ids(told.at(-1)), 'b,a,d');
        await copy.replica.delete('tasks', 'a');
        await settled();
        assert.equal(ids(told.at(-1)), 'b,d');
        const count = told.length;
        await copy.replica.update('tasks', 'p-1', { name: 'elsewhere' });
        await settled();
        assert.equal(told.length, count, 'it is silent if nothing of it has changed');
    }
});

test('rows that stay the same are the same objects, also after everything was read anew', async () => {
    const copy = await Copy.open(new Browser(), { indexes: { tasks: ['name'] } });
    await copy.start();
    const told = await live(copy, { order: 'name', limit: 2 });
    const { onChange } = copy.replica;
    copy.replica.onChange = () => {};
    await copy.replica.update('tasks', 'q-1', { name: 'unheard' });
    copy.replica.onChange = onChange;
    await copy.replica.update('tasks', 'q-1', { name: 'q' });
    await settled();
    assert.equal(told.at(-1)[1].name, 'q');
    assert.equal(told.at(-1)[0], told[0][0]);
});

test('without an index it works, and says so once', async t => {
    const warn = t.mock.method(console, 'warn', () => {});
    const copy = await Copy.open(new Browser(), { indexes: { tasks: ['name'] } });
    await copy.start();
    const question = { project: 'p', where: { notes: '' }, order: '-name', limit: 5 };
    for (let time = 0; time < 2; time++) assert.equal(ids(await copy.replica.rows('tasks', question)), 'p-1');
    assert.equal(ids(await copy.replica.rows('tasks', { order: '-name', limit: 1 })), 'q-1');
    await copy.replica.rows('tasks', { order: '-name' });
    await copy.replica.rows('tasks', { order: 'name', limit: 1 });
    const said = warn.mock.calls.map(({ arguments: [text] }) => text);
    assert.deepEqual(said, [
        '[\'notes\',\'project_id\',\'-name\']', '[\'-name\']',
    ].map(fields => `Tidemark reads all rows of tasks. Name an index: open({ indexes: { tasks: [${fields}] } }).`));
});

test('what can\'t be asked is refused', async () => {
    const copy = await Copy.open();
    await copy.start();
    const wrong = [
        { limit: 0 }, { limit: 1.5 }, { order: '_status' }, { order: 'server_version' }, { order: '' }, { order: 'a,b' },
        { where: { name: { like: 'x' } } }, { where: { name: {} } }, { where: { name: { from: null } } },
    ];
    for (const options of wrong) await assert.rejects(copy.replica.rows('tasks', options), TypeError);
    await assert.rejects(copy.name({ tasks: [[]] }), TypeError);
    await assert.rejects(copy.name({ tasks: ['_changed'] }), TypeError);
});

test('a window of another page keeps the entries of indexes that it does not name, and goes on', async () => {
    const browser = new Browser();
    const plain = await Copy.open(browser);
    await plain.start();
    await plain.replica.update('tasks', 'p-1', { name: 'before' });
    const one = await Copy.open(browser, { indexes: { tasks: ['name'] } });
    const two = await Copy.open(browser, { indexes: { tasks: [['notes', 'name']] } });
    await plain.replica.update('tasks', 'p-1', { name: 'b' });
    await plain.replica.insert('tasks', { id: 'new', project_id: 'q', name: 'a' });
    await one.replica.delete('tasks', 'new');
    await two.replica.insert('tasks', { id: 'newer', project_id: 'q', name: 'c' });
    const { stored, due } = await two.entries();
    assert.deepEqual(stored, due);
    assert.equal(stored.length, 6);
    assert.equal((await two.replica.state()).indexes.length, 2);
    assert.equal(ids(await one.replica.rows('tasks', { order: 'name', limit: 2 })), 'p-1,newer');
});

test('a window of the version before is closed, and its code is told that the copy is newer', async () => {
    const browser = new Browser();
    const old = browser.tab();
    await (await Copy.open(browser)).start();
    const db = await new Promise(resolve => {
        old.indexedDB.open('copy', 1).onsuccess = ({ target }) => resolve(target.result);
    });
    db.onversionchange = () => db.close();
    const copy = await Copy.open(browser, { indexes: { tasks: ['name'] } });
    assert.throws(() => db.transaction(['rows'], 'readwrite'), { name: 'InvalidStateError' });
    const error = await new Promise(resolve => {
        const request = old.indexedDB.open('copy', 1);
        request.onerror = () => resolve(request.error);
    });
    assert.equal(error.name, 'VersionError');
    assert.equal(ids(await copy.replica.rows('tasks', { order: 'name', limit: 2 })), 'p-1,q-1');
    assert.equal((await Database.open(copy.tab.indexedDB, 'copy'))._db.version, 2);
});

test('a window that can\'t load the code drops the indexes, and who names them makes them again', async () => {
    const browser = new Browser();
    const copy = await Copy.open(browser, { indexes: { tasks: ['name'] } });
    await copy.start();
    const other = await Copy.open(browser);
    Object.assign(other.replica, { _indexing: null, indexing: async function fails() {
        if (!this._isLoaded) throw new TypeError('Failed to fetch dynamically imported module.');
        return null;
    } });
    await other.replica.update('tasks', 'q-1', { name: 'a' });
    assert.deepEqual(await other.entries(), { stored: [], due: [] });
    assert.equal(ids(await copy.replica.rows('tasks', { order: 'name', limit: 1 })), 'q-1');
    await settled();
    const { stored, due } = await copy.entries();
    assert.deepEqual([stored, stored.length], [due, 2]);
});

test('entries go with a wipe, a lost project and a collection that is no more, and the indexes stay', async () => {
    const copy = await Copy.open(new Browser(), { indexes: { tasks: ['name'], risks: ['title'] } });
    await copy.start();
    await copy.replica.insert('risks', { id: 'r', project_id: 'p', title: 'Rain' });
    const left_projects = [{ project_id: 'q', code: 'membership_revoked' }];
    await copy.page(documents.page({}, 200, { left_projects, heads: { p: 5 } }));
    let { stored, due } = await copy.entries();
    assert.deepEqual([stored, stored.length], [due, 2]);
    await copy.replica.wipe({ discard: true });
    assert.deepEqual(await copy.entries(), { stored: [], due: [] });
    await copy.replica.adopt(documents.schema());
    await copy.start();
    ({ stored, due } = await copy.entries());
    assert.deepEqual([stored, stored.length], [due, 2]);
});

test('an index that no page has named for 30 days goes, and its entries with it', async () => {
    const browser = new Browser();
    const DAY = 86_400_000;
    const opened = (days, indexes) => Copy.open(browser, { indexes, clock: () => 1000 + days * DAY });
    const copy = await opened(0, { tasks: ['name', 'notes'] });
    await copy.start();
    await opened(20, { tasks: ['notes'] });
    const names = async () => (await copy.replica.state()).indexes.map(({ fields }) => `${fields}`);
    assert.deepEqual(await names(), ['name', 'notes']);
    await opened(31, { tasks: ['short_id'] });
    assert.deepEqual(await names(), ['notes', 'short_id']);
    const { stored, due } = await copy.entries();
    assert.deepEqual([stored, stored.length], [due, 4]);
});

test('rows that are written while an index is made have their entries, whoever goes on with it', async () => {
    const copy = await large(5000, {});
    const module = await copy.replica.indexing();
    await module.name(copy.replica, { tasks: ['name'] }, () => {});
    await copy.replica.update('tasks', 't-000001', { name: 'first' });
    await copy.replica.update('tasks', 't-004999', { name: 'last' });
    const rows = await copy.replica.rows('tasks', { where: { name: { prefix: 'la' } } });
    assert.equal(ids(rows), 't-004999', 'all rows are read meanwhile');
    copy.tab.kill();
    const next = await Copy.open(copy.browser, { indexes: { tasks: ['name'] } });
    assert.equal((await next.replica.state()).indexes[0].mark, null);
    const { stored, due } = await next.entries();
    assert.deepEqual([stored.length, stored], [5002, due]);
});
