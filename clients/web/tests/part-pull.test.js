import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TidemarkError } from '../index.js';
import { readPage } from '../lib/rows/page.js';
import { advanced, firstState, keeping, reset } from '../lib/store/state.js';
import { PartAsked } from '../lib/parts/part-asked.js';
import { PullLoop } from '../lib/sync/pull-loop.js';
import * as documents from './support/documents.js';

// Which filters a pull asks for, as values.

const [A, B, C] = ['a', 'b', 'c'].map(sprint => JSON.stringify({ tasks: [{ sprint }] }));
const ALL = '{}';
const schema = documents.schema();
const first = { ...firstState({ life: 'l', device: 'd' }), schemaVersion: 'v1' };
const at = (filter, rest = {}) => ({ ...first, since: 100, filter, ...rest });
const inPlace = (target, rest = {}) =>
    ({ target, drain: { cursor: 'c-0', timestamp: 120, rows: 1, total: null, digest: true }, ...rest });
const page = (timestamp, rest) => readPage(documents.page({}, timestamp, { filtered: true, ...rest }), schema, null);
const more = (timestamp, rest) => readPage(documents.first({}, timestamp, { filtered: true, ...rest }), schema, null);
const refused = (status, code) =>
    ({ is: 'refused', error: new TidemarkError(code, 'It is so.', { status, problem: { code } }) });

/** Begins a loop. Returns it with the first action after the schema. */
function begun(state, wanted, mustCompare = false) {
    const loop = new PullLoop({ state, schema, isUserWide: true, part: new PartAsked(wanted, mustCompare) });
    loop.start();
    return { loop, action: loop.handle({ is: 'schema', schema: null }) };
}

/** Lets a reset happen as the copy does it. Returns the next request. */
function afterReset(loop, action) {
    assert.equal(action.do, 'reset');
    loop.handle({ is: 'stored', state: reset({ ...loop.state, kept: null }, action.resync) });
    return loop.handle({ is: 'schema', schema: null });
}

/** Stores a page in place. Returns the next action. */
function stored(loop, json) {
    const action = loop.handle({ is: 'page', page: json });
    assert.equal(action.do, 'apply');
    return loop.handle({ is: 'stored', state: advanced(loop.state, action.page) });
}

const asked = ({ query: { since, filter = null, filter_was: was = null, digest = null } }) =>
    [since, filter, was, digest];

test('everything is asked for without a word of filters', () => {
    assert.deepEqual(asked(begun(at(ALL), ALL, true).action), [100, null, null, null]);
    assert.deepEqual(asked(begun(first, ALL).action), [0, null, null, null]);
});

test('from 0 only the filter is named, and above 0 what it was', () => {
    assert.deepEqual(asked(begun(first, A).action), [0, A, null, true]);
    assert.deepEqual(asked(begun(at(A), A).action), [100, A, 'same', null]);
    assert.deepEqual(asked(begun(at(ALL), A).action), [100, A, ALL, true]);
    assert.deepEqual(asked(begun(at(A), B).action), [100, B, A, true]);
    assert.deepEqual(asked(begun(at(A), ALL).action), [100, null, A, true], 'back to everything');
});

test('another order of alternatives is no other filter', () => {
    const [one, other] = ['[{"a":1},{"b":2}]', '[{"b":2},{"a":1}]'].map(tasks => `{"tasks":${tasks}}`);
    assert.deepEqual(asked(begun(at(one), other).action), [100, one, 'same', null]);
});

test('the digest is asked for when it is worth its cost, and on all pages of the drain or on none', () => {
    assert.equal(begun(at(A), A, true).action.query.digest, true);
    assert.equal(begun(at(A, { drainNumber: 15 }), A).action.query.digest, true);
    assert.equal(begun(at(A, { drainNumber: 16 }), A).action.query.digest, null);
    const { loop } = begun(at(A, { drainNumber: 14 }), A);
    assert.equal(stored(loop, more(120)).query.digest, null, 'the drain has become the fifteenth');
    const other = begun(at(A, { drainNumber: 15 }), A);
    assert.equal(stored(other.loop, more(120)).query.digest, true);
});

test('what differs is compared when it has come again', () => {
    const { loop } = begun(at(A), A);
    const { page: last } = loop.handle({ is: 'page', page: page(120) });
    const differing = { collections: ['tasks'], projects: ['p'] };
    const { query } = loop.handle({ is: 'stored', state: advanced(loop.state, last), differing });
    assert.deepEqual([query.migration !== null, query.filter, query.filter_was, query.digest], [true, A, 'same', true]);
});

test('a drain in place is finished, and the same pull goes on with the wanted filter', () => {
    const { loop, action } = begun(at(A, inPlace(B)), C);
    assert.deepEqual([...asked(action), action.query.cursor], [100, B, A, true, 'c-0']);
    const next = stored(loop, page(120));
    assert.deepEqual([loop.state.filter, loop.state.target, ...asked(next)], [B, null, 120, C, B, true]);
    assert.equal(stored(loop, page(120)).do, 'finish');
    assert.equal(loop.state.filter, C);
});

