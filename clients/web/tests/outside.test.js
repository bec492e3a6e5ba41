import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Digest } from '../../watermelondb/lib/common/digest.js';
import { HeldPulls } from '../../watermelondb/lib/common/held.js';
import { PartAsked } from '../lib/parts/part-asked.js';
import { asked, readPage } from '../lib/rows/page.js';
import { Syncer } from '../lib/sync/syncer.js';
import { Copy } from './support/copy.js';
import { first, page, project, schema, task } from './support/documents.js';

// What becomes of rows that leave a part, with a made-up server.

const ALL = '{}';
const [A, B] = ['a', 'b'].map(sprint => JSON.stringify({ tasks: [{ sprint }] }));
const digestOf = (...rows) => {
    const digest = new Digest();
    for (const [id, version] of rows) digest.addRow(id, version);
    return { count: digest.count, digest: digest.text };
};

/** Stores a page of a part. */
async function take(copy, json, { filter = A, digest = false, head = json.timestamp, migration = null } = {}) {
    const answer = asked(readPage({ ...json, filtered: true }, schema(), copy.project, { head }), filter, digest);
    return copy.replica.apply(answer, await copy.replica.state(), migration);
}

/** A copy that holds A at 100: `p-1` and `q-1`. */
async function parted(options) {
    const copy = await Copy.open(undefined, options);
    await copy.replica.namePart('a', { filter: JSON.parse(A) });
    await take(copy, page({
        projects: { updated: [project('p'), project('q')] },
        tasks: { updated: [task('p-1', 'p'), task('q-1', 'q')] },
    }, 100, { heads: { p: 5, q: 6 } }));
    return copy;
}

const outside = copy => copy.database.read(transaction => transaction.keys('outside'));
const batches = copy => copy.database.read(transaction => transaction.all('batches'));
const left = (...ids) => ({ tasks: { left: ids } });

test('the filter is stored with the watermark, and the pending one with the first page', async () => {
    const copy = await parted({ mostKept: 0 });
    const at = async () => {
        const { filter, target, since } = await copy.replica.state();
        return [filter, target, since];
    };
    assert.deepEqual(await at(), [A, null, 100]);
    await take(copy, first({ tasks: { updated: [task('p-2', 'p', 2)] } }, 110), { filter: B });
    assert.deepEqual(await at(), [A, B, 100]);
    await copy.replica.reset(false, await copy.replica.state());
    assert.deepEqual(await at(), [A, B, 100], 'its rows are there');
    await take(copy, page({}, 110), { filter: B });
    assert.deepEqual(await at(), [B, null, 110]);
});

test('pages that were only kept leave no filter behind', async () => {
    const copy = await parted();
    await take(copy, first({ tasks: { updated: [task('p-2', 'p', 2)] } }, 110), { filter: B });
    const { kept } = await copy.replica.state();
    assert.deepEqual([kept.filter, kept.target], [A, B]);
    const { filter, target } = await copy.replica.reset(false, await copy.replica.state());
    assert.deepEqual([filter, target], [A, null]);
    await take(copy, first({ tasks: { updated: [task('p-2', 'p', 2)] } }, 110), { filter: B });
    await take(copy, page({}, 110), { filter: B, head: 111 });
    await take(copy, page({}, 111), { filter: B });
    assert.deepEqual([(await copy.replica.state()).filter, await copy.ids()], [B, ['p-1', 'p-2', 'q-1']]);
});

test('a row that leaves goes, and one with an edit stays', async () => {
    const copy = await parted();
    await copy.replica.update('tasks', 'q-1', { name: 'Mine' });
    await take(copy, page(left('p-1', 'q-1', 'unknown'), 110));
    assert.deepEqual([await copy.ids(), await outside(copy)], [['q-1'], [['tasks', 'q-1']]]);
    assert.equal((await copy.replica.status()).unsent, 1);
});

