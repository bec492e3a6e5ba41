import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TidemarkError } from '../index.js';
import { readPage } from '../lib/rows/page.js';
import { advanced, firstState, reset } from '../lib/store/state.js';
import { PullLoop } from '../lib/sync/pull-loop.js';
import * as documents from './support/documents.js';

const schema = documents.schema();
const known = { ...firstState({ life: 'l', device: 'd' }), schemaVersion: 'v1', since: 100 };
const loopAt = (state = known, rest = {}) => new PullLoop({ state, schema, isUserWide: true, ...rest });
const page = (timestamp, rest) => readPage(documents.page({}, timestamp, rest), schema, null);
const more = timestamp => readPage(documents.first({}, timestamp), schema, null);
const refused = (status, code) =>
    ({ is: 'refused', error: new TidemarkError(code, 'It is so.', { status, problem: { code } }) });
const asked = action => ({ cursor: action.query.cursor, since: action.query.since, migration: action.query.migration });

/** Begins a loop that finds the schema unchanged. Returns the request for the first page. */
function begun(loop) {
    assert.deepEqual(loop.start(), { do: 'schema', known: 'v1' });
    return loop.handle({ is: 'schema', schema: null });
}

test('a pull asks for the schema, then page by page, and ends with the last one', () => {
    const loop = loopAt();
    assert.deepEqual(asked(begun(loop)), { cursor: null, since: 100, migration: null });
    const one = more(120);
    assert.deepEqual(loop.handle({ is: 'page', page: one }), { do: 'apply', page: one, asked: null });
    const between = advanced(known, one);
    const next = loop.handle({ is: 'stored', state: between });
    assert.deepEqual(asked(next), { cursor: 'c-1', since: 100, migration: null });
    const last = page(120);
    loop.handle({ is: 'page', page: last });
    const { do: end, outcome } = loop.handle({ is: 'stored', state: advanced(between, last) });
    assert.deepEqual([end, outcome.pages], ['finish', 2]);
});

test('a new schema is adopted before any page', () => {
    const [loop, other] = [loopAt(), documents.schema('v2')];
    loop.start();
    assert.deepEqual(loop.handle({ is: 'schema', schema: other }), { do: 'adopt', schema: other });
    assert.equal(loop.handle({ is: 'stored', state: { ...known, schemaVersion: 'v2' } }).do, 'page');
});

test('a void cursor begins the drain again, and a void watermark everything', () => {
    const inDrain = { ...known, drain: { cursor: 'c', timestamp: 120, rows: 1, total: null } };
    const loop = loopAt(inDrain);
    begun(loop);
    assert.deepEqual(loop.handle(refused(400, 'invalid_cursor')), { do: 'reset', resync: false, isRestored: false });
    assert.deepEqual(loop.handle({ is: 'stored', state: reset(inDrain, false) }), { do: 'schema', known: 'v1' });
    assert.deepEqual(asked(loop.handle({ is: 'schema', schema: null })), { cursor: null, since: 100, migration: null });
    for (const [refusal, isRestored] of [[refused(409, 'since_ahead'), true], [refused(410, 'since_expired'), false]]) {
        const other = loopAt();
        begun(other);
        assert.deepEqual(other.handle(refusal), { do: 'reset', resync: true, isRestored });
    }
});

test('a refusal without the right code proves nothing', () => {
    for (const [status, code] of [[410, 'http_410'], [409, 'http_409'], [403, 'http_403'], [400, 'invalid_since']]) {
        const loop = loopAt();
        begun(loop);
        assert.equal(loop.handle(refused(status, code)).do, 'fail', code);
    }
});

test('a server that keeps refusing is given up', () => {
    const loop = loopAt({ ...known, drain: { cursor: 'c', timestamp: 120, rows: 1, total: null } });
    let action = begun(loop);
    for (let turn = 0; turn < 20 && action.do !== 'fail'; turn++) {
        action = action.do === 'page' ? loop.handle(refused(400, 'invalid_cursor'))
            : action.do === 'reset' ? loop.handle({ is: 'superseded', state: loop.state })
                : loop.handle({ is: 'schema', schema: null });
    }
    assert.equal(action.error.code, 'drain_broken');
});

test('pages that contradict each other are not stored', () => {
    const state = { ...known, drain: { cursor: 'c-1', timestamp: 120, rows: 1, total: null } };
    for (const wrong of [page(121), page(99), more(120)]) {
        const loop = loopAt(state);
        begun(loop);
        assert.equal(loop.handle({ is: 'page', page: wrong }).error.code, 'invalid_answer');
    }
    const loop = loopAt();
    begun(loop);
    assert.equal(loop.handle({ is: 'page', page: page(120, { left_projects: undefined }) }).do, 'fail');
});

test('what differs is asked for again, once', () => {
    const differing = { collections: ['tasks'], projects: ['p'] };
    const loop = loopAt();
    begun(loop);
    loop.handle({ is: 'page', page: page(120) });
    const action = loop.handle({ is: 'stored', state: advanced(known, page(120)), differing });
    assert.equal(action.query.migration, '{"tables":["tasks"],"projects":["p"]}');
    assert.deepEqual(loop.handle({ is: 'page', page: page(120) }).asked, differing);
    const end = loop.handle({ is: 'stored', state: advanced(advanced(known, page(120)), page(120)), differing });
    assert.deepEqual([end.do, end.outcome.differing], ['finish', differing]);
});

test('the end of a drain may show another history, and everything is read again', () => {
    const loop = loopAt();
    begun(loop);
    loop.handle({ is: 'page', page: page(120) });
    assert.equal(loop.handle({ is: 'stored', state: reset(advanced(known, page(120)), true) }).do, 'schema');
    assert.equal(loop.outcome.resynced, true);
});

test('a drain of an earlier pull is followed by a fresh one', () => {
    const state = { ...known, drain: { cursor: 'c-1', timestamp: 120, rows: 1, total: null } };
    const loop = loopAt(state);
    begun(loop);
    loop.handle({ is: 'page', page: page(120) });
    const action = loop.handle({ is: 'stored', state: { ...advanced(state, page(120)), unsettled: 120 } });
    assert.deepEqual(asked(action), { cursor: null, since: 120, migration: null });
});

test('a lost project ends the pull of one, and no pull of all', () => {
    const one = loopAt(known, { isUserWide: false });
    begun(one);
    assert.equal(one.handle(refused(403, 'membership_revoked')).do, 'lose');
    const all = loopAt();
    begun(all);
    assert.equal(all.handle(refused(403, 'membership_revoked')).do, 'fail');
});
