import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TidemarkError } from '../index.js';
import { Tokens, tokensOf } from '../lib/window/tokens.js';
import { Browser } from './support/browser.js';
import { Copy } from './support/copy.js';

/** An access token that lives for so many seconds by the server's clock, which is an hour late. */
function access(seconds, number = 1) {
    const payload = { iat: 1000, exp: 1000 + seconds, number };
    return `e30.${btoa(JSON.stringify(payload)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}.x`;
}

/** Windows of one browser that share a session. `answer` is the server's to a refresh. */
async function windows(count, answer, lifetime = 900) {
    const browser = new Browser();
    const made = { clock: 5_000_000, requests: [], ended: 0, tokens: [] };
    const now = () => made.clock;
    for (let each = 0; each < count; each++) {
        const copy = await Copy.open(browser);
        if (each === 0) {
            const pair = tokensOf({ access: access(lifetime), refresh: 'r-1' }, made.clock);
            await copy.replica.begin({ ...pair, user: { id: 1 } });
            made.copy = copy;
        }
        const transport = { json: async (method, path, { body }) => {
            made.requests.push(body.refresh);
            return answer(made.requests.length);
        } };
        const { life } = await copy.replica.state();
        made.tokens.push(new Tokens({
            replica: copy.replica, life, transport, now, locks: copy.tab.locks, lockName: 'token',
            onEnded: () => made.ended++,
        }));
    }
    return made;
}

const next = async number => ({ access: access(900, number + 1), refresh: `r-${number + 1}` });

test('a token is renewed half a minute before its end, whatever the server\'s clock says', async () => {
    const made = await windows(1, next);
    const [tokens] = made.tokens;
    made.clock += 869_000;
    assert.equal(await tokens.token({ refresh: false }), access(900, 1));
    made.clock += 2000;
    assert.equal(await tokens.token({ refresh: false }), access(900, 2));
    assert.deepEqual([made.requests, (await made.copy.replica.session()).refresh], [['r-1'], 'r-2']);
});

test('windows renew one at a time, and use what another one got', async () => {
    const made = await windows(3, next);
    for (const tokens of made.tokens) await tokens.token({ refresh: false });
    const renewed = await Promise.all(made.tokens.map(tokens => tokens.token({ refresh: true })));
    assert.deepEqual([new Set(renewed).size, made.requests], [1, ['r-1']]);
});

test('a new pair is stored before it is used', async () => {
    const made = await windows(1, next);
    const [tokens] = made.tokens;
    await tokens.token({ refresh: false });
    made.copy.tab.failCommit('QuotaExceededError');
    await assert.rejects(tokens.token({ refresh: true }), { code: 'storage_full' });
    assert.equal((await made.copy.replica.session()).refresh, 'r-1');
});

test('a refused refresh ends the session, and nothing else', async () => {
    const made = await windows(1, async () => {
        throw new TidemarkError('invalid_refresh_token', 'It is used.', { status: 401 });
    });
    await made.copy.start();
    await made.copy.replica.update('tasks', 'p-1', { name: 'Mine' });
    const [tokens] = made.tokens;
    await tokens.token({ refresh: false });
    await assert.rejects(tokens.token({ refresh: true }), { status: 401 });
    await assert.rejects(tokens.token({ refresh: false }), { status: 401 });
    const { unsent } = await made.copy.replica.status();
    assert.deepEqual([made.ended, unsent, made.requests.length], [1, 1, 1]);
});

test('a network that fails ends nothing', async () => {
    const made = await windows(1, async number => {
        if (number === 1) throw new TidemarkError('network', 'It is gone.');
        return next(number);
    });
    const [tokens] = made.tokens;
    await tokens.token({ refresh: false });
    await assert.rejects(tokens.token({ refresh: true }), { code: 'network' });
    await tokens.token({ refresh: true });
    assert.deepEqual([made.requests, made.ended], [['r-1', 'r-1'], 0]);
});

test('a session that begins while another one is renewed is used, whatever becomes of the renewal', async () => {
    for (const outcome of ['renewed', 'refused']) {
        const made = await windows(2, async () => {
            const pair = tokensOf({ access: access(900, 9), refresh: 'r-9' }, made.clock);
            await made.copy.replica.begin({ ...pair, user: { id: 1 } });
            if (outcome === 'renewed') return next(1);
            throw new TidemarkError('invalid_refresh_token', 'It is over.', { status: 401 });
        });
        const [tokens] = made.tokens;
        await tokens.token({ refresh: false });
        assert.equal(await tokens.token({ refresh: true }), access(900, 9), outcome);
        assert.deepEqual([(await made.copy.replica.session()).refresh, made.ended], ['r-9', 0], outcome);
    }
});

test('another session gives its tokens to nobody who began in this one', async () => {
    const made = await windows(1, next);
    const [tokens] = made.tokens;
    await made.copy.replica.begin({ ...tokensOf({ access: 'other' }, 0), user: { id: 2 } }, { discard: true });
    await assert.rejects(tokens.token({ refresh: false }), { status: 401 });
});