test('a row whose answer came after the drain began stays until the next one', async () => {
    for (const mostKept of [0, 20_000]) {
        const copy = await parted({ mostKept });
        await copy.replica.update('tasks', 'q-1', { name: 'Mine' });
        const batch = await copy.next();
        await take(copy, first({ tasks: { updated: [task('p-1', 'p', 2)] } }, 110));
        await copy.answer(batch, { q: 9 });
        await take(copy, page(left('q-1'), 110, { heads: { q: 8 } }));
        assert.deepEqual([await copy.ids(), (await outside(copy)).length], [['p-1', 'q-1'], 1]);
        await take(copy, page({}, 120, { heads: { q: 9 } }));
        assert.deepEqual([await copy.ids(), await outside(copy)], [['p-1'], []]);
    }
});

test('it is counted by no digest, and goes with the first drain that has its answer', async () => {
    const copy = await parted();
    await copy.replica.update('tasks', 'q-1', { name: 'Mine' });
    await take(copy, page(left('q-1'), 110));
    const digest = { q: { projects: digestOf(['q', 1]), tasks: digestOf() } };
    const { differing } = await take(copy, page({}, 112, { heads: { q: 7 }, digest }), { digest: true });
    assert.equal(differing, null);
    await copy.answer(await copy.next(), { q: 9 });
    assert.deepEqual(await copy.ids(), ['p-1', 'q-1']);
    await take(copy, page(left('q-1'), 120, { heads: { q: 9 }, digest }), { digest: true });
    assert.deepEqual([await copy.ids(), await outside(copy), await batches(copy)], [['p-1'], [], []]);
});

test('a row that comes again is outside no more, with its edit', async () => {
    const copy = await parted();
    await copy.replica.update('tasks', 'q-1', { name: 'Mine' });
    await take(copy, page(left('q-1'), 110));
    await take(copy, page({ tasks: { updated: [task('q-1', 'q', 3, { notes: 'Theirs' })] } }, 120));
    assert.deepEqual(await outside(copy), []);
    const { name, notes, _status } = await copy.row('q-1');
    assert.deepEqual([name, notes, _status], ['Mine', 'Theirs', 'updated']);
    await take(copy, page(left('q-1'), 130));
    await take(copy, page({ tasks: { deleted: ['q-1'] } }, 140));
    assert.deepEqual([await outside(copy), await copy.ids()], [[], ['p-1']]);
    assert.equal((await copy.replica.setAside())[0].reason, 'deleted');
});

test('an id in two lists of a drain breaks it', async () => {
    const copy = await parted();
    const both = page({ tasks: { left: ['p-1'], deleted: ['p-1'] } }, 110);
    await assert.rejects(take(copy, both), { code: 'invalid_answer' });
    await take(copy, first({ tasks: { updated: [task('p-1', 'p', 2)] } }, 110));
    await assert.rejects(take(copy, page(left('p-1'), 110)), { code: 'drain_broken' });
});

test('a replacement with a part sets nothing aside that can be sent', async () => {
    const copy = await parted();
    await copy.replica.update('tasks', 'p-1', { name: 'Mine' });
    await copy.replica.delete('tasks', 'q-1');
    await copy.replica.insert('tasks', { id: 'new', project_id: 'p', name: 'New' });
    await copy.replica.reset(true, await copy.replica.state());
    const projects = { projects: { updated: [project('p'), project('q')] } };
    await take(copy, page(projects, 110, { heads: { p: 5, q: 6 } }), { filter: B });
    assert.deepEqual([await copy.replica.setAside(), await copy.ids()], [[], ['new', 'p-1']]);
    assert.deepEqual((await outside(copy)).map(([, id]) => id), ['new', 'p-1', 'q-1']);
    const batch = await copy.next();
    assert.deepEqual(batch.rows.map(({ id, bucket }) => [id, bucket]).sort(),
        [['new', 'created'], ['p-1', 'updated'], ['q-1', 'deleted']]);
    await copy.answer(batch, { p: 8, q: 8 });
    const own = { tasks: { updated: [task('new', 'p', 2)] } };
    await take(copy, page(own, 120, { heads: { p: 8, q: 8 } }), { filter: B });
    assert.deepEqual([await copy.ids(), await outside(copy)], [['new'], []]);
});

