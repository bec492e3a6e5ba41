import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TidemarkError } from '../index.js';
import { PushLoop } from '../lib/sync/push-loop.js';

const batchOf = count => ({ id: 'b', rows: Array.from({ length: count }, (_, id) => ({ id })) });
const refused = (status, code, problem = { code }) =>
    ({ is: 'refused', error: new TidemarkError(code, 'It is so.', { status, problem }) });

/** A loop that has sent a batch of so many rows. */
function sending(count, options = {}) {
    const loop = new PushLoop({ isUserWide: true, ...options });
    assert.equal(loop.start().do, 'prepare');
    assert.equal(loop.handle({ is: 'prepared', batch: batchOf(count) }).do, 'send');
    return loop;
}

test('batch after batch is sent and settled, until there is none', () => {
    const loop = sending(2);
    assert.equal(loop.handle({ is: 'answered', answer: {} }).do, 'settle');
    const next = loop.handle({ is: 'settled', receipts: { applied: 2, setAside: 0, refused: 0 } });
    assert.equal(next.do, 'prepare');
    const { do: end, outcome } = loop.handle({ is: 'prepared', batch: null });
    assert.deepEqual([end, outcome], ['finish', { applied: 2, setAside: 0, refused: 0, batches: 1 }]);
});

test('without a proof that nothing was applied, a batch stays', () => {
    const silent = [
        refused(0, 'network', null), refused(200, 'invalid_answer', null), refused(403, 'http_403', null),
        refused(503, 'busy'), refused(429, 'rate_limited'), refused(401, 'unauthorized'), refused(404, 'not_found'),
        refused(403, 'membership_revoked'), refused(403, 'read_only_token'), refused(500, 'internal_error'),
    ];
    for (const refusal of silent) assert.equal(sending(2).handle(refusal).do, 'fail', refusal.error.code);
});

test('a void watermark drops the batch, and pulls first', () => {
    for (const refusal of [refused(409, 'since_ahead'), refused(410, 'since_expired')]) {
        const loop = sending(2);
        assert.equal(loop.handle(refusal).do, 'drop');
        assert.equal(loop.handle({ is: 'done' }).do, 'pull');
    }
});

test('a row that makes the server refuse all others is found by halving, and held back', () => {
    const loop = sending(4);
    assert.equal(loop.handle(refused(400, 'invalid_rows')).do, 'drop');
    const smaller = loop.handle({ is: 'done' });
    assert.equal(smaller.limits.rows, 2);
    loop.handle({ is: 'prepared', batch: batchOf(2) });
    loop.handle(refused(400, 'invalid_rows'));
    assert.equal(loop.handle({ is: 'done' }).limits.rows, 1);
    loop.handle({ is: 'prepared', batch: batchOf(1) });
    const { do: what, reason } = loop.handle(refused(400, 'invalid_rows'));
    assert.deepEqual([what, reason.code], ['hold', 'invalid_rows']);
    assert.equal(loop.handle({ is: 'done' }).do, 'prepare');
});

test('the server says how many rows a batch may have', () => {
    const loop = sending(400);
    loop.handle(refused(400, 'batch_too_large', { code: 'batch_too_large', limit: 100 }));
    assert.equal(loop.handle({ is: 'done' }).limits.rows, 100);
});

test('an id that is taken by another body is given up, but not for ever', () => {
    let loop = sending(2);
    for (let time = 0; time < 3; time++) {
        assert.equal(loop.handle(refused(422, 'batch_id_reused')).do, 'drop');
        assert.equal(loop.handle({ is: 'done' }).do, 'prepare');
        loop.handle({ is: 'prepared', batch: batchOf(2) });
    }
    loop.handle(refused(422, 'batch_id_reused'));
    assert.equal(loop.handle({ is: 'done' }).do, 'fail');
});

test('whoever may not write keeps the edits', () => {
    const loop = sending(2);
    assert.equal(loop.handle(refused(403, 'forbidden')).do, 'drop');
    assert.equal(loop.handle({ is: 'done' }).error.code, 'forbidden');
});

test('refused rows go once more when something was applied after them', () => {
    const loop = sending(1);
    loop.handle({ is: 'answered', answer: {} });
    loop.handle({ is: 'settled', receipts: { applied: 0, setAside: 0, refused: 1 } });
    loop.handle({ is: 'prepared', batch: batchOf(1) });
    loop.handle({ is: 'answered', answer: {} });
    loop.handle({ is: 'settled', receipts: { applied: 1, setAside: 0, refused: 0 } });
    assert.equal(loop.handle({ is: 'prepared', batch: null }).do, 'retry');
    assert.equal(loop.handle({ is: 'done' }).do, 'prepare');
    assert.equal(loop.handle({ is: 'prepared', batch: null }).do, 'finish');
});

test('a lost project ends the push of one', () => {
    assert.equal(sending(1, { isUserWide: false }).handle(refused(410, 'project_deleted')).do, 'lose');
});
