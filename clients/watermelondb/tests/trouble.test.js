import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { answerError, createSync, networkError } from '../index.js';
import { failing } from './support/fakes.js';
import { CLOCKS, FOREIGN, WORDS, listening, portal, secured, site, token } from './support/foreign.js';
import { Server } from './support/server.js';

// What a person reads when there is no Tidemark, or none that may be reached: what it is, and what to do.

let server;
before(async () => {
    server = await Server.start();
});
after(() => server.stop());

const syncOf = (url, options) => createSync({ url, token: 't', retry: { attempts: 1 }, ...options });
const pull = (url, options) => syncOf(url, options).pullChanges({ lastPulledAt: null });

for (const [key, code, made] of FOREIGN) {
    test(`${key} has its sentence, and the code ${code}`, async context => {
        const { url, close } = await made();
        context.after(close);
        await assert.rejects(pull(url), failing({ code, detail: WORDS[key] }));
    });
}

test('a page to log in is named', async context => {
    const { url, close } = await portal();
    context.after(close);
    const detail = `The server redirects to ${url}/login?next=tidemark, and what answers there is not Tidemark. Use `
        + 'the address that it redirects to; if that is a page to log in, log in there first.';
    await assert.rejects(pull(url), failing({ code: 'invalid_answer', detail, isTemporary: true }));
});

for (const [key, code, made] of FOREIGN) {
    test(`an app's own request can say so, too: ${key}`, async context => {
        const { url, close } = await made();
        context.after(close);
        const logIn = async () => {
            const response = await fetch(`${url}/api/v1/auth/token/`)
                .catch(cause => { throw networkError(cause, url); });
            throw answerError(response, await response.json().catch(() => null));
        };
        await assert.rejects(logIn(), failing(key === 'cut' ? { code: 'invalid_answer' }
            : { code, detail: key === 'html' ? WORDS.other_json : WORDS[key] }));
    });
}

test('silence has its sentence', async context => {
    const { url, close } = await listening(createServer(() => {}));
    context.after(close);
    await assert.rejects(pull(url, { timeout: 20 }), failing({ code: 'timeout', detail: WORDS.timeout }));
});

/** What a process of its own gets that pulls from there: `[code, detail]`. Null if it can't be made. */
async function elsewhere(url, { command = [process.execPath], env = {} } = {}) {
    const script = `import('${new URL('../index.js', import.meta.url)}').then(({ createSync }) =>
        createSync({ url: '${url}', token: 't', retry: { attempts: 1 } }).pullChanges({ lastPulledAt: null }))
        .catch(({ code, detail }) => console.log(JSON.stringify([code, detail])))`;
    const [program, ...others] = command;
    const run = promisify(execFile)(program, [...others, '-e', script], { env: { ...process.env, ...env } });
    return run.then(({ stdout }) => JSON.parse(stdout), () => null);
}

test('no network has its sentence', async context => {
    const seen = await elsewhere('http://192.0.2.1', { command: ['unshare', '-rn', process.execPath] });
    if (!seen) return context.skip('no network of its own can be made here');
    assert.deepEqual(seen, ['network', WORDS.no_route]);
});

for (const [key, name, isTrusted] of [
    ['certificate_unknown_issuer', 'good', false], ['certificate_expired', 'expired', true],
    ['certificate_other_name', 'otherName', true],
]) {
    test(`${key} has its sentence`, async context => {
        const { url, close, cert } = await secured(name);
        context.after(close);
        const folder = mkdtempSync(join(tmpdir(), 'tidemark-trust-'));
        writeFileSync(join(folder, 'ca.pem'), cert);
        const env = isTrusted ? { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') } : {};
        assert.deepEqual(await elsewhere(url, { env }), ['network', WORDS[key]]);
        rmSync(folder, { recursive: true });
    });
}

test('where the platform tells nothing, all that it may be is named', async () => {
    const fetch = async () => { throw new TypeError('Network request failed'); };
    const detail = 'The server can\'t be reached, and this device does not tell why. Either there is no network; or '
        + 'nothing answers at https://sync.example/api/v1: check the address, its port, and that the server runs; or '
        + 'its certificate is not trusted: check it, and this device\'s clock.';
    await assert.rejects(pull('https://sync.example', { fetch }), failing({ code: 'network', detail }));
});

for (const [key, token, ahead] of CLOCKS) {
    test(`a clock that is off has its sentence: ${key}`, async () => {
        const now = () => Date.now() + ahead;
        const expected = failing({ code: 'clock_off', status: 401, detail: WORDS[key], isTemporary: false });
        await assert.rejects(pull(server.url, { token, now }), expected);
        const ended = async ({ refresh }) => {
            if (refresh) throw Object.assign(new Error('It is over.'), { status: 401 });
            return token;
        };
        await assert.rejects(pull(server.url, { token: ended, now }), expected);
    });
}

test('a token refused for another reason, or at a time that nobody tells, is no clock\'s fault', async context => {
    const hour = 3_600_000;
    for (const refused of [token(-hour, hour), token(-2 * hour, -hour), 'opaque']) {
        await assert.rejects(pull(server.url, { token: refused }), failing({ code: 'unauthorized' }));
    }
    const { url, close } = await site(401, { Date: 'soon' }, '');
    context.after(close);
    await assert.rejects(pull(url, { token: token(hour, 2 * hour) }), failing({ code: 'http_401' }));
});
