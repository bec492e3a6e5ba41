import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TidemarkError } from '../index.js';
import { failing, fakeSync, problem } from './support/fakes.js';

const OK = { body: { fine: true } };

test('an answer that is not 2xx is an error with what the server said', async () => {
    const errors = [{ pointer: '/x', code: 'too_long' }];
    const { sync } = fakeSync(() => problem(400, 'invalid_rows', { errors, limit: 5 }));
    const error = await sync.request('GET', '/x/').catch(error => error);
    assert.ok(error instanceof TidemarkError);
    assert.deepEqual([error.status, error.code, error.detail], [400, 'invalid_rows', 'It is invalid_rows.']);
    assert.deepEqual([error.errors, error.problem.limit], [errors, 5]);
});

test('another program\'s refusal has a separate code and proves nothing', async () => {
    const { sync } = fakeSync(() => ({ status: 403, body: '<html>membership_revoked</html>' }));
    await assert.rejects(sync.request('GET', '/x/'), failing({ code: 'http_403', isAccessLost: false }));
});

for (const status of [408, 429, 500, 502, 503, 504]) {
    test(`${status} is tried again, with growing waits`, async () => {
        const { sync, requests, waits } = fakeSync((_, count) => (count < 4 ? { status, body: 'x' } : OK));
        assert.deepEqual(await sync.request('GET', '/x/'), { fine: true });
        assert.equal(requests.length, 4);
        assert.deepEqual(waits, [375, 750, 1500]);
    });
}

test('a lost connection is tried again', async () => {
    const { sync, requests } = fakeSync((_, count) => {
        if (count < 3) throw new TypeError('Network request failed');
        return OK;
    });
    await sync.request('GET', '/x/');
    assert.equal(requests.length, 3);
});

test('it gives up after the configured number of attempts', async () => {
    const { sync, requests } = fakeSync(() => ({ status: 503 }), { retry: { attempts: 3 } });
    await assert.rejects(sync.request('GET', '/x/'), failing({ code: 'http_503', isTemporary: true }));
    assert.equal(requests.length, 3);
});

test('what cannot succeed later is not tried again', async () => {
    const { sync, requests } = fakeSync(() => problem(400, 'invalid_since'));
    await assert.rejects(sync.request('GET', '/x/'));
    assert.equal(requests.length, 1);
});

test('it waits for Retry-After', async () => {
    const busy = { ...problem(429, 'rate_limited'), headers: { 'Retry-After': '7' } };
    const { sync, waits } = fakeSync((_, count) => (count === 1 ? busy : OK));
    await sync.request('GET', '/x/');
    assert.deepEqual(waits, [7250]);
});

test('a Retry-After that is too long is reported to the app', async () => {
    const busy = { ...problem(503, 'busy'), headers: { 'Retry-After': '3600' } };
    const { sync, waits } = fakeSync(() => busy);
    await assert.rejects(sync.request('GET', '/x/'), failing({ code: 'busy', retryAfter: 3600 }));
    assert.deepEqual(waits, []);
});

test('a truncated 200 is tried again and never adopted', async () => {
    const { sync, requests } = fakeSync(() => ({ body: '{"changes": {"tasks"' }), { retry: { attempts: 2 } });
    await assert.rejects(sync.pullChanges({ lastPulledAt: null }), failing({ code: 'invalid_answer' }));
    assert.equal(requests.length, 2);
});

test('after a 401 a new token is requested, once', async () => {
    const asked = [];
    const token = async options => {
        asked.push(options.refresh);
        return options.refresh ? 'new' : 'old';
    };
    const { sync, requests } = fakeSync(({ headers }) =>
        (headers.Authorization === 'Bearer new' ? OK : problem(401, 'unauthorized')), { token });
    await sync.request('GET', '/x/');
    assert.deepEqual(asked, [false, true]);
    assert.equal(requests.length, 2);
});

test('a second 401 is an error', async () => {
    const { sync, requests } = fakeSync(() => problem(401, 'unauthorized'), { token: async () => 'old' });
    await assert.rejects(sync.request('GET', '/x/'), failing({ status: 401, code: 'unauthorized' }));
    assert.equal(requests.length, 2);
});

test('a token that is a string is used as it is', async () => {
    const { sync, requests } = fakeSync(() => problem(401, 'unauthorized'), { token: 'tmk_1' });
    await assert.rejects(sync.request('GET', '/x/'), failing({ status: 401 }));
    assert.deepEqual(requests.map(({ headers }) => headers.Authorization), ['Bearer tmk_1']);
});

test('two requests at the same time share one refresh of the token', async () => {
    let refreshes = 0;
    const token = async ({ refresh }) => {
        if (refresh) await new Promise(resolve => setImmediate(resolve, refreshes++));
        return refresh ? 'new' : 'old';
    };
    const { sync } = fakeSync(({ headers }) =>
        (headers.Authorization === 'Bearer new' ? OK : problem(401, 'unauthorized')), { token });
    await Promise.all([sync.request('GET', '/x/'), sync.request('GET', '/y/')]);
    assert.equal(refreshes, 1);
});

test('a request that never ends times out, and its fetch is aborted', async () => {
    const { sync, requests } = fakeSync(() => new Promise(() => {}), { timeout: 1, retry: { attempts: 2 } });
    await assert.rejects(sync.request('GET', '/x/'), failing({ code: 'timeout', isTemporary: true }));
    assert.equal(requests.length, 2);
    assert.ok(requests.every(({ signal }) => signal.aborted));
});

test('an abort ends a request at once, and nothing is tried again', async () => {
    const abort = new AbortController();
    const { sync, requests } = fakeSync(() => {
        abort.abort();
        return new Promise(() => {});
    });
    await assert.rejects(sync.request('GET', '/x/', { signal: abort.signal }),
        failing({ code: 'aborted', isAborted: true }));
    assert.equal(requests.length, 1);
});

test('an abort ends a wait at once', async () => {
    const abort = new AbortController();
    const { sync } = fakeSync(() => {
        setImmediate(() => abort.abort());
        return { ...problem(503, 'busy'), headers: { 'Retry-After': '60' } };
    }, { wait: undefined });
    await assert.rejects(sync.request('GET', '/x/', { signal: abort.signal }), failing({ code: 'aborted' }));
});

test('an abort does not wait for a token', async () => {
    const abort = new AbortController();
    const { sync } = fakeSync(() => OK, { token: () => new Promise(() => setImmediate(() => abort.abort())) });
    await assert.rejects(sync.request('GET', '/x/', { signal: abort.signal }), failing({ code: 'aborted' }));
});

test('a request that was aborted before it began is not sent', async () => {
    const abort = new AbortController();
    abort.abort();
    const { sync, requests } = fakeSync(() => OK, { signal: abort.signal });
    await assert.rejects(sync.pullChanges({ lastPulledAt: 1 }), failing({ code: 'aborted' }));
    assert.equal(requests.length, 0);
});

test('the address may end in a slash or the base path', async () => {
    for (const url of ['https://a.example/', 'https://a.example/api/v1/', 'https://a.example']) {
        const { sync, requests } = fakeSync(() => OK, { url });
        await sync.request('GET', '/x/');
        assert.equal(requests[0].path, '/api/v1/x/');
    }
});
