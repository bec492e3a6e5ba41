import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { failing, fakeSync, problem } from './support/fakes.js';
import { startTeam } from './support/team.js';

// `request()` with a lost first answer: it is repeated, and the server performs it once.

let server, alice, project, phones;

before(async () => {
    ({ server, alice, project, phones } = await startTeam());
});
after(() => server.stop());

/** A phone that loses the first answer to its next requests with this method. */
async function losing(method, between = async () => {}) {
    const id = await project('Dig');
    const risk = await server.api(alice, 'POST', `/projects/${id}/risks/`,
        { title: 'Rain', probability: 2, impact: 3 });
    const [phone] = phones(id);
    let isLost = false;
    phone.onAnswer = async init => {
        if (init.method !== method || isLost) return;
        isLost = true;
        await between(risk);
        throw new TypeError('the answer is lost');
    };
    return { id, risk, phone, request: (...args) => phone.adapter.request(...args) };
}

const ROW = { title: 'Hail', probability: 1, impact: 1 };

test('a POST whose answer was lost creates one row', async () => {
    const { id, request, phone } = await losing('POST');
    const made = await request('POST', `/projects/${id}/risks/`, { body: ROW });
    assert.equal(phone.requests.length, 2);
    const { results } = await server.api(alice, 'GET', `/projects/${id}/risks/`);
    assert.deepEqual(results.filter(({ title }) => title === 'Hail').map(row => row.id), [made.id]);
    const other = await request('POST', `/projects/${id}/risks/`, { body: ROW });
    assert.notEqual(other.id, made.id);
});

test('with the app\'s own key a POST is performed once over several calls', async () => {
    const { id, request } = await losing('POST');
    const made = [];
    for (let call = 0; call < 2; call++) {
        const options = { body: ROW, headers: { 'idempotency-key': `risk-${id}` } };
        made.push((await request('POST', `/projects/${id}/risks/`, options)).id);
    }
    assert.equal(made[0], made[1]);
});

test('a DELETE whose answer was lost succeeds; one of a row that never existed does not', async () => {
    const { risk, request } = await losing('DELETE');
    assert.equal(await request('DELETE', `/risks/${risk.id}/`), null);
    await assert.rejects(request('DELETE', `/risks/${risk.id}/`), failing({ status: 404 }));
});

test('a DELETE that had to wait has deleted nothing', async () => {
    const { sync } = fakeSync((_, count) => (count === 1 ? problem(503, 'busy') : problem(404, 'not_found')));
    await assert.rejects(sync.request('DELETE', '/risks/r/'), failing({ status: 404 }));
});

test('a project whose deletion was not answered is deleted, and does not count as lost access', async () => {
    const { id, request } = await losing('DELETE');
    assert.equal(await request('DELETE', `/projects/${id}/`), null);
});

for (const header of ['If-Match', 'x-base-version']) {
    test(`a PATCH with ${header} whose answer was lost does not conflict with itself`, async () => {
        const { risk, request } = await losing('PATCH');
        const headers = { [header]: header === 'If-Match' ? '"1"' : '1' };
        const row = await request('PATCH', `/risks/${risk.id}/`, { body: { title: 'Hail', task_ids: [] }, headers });
        assert.deepEqual([row.title, row.server_version, row.id], ['Hail', 2, risk.id]);
        await assert.rejects(request('PATCH', `/risks/${risk.id}/`, { body: { title: 'Hail' }, headers }),
            failing({ code: 'stale_version' }));
    });
}

test('it is a conflict if somebody else has changed the same field since', async () => {
    const { risk, request } = await losing('PATCH',
        risk => server.api(alice, 'PATCH', `/risks/${risk.id}/`, { title: 'Snow' }));
    const options = { body: { title: 'Hail' }, headers: { 'If-Match': '"1"' } };
    await assert.rejects(request('PATCH', `/risks/${risk.id}/`, options), failing({ code: 'stale_version' }));
    assert.equal((await server.api(alice, 'GET', `/risks/${risk.id}/`)).title, 'Snow');
});

test('an instant is equal in every format', async () => {
    const current = { id: 't', server_version: 2, at: '2026-01-05T00:00:00.000Z', exceptions: [{ b: 1, a: 2 }] };
    const { sync } = fakeSync((_, count) => {
        if (count === 1) throw new TypeError('the answer is lost');
        return problem(412, 'stale_version', { current });
    });
    const body = { at: '2026-01-05T01:00:00+01:00', exceptions: [{ a: 2, b: 1 }] };
    assert.deepEqual(await sync.request('PATCH', '/tasks/t/', { body, headers: { 'If-Match': '"1"' } }), current);
});