test('a drain in place that has to begin again does so with the same two filters', () => {
    for (const [target, was] of [[B, A], [A, 'same'], [ALL, A]]) {
        const { loop } = begun(at(A, inPlace(target)), C);
        const action = loop.handle(refused(400, 'invalid_cursor'));
        assert.deepEqual([action.do, action.resync], ['reset', false]);
        const again = afterReset(loop, action);
        assert.deepEqual(asked(again).slice(0, 3), [100, target === ALL ? null : target, was]);
        assert.equal(again.query.cursor, null);
        const later = begun(loop.state, C).action;
        assert.deepEqual(asked(later), asked(again), 'also in the next pull');
    }
});

test('a drain of everything in place is finished before a part is asked for', () => {
    const { loop, action } = begun(at(ALL, { drain: inPlace(ALL).drain }), A);
    assert.deepEqual([...asked(action), action.query.cursor], [100, null, null, null, 'c-0']);
    assert.deepEqual(asked(stored(loop, page(120, { filtered: undefined }))), [120, A, ALL, true]);
});

test('from 0 any filter will do: a drain to another one begins again', () => {
    const { loop, action } = begun({ ...first, ...inPlace(A) }, B);
    assert.deepEqual(asked(afterReset(loop, action)), [0, B, null, true]);
    const same = begun({ ...first, ...inPlace(A) }, A).action;
    assert.equal(same.query.cursor, 'c-0');
});

test('a void watermark makes a pending filter void, too', () => {
    const { loop } = begun(at(A, inPlace(B)), C);
    const action = loop.handle(refused(410, 'since_expired'));
    assert.equal(action.resync, true);
    assert.deepEqual(asked(afterReset(loop, action)), [0, C, null, true]);
});

test('a pending filter that is refused makes the watermark void, and the wanted one is told', () => {
    const { loop } = begun(at(A, inPlace(B)), C);
    const action = loop.handle(refused(400, 'invalid_filter'));
    assert.deepEqual([action.do, action.resync], ['reset', true]);
    assert.equal(begun(at(A), B).loop.handle(refused(400, 'invalid_filter')).error.code, 'invalid_filter');
});

test('after kept drains the filter was that of the last whole one, and a part of one is dropped', () => {
    const whole = keeping(at(A), { ...page(110), filter: B, digest: true }, null);
    assert.deepEqual(asked(begun(whole, C).action), [110, C, B, true]);
    const half = keeping(whole, { ...more(120), filter: C, digest: true }, null);
    assert.equal(begun(half, C).action.query.cursor, 'c-1');
    const { loop, action } = begun(half, A);
    assert.equal(action.resync, false);
    assert.deepEqual(asked(afterReset(loop, action)), [100, A, 'same', null]);
});

test('two filters that are too long for one request are not sent together', () => {
    const long = sprint => JSON.stringify({ tasks: [{ sprint: Array.from({ length: 50 }, (_, each) =>
        `${sprint}-${each}-${'ä'.repeat(13)}`) }] });
    const [one, other] = [long('a'), long('b')];
    assert.ok(encodeURIComponent(one).length < 7000);
    const { loop, action } = begun(at(one), other);
    assert.deepEqual([action.do, action.resync], ['reset', true]);
    assert.deepEqual(asked(afterReset(loop, action)), [0, other, null, true]);
});

const OLDER = { filtered: undefined };

test('an older server\'s answer from 0 is of everything', () => {
    const { loop } = begun(first, A);
    const next = stored(loop, more(120, OLDER));
    assert.deepEqual(asked(next), [0, null, null, null]);
    assert.deepEqual([stored(loop, page(120, OLDER)).do, loop.state.filter, loop.state.since], ['finish', ALL, 120]);
});

test('so is its answer to a copy of everything, and the next pull asks again', () => {
    const { loop } = begun(at(ALL), A);
    assert.deepEqual([stored(loop, page(120, OLDER)).do, loop.state.filter], ['finish', ALL]);
    assert.deepEqual(asked(begun(loop.state, A).action), [120, A, ALL, true]);
});

test('any other of its answers is dropped, and everything is pulled from 0', () => {
    for (const state of [at(A), at(A, inPlace(B)), at(ALL, { target: A }), { ...first, ...inPlace(A) }]) {
        const { loop } = begun(state, A);
        const action = loop.handle({ is: 'page', page: page(120, OLDER) });
        assert.deepEqual([action.do, action.resync], ['reset', true]);
        assert.deepEqual(asked(afterReset(loop, action)), [0, null, null, null]);
        assert.deepEqual([stored(loop, page(130, OLDER)).do, loop.state.filter], ['finish', ALL]);
    }
});
