import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Digest } from '../../watermelondb/lib/common/digest.js';
import { keptOf, settledOf } from '../lib/store/state.js';
import { Copy } from './support/copy.js';
import { first, page, project, schema, task } from './support/documents.js';

// Pages of a delta are kept until a drain counts, and then applied in one transaction.

const named = (id, name, version = 2) => task(id, id[0], version, { name });
const names = async copy => (await copy.replica.rows('tasks')).map(({ name }) => name);
const keptPages = copy => copy.database.read(async transaction =>
    (await transaction.keys('meta')).filter(key => Array.isArray(key)).length);
const digestOf = (...rows) => {
    const digest = new Digest();
    for (const [id, version] of rows) digest.addRow(id, version);
    return { count: digest.count, digest: digest.text };
};

/** A copy that is settled at 100, with `p-1` and `q-1`. */
async function settledCopy(options) {
    const copy = await Copy.open(undefined, options);
    await copy.start();
    return copy;
}

/** Two pages up to 110, of which the second is read when the head is 111, so they don't count. */
async function keepTwo(copy) {
    await copy.page(first({ tasks: { updated: [named('p-1', 'First')] } }, 110));
    return copy.page(page({ tasks: { updated: [named('q-1', 'Second')] } }, 110, { heads: { p: 7, q: 8 } }), { head: 111 });
}

test('pages are kept with their cursor, and shown when a drain counts', async () => {
    const copy = await settledCopy();
    const { state } = await copy.page(first({ tasks: { updated: [named('p-1', 'First')] } }, 110));
    assert.deepEqual([state.since, state.drain, keptOf(state).drain.cursor], [100, null, 'c-1']);
    const { state: after } = await copy.page(page({ tasks: { updated: [named('q-1', 'Second')] } }, 110,
        { heads: { p: 7, q: 8 } }), { head: 111 });
    assert.deepEqual([keptOf(after).since, keptOf(after).drain, await names(copy)], [110, null, ['p-1', 'q-1']]);
    assert.deepEqual([settledOf(after), (await copy.replica.status()).settled, await keptPages(copy)], [100, 100, 2]);
    const { state: end } = await copy.page(page({ tasks: { updated: [named('p-1', 'Third', 3)] } }, 111, { heads: { p: 9 } }));
    assert.deepEqual([end.since, settledOf(end), end.kept, await names(copy)], [111, 111, null, ['Third', 'Second']]);
    assert.equal(await keptPages(copy), 0);
});

test('without the header only a stream counts, and a drain of one page', async () => {
    const copy = await settledCopy();
    await copy.page(first({ tasks: { updated: [named('p-1', 'First')] } }, 110), { head: null });
    await copy.page(page({}, 110), { head: null });
    assert.deepEqual(await names(copy), ['p-1', 'q-1'], 'two pages');
    const { state } = await copy.page(page({}, 111), { head: null });
    assert.deepEqual([settledOf(state), await names(copy)], [111, ['First', 'q-1']]);
    await copy.page(first({ tasks: { updated: [named('p-1', 'Second', 3)] } }, 120), { head: null });
    const other = await Copy.open(copy.browser);
    await other.page(page({}, 120), { head: null });
    assert.deepEqual(await names(other), ['First', 'q-1'], 'a drain that another window has begun');
});

test('what a push is answered meanwhile is newer than a kept page, and leaves it alone', async () => {
    const copy = await settledCopy();
    await copy.page(first({ tasks: { updated: [named('p-1', 'Of others', 2)] } }, 110));
    await copy.replica.update('tasks', 'p-1', { name: 'Mine' });
    await copy.replica.update('tasks', 'q-1', { notes: 'Unsent' });
    await copy.answer(await copy.next({ rows: 1, bytes: 1e6 }), { p: 8 }, { version: 3 });
    assert.deepEqual([await names(copy), await keptPages(copy)], [['Mine', 'q-1'], 1]);
    await copy.page(page({ tasks: { updated: [named('q-1', 'Other')] } }, 110, { heads: { p: 7, q: 8 } }), { head: 111 });
    const { state } = await copy.page(page({ tasks: { updated: [named('p-1', 'Mine', 3)] } }, 111, { heads: { p: 8 } }));
    assert.deepEqual([settledOf(state), await names(copy)], [111, ['Mine', 'Other']]);
    assert.equal((await copy.row('q-1')).notes, 'Unsent');
});