test('so does one of a collection that differs, but without a part it does', async () => {
    for (const [filter, aside, ids] of [[A, [], ['p-1', 'q-1']], [ALL, ['not_found'], ['q-1']]]) {
        const copy = await parted();
        if (filter === ALL) await take(copy, page({}, 105), { filter });
        await copy.replica.update('tasks', 'p-1', { name: 'Mine' });
        const migration = { collections: ['tasks'], projects: ['p'] };
        await take(copy, page({}, 110, { heads: { p: 5 } }), { filter, migration });
        assert.deepEqual([(await copy.replica.setAside()).map(({ reason }) => reason), await copy.ids()], [aside, ids]);
    }
});

const filtered = id => ({ left_projects: [{ project_id: id, code: 'filtered' }] });

test('a project that the filter does not have any more is not lost', async () => {
    const copy = await parted();
    await copy.replica.update('tasks', 'q-1', { name: 'Mine' });
    await copy.replica.insert('tasks', { id: 'new', project_id: 'q', name: 'New' });
    await copy.replica.insert('tasks', { id: 'p-new', project_id: 'p', name: 'New' });
    const { left: lost } = await take(copy, page({}, 110, { ...filtered('q'), heads: { q: 7 } }));
    assert.deepEqual([lost, await copy.replica.setAside(), await copy.ids('projects')], [[], [], ['p']]);
    assert.deepEqual(await copy.ids(), ['new', 'p-1', 'p-new', 'q-1']);
    const heads = await copy.database.read(transaction => transaction.get('meta', 'heads'));
    assert.deepEqual(heads, { p: 5, q: 7 });
    await copy.answer(await copy.next(), { p: 8, q: 8 });
    assert.deepEqual(await copy.ids(), ['new', 'p-1', 'p-new', 'q-1']);
    const own = { tasks: { updated: [task('p-new', 'p', 2)] } };
    await take(copy, page(own, 120, { heads: { p: 8, q: 8 }, digest: {} }), { digest: true });
    assert.deepEqual([await copy.ids(), await outside(copy), await batches(copy)], [['p-1', 'p-new'], [], []]);
});

test('a batch is forgotten when no digest is going to confirm it', async () => {
    for (const [options, count] of [[{ digest: true }, 0], [{ digest: false }, 1], [{ digest: true, filter: ALL }, 0],
        [{ digest: true, head: 111 }, 1]]) {
        const copy = await parted();
        await copy.replica.update('tasks', 'p-1', { name: 'Mine' });
        await copy.answer(await copy.next(), { p: 8 });
        const last = page({ tasks: { updated: [task('p-1', 'p', 2)] } }, 110, { heads: { p: 8 }, digest: { p: null } });
        await take(copy, last, options);
        if (options.head) await copy.replica.reset(false, await copy.replica.state());
        assert.equal((await batches(copy)).length, count, JSON.stringify(options));
    }
});

test('a drain to another filter that is dropped leaves nothing of projects that came in with it', async () => {
    const copy = await parted({ mostKept: 0 });
    const tasks = { updated: [task('r-1', 'r'), task('p-2', 'p', 2)] };
    const coming = { projects: { updated: [project('r', 2)] }, tasks };
    await copy.database.write(transaction => transaction.put('meta', { p: 5, q: 6, r: 4 }, 'heads'));
    await take(copy, first(coming, 110), { filter: B });
    await copy.replica.update('tasks', 'r-1', { name: 'Mine' });
    await copy.replica.reset(false, await copy.replica.state());
    assert.deepEqual([await copy.ids('projects'), await copy.ids()], [['p', 'q'], ['p-1', 'p-2', 'q-1', 'r-1']]);
    assert.deepEqual(await outside(copy), [['tasks', 'r-1']]);
});