test('an answer that a counting drain does not reach lies on top of it, with its own fields only', async () => {
    const copy = await settledCopy();
    const others = task('p-1', 'p', 2, { name: 'Of others', notes: 'Of others' });
    await copy.page(first({ tasks: { updated: [others] } }, 110));
    await copy.replica.update('tasks', 'p-1', { name: 'Mine' });
    await copy.answer(await copy.next(), { p: 8 }, { version: 3 });
    const digest = { p: { projects: digestOf(['p', 1]), tasks: digestOf(['p-1', 2]) } };
    const { state, differing } = await copy.page(page({}, 110, { heads: { p: 7 }, digest }));
    assert.deepEqual([settledOf(state), differing, await names(copy)], [110, null, ['Mine', 'q-1']]);
    assert.equal((await copy.row('p-1')).notes, 'Of others');
});

test('a row that others have deleted goes with the drain that says so, not with the answer to a push', async () => {
    const copy = await settledCopy();
    await copy.replica.update('tasks', 'p-1', { name: 'Mine' });
    const batch = await copy.next();
    await copy.answer(batch, { p: 8 }, { applied: {}, skipped: { tasks: [{ id: 'p-1', code: 'deleted' }] } });
    assert.deepEqual(await names(copy), ['p-1', 'q-1'], 'as it was at 100');
    assert.deepEqual((await copy.replica.setAside()).map(({ values, reason }) => [values.name, reason]), [['Mine', 'deleted']]);
    await copy.page(page({ tasks: { updated: [named('q-1', 'Other')], deleted: ['p-1'] } }, 110));
    assert.deepEqual([await names(copy), (await copy.replica.setAside()).length], [['Other'], 1]);
});

for (const [what, move] of Object.entries({
    'another schema': copy => copy.replica.adopt(schema('v2')),
    'a void watermark': async copy => copy.replica.reset(true, await copy.replica.state()),
    'a lost project': copy => copy.replica.lose('membership_revoked'),
    'signing out': copy => copy.replica.wipe({ discard: true }),
})) {
    test(`kept pages go with ${what}`, async () => {
        const copy = await settledCopy(what === 'a lost project' ? { project: 'p' } : {});
        await keepTwo(copy);
        await move(copy);
        const state = await copy.replica.state();
        assert.deepEqual([keptOf(state), await keptPages(copy)], [null, 0]);
    });
}

test('kept pages stay when their user signs in again', async () => {
    const copy = await settledCopy();
    const user = { id: 1, username: 'alice', display_name: 'Alice' };
    await copy.replica.begin({ user });
    await keepTwo(copy);
    await copy.replica.begin({ user });
    const { state } = await copy.page(page({}, 111));
    assert.deepEqual([settledOf(state), await names(copy)], [111, ['First', 'Second']]);
});

test('kept pages are of no use once a window of an earlier version has moved the watermark', async () => {
    const copy = await settledCopy();
    await keepTwo(copy);
    // As that version stores a drain of one page: it passes on what it does not know.
    await copy.database.write(async transaction => {
        const state = await transaction.get('meta', 'state');
        await transaction.put('meta', { ...state, step: state.step + 1, since: 120 }, 'state');
    });
    const state = await copy.replica.state();
    assert.deepEqual([keptOf(state), settledOf(state)], [null, 120]);
    const { state: next } = await copy.page(page({ tasks: { updated: [named('q-1', 'Third', 3)] } }, 121));
    assert.deepEqual([settledOf(next), await names(copy), await keptPages(copy)], [121, ['p-1', 'Third'], 0]);
});

test('the layout is the one that earlier versions open', async () => {
    const copy = await settledCopy();
    await keepTwo(copy);
    const request = copy.tab.indexedDB.open('copy', 1);
    await new Promise(resolve => { request.onsuccess = resolve; });
    assert.deepEqual([...request.result.objectStoreNames].sort(),
        ['aside', 'batches', 'digests', 'meta', 'refused', 'rows']);
});

test('a copy of an earlier version is settled at its watermark, and an open drain is finished in place', async () => {
    const copy = await settledCopy({ mostKept: 0 });
    await copy.page(first({ tasks: { updated: [named('p-1', 'First')] } }, 110));
    const earlier = await copy.replica.state();
    await copy.database.write(transaction => {
        const { unsettled, kept, ...state } = earlier;
        return transaction.put('meta', state, 'state');
    });
    const other = await Copy.open(copy.browser);
    assert.equal((await other.replica.status()).settled, null);
    const { state } = await other.page(page({}, 110), { head: 111 });
    assert.deepEqual([settledOf(state), state.since, await names(other)], [null, 110, ['First', 'q-1']]);
    assert.equal(settledOf((await other.page(page({}, 111))).state), 111);
    assert.equal(settledOf({ since: 100, drain: null }), 100, 'one without an open drain');
});