test('a row in a project outside is outside', async () => {
    const copy = await parted();
    await copy.replica.update('projects', 'q', { name: 'Mine' });
    await take(copy, page({}, 110, { ...filtered('q'), heads: { q: 7 } }));
    await copy.replica.insert('tasks', { id: 'new', project_id: 'q', name: 'New' });
    assert.deepEqual((await outside(copy)).map(([, id]) => id), ['q', 'new']);
});

test('a copy of the version before opens, and its next pull says that it had everything', async () => {
    const old = await Copy.open();
    await old.start();
    await old.database.write(async transaction => {
        const { filter, target, ...state } = await transaction.get('meta', 'state');
        await transaction.put('meta', state, 'state');
    });
    const copy = await Copy.open(old.browser);
    const wanted = { filter: ALL, error: null };
    assert.deepEqual([await copy.replica.parts(), await copy.replica.wantedFilter()], [[], wanted]);
    assert.equal(copy.database._db.version, 1);
    await copy.replica.namePart('a', { filter: JSON.parse(A) });
    assert.deepEqual([copy.database._db.version, (await copy.replica.wantedFilter()).filter], [3, A]);
    assert.deepEqual(await old.ids(), ['p-1', 'q-1'], 'other windows of this version go on');
    await take(old, page(left('p-1'), 110));
    assert.deepEqual([await copy.ids(), (await copy.replica.parts())[0].isReady], [['q-1'], true]);
});

test('a window of the version before is closed when there are parts, and can not open the copy', async () => {
    const copy = await Copy.open();
    const tab = copy.browser.tab();
    const connected = (version, event) => new Promise(resolve => {
        tab.indexedDB.open('copy', version)[event] = ({ target }) => resolve(target.result ?? target.error);
    });
    const db = await connected(1, 'onsuccess');
    let told = null;
    db.onversionchange = ({ newVersion }) => {
        told = newVersion;
        db.close();
    };
    await copy.replica.namePart('a', { filter: JSON.parse(A) });
    assert.equal(told, 3);
    assert.equal((await connected(2, 'onerror')).name, 'VersionError');
    const indexed = await Copy.open(copy.browser, { indexes: { tasks: ['name'] } });
    assert.equal((await indexed.replica.parts()).length, 1, 'a page with indexes goes on with it');
});

test('a pull that waits for news of a part says that it is the same, and leavers are news', async () => {
    const queries = [];
    let time = 0;
    const held = new HeldPulls({
        transport: {
            get: async (path, { query }) => {
                queries.push(query);
                return { ...page({ tasks: { deleted: ['p-1'] } }, 120), left_projects: [] };
            }, wait: () => new Promise(() => {}),
        },
        scope: { path: '/sync/' }, now: () => (time += 30_000), reached: () => 100,
        onNews: number => queries.push(number),
        filter: { asked: null, part: () => new Syncer({}).waitingFor({ filter: ALL }) },
    });
    const { signal } = new AbortController();
    await held.run(signal);
    const syncer = Object.assign(new Syncer({}), { _asked: new PartAsked(A) });
    held.filter.part = () => syncer.waitingFor({ filter: A });
    await held.run(signal);
    held.filter.part = () => syncer.waitingFor({ filter: B });
    await held.run(signal);
    const waits = queries.filter(each => typeof each === 'object');
    const parameters = ['filter', 'filter_was', 'left'].map(name => waits.map(query => query[name] ?? null));
    assert.deepEqual(parameters, [[null, A, null], [null, 'same', null], [null, 'deleted', null]]);
    assert.deepEqual(queries.filter(each => each > 0), [120, 120, 120]);
});