test('a delta that is too large is stored in place, and settles when a drain counts', async () => {
    const copy = await settledCopy({ mostKept: 2 });
    await copy.page(first({ tasks: { updated: [named('p-1', 'First')] } }, 110));
    await copy.page(first({ tasks: { updated: [named('q-1', 'Second')] } }, 110, { next_cursor: 'c-2' }));
    assert.deepEqual(await names(copy), ['p-1', 'q-1']);
    const { state } = await copy.page(first({ tasks: { updated: [named('q-2', 'Third')] } }, 110, { next_cursor: 'c-3' }));
    assert.deepEqual([state.drain.cursor, settledOf(state), await names(copy), await keptPages(copy)],
        ['c-3', null, ['First', 'Second', 'Third'], 0]);
    assert.equal(settledOf((await copy.page(page({}, 110), { head: 111 })).state), null);
    assert.equal(settledOf((await copy.page(page({}, 111))).state), 111);
});

test('a large delta in place that is dropped leaves the copy unsettled', async () => {
    const copy = await settledCopy({ mostKept: 0 });
    await copy.page(first({ tasks: { updated: [named('p-1', 'First')] } }, 110));
    const state = await copy.replica.reset(false, await copy.replica.state());
    assert.deepEqual([settledOf(state), (await copy.replica.status()).settled], [null, null]);
    assert.equal(settledOf((await copy.page(page({}, 111))).state), 111);
});

test('what differs is read again before the state counts, and the rest is told', async () => {
    const copy = await settledCopy();
    await copy.page(first({ tasks: { updated: [named('p-1', 'First')] } }, 110));
    const wrong = { heads: { p: 7 }, digest: { p: { tasks: digestOf(['p-1', 2], ['p-2', 4]) } } };
    const { differing, state } = await copy.page(page({}, 110, wrong));
    assert.deepEqual(differing, { collections: ['tasks'], projects: ['p'] });
    assert.deepEqual([settledOf(state), keptOf(state).asked, await names(copy)], [100, differing, ['p-1', 'q-1']]);
    const again = { tasks: { updated: [named('p-1', 'First')] } };
    const end = await copy.page(page(again, 110, wrong), { asked: differing, mayAsk: false });
    assert.deepEqual([settledOf(end.state), end.state.compared, await names(copy)], [110, 'differs', ['First', 'q-1']]);
});

test('a project that was lost and given back before a drain counts is not lost', async () => {
    const copy = await settledCopy();
    const loss = { left_projects: [{ project_id: 'q', code: 'membership_revoked' }] };
    const served = { projects: { updated: [project('q')] }, tasks: { updated: [named('q-2', 'Back')] } };
    await copy.page(first({}, 110, loss));
    await copy.page(page({}, 110, { left_projects: undefined }), { head: 111 });
    assert.deepEqual(await copy.ids('projects'), ['p', 'q']);
    const { left } = await copy.page(page(served, 112, { heads: { q: 9 } }));
    assert.deepEqual([left, await copy.ids('projects'), await names(copy)], [[], ['p', 'q'], ['p-1', 'Back']]);
});

test('the end of a kept drain may show another history', async () => {
    const copy = await settledCopy();
    await copy.replica.update('tasks', 'p-1', { name: 'Mine' });
    await copy.answer(await copy.next(), { p: 9 });
    await copy.page(page({}, 110, { heads: { p: 6 } }), { head: 111 });
    const { state } = await copy.page(page({}, 111, { heads: { q: 8 } }));
    assert.deepEqual([state.since, settledOf(state), await keptPages(copy)], [0, null, 0]);
});

test('kept pages that contradict each other are applied in no part', async () => {
    const copy = await settledCopy();
    await copy.page(first({ tasks: { updated: [named('p-1', 'First')] } }, 110));
    await assert.rejects(copy.page(page({ tasks: { updated: [named('p-1', 'Twice')] } }, 110)), { code: 'drain_broken' });
    assert.deepEqual(await names(copy), ['p-1', 'q-1']);
});
