import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import * as adapter from '../index.js';
import { BINARY, ENVIRONMENT, Server } from './support/server.js';
import { Database } from './support/standin.js';
import { synchronize } from './support/synchronize.js';

// The commands and the code of docs/react-native.md work as they are written there.

const page = readFileSync(new URL('../../../docs/react-native.md', import.meta.url), 'utf8');
let folder, url, script, jobs;

const FENCE = '`'.repeat(3);
const blocks = language =>
    [...page.matchAll(new RegExp(`${FENCE}${language}\\n(.*?)${FENCE}`, 'gs'))].map(([, text]) => text);

/** A block of the page as a function body: imports come from `scope`, exports are returned. */
function module(name, scope) {
    const code = blocks('js').find(text => text.startsWith(`// ${name}\n`)).replaceAll('http://127.0.0.1:8080', url);
    const names = [...code.matchAll(/^export (?:async )?(?:const|function) (\w+)/gm)].map(([, name]) => name);
    const body = code.replace(/^import .*$/gm, '').replace(/^export /gm, '');
    return new Function(...Object.keys(scope), `${body}; return { ${names.join(', ')} }`)(...Object.values(scope));
}

before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidemark-docs-'));
    const port = await new Promise(resolve => {
        const probe = createServer().listen(0, '127.0.0.1', () => {
            const { port } = probe.address();
            probe.close(() => resolve(port));
        });
    });
    url = `http://127.0.0.1:${port}`;
    // The server must outlive the script; a newcomer waits a moment before the next command.
    const wait = `for try in $(seq 100); do curl -sf ${url}/health/ > health && break; sleep 0.1; done`;
    script = blocks('sh').join('\n').replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
        .replace(/^(tidemark serve .*)--port 8080 &$/m, `$1--port ${port} > server.log 2>&1 &\necho $! > pid\n${wait}`);
});
after(() => {
    try {
        process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')));
    } catch {
        // It never began.
    }
    rmSync(folder, { recursive: true, force: true });
});

test('the commands of the page work, one after the other', () => {
    symlinkSync(resolve(BINARY), join(folder, 'tidemark'));
    const env = { ...ENVIRONMENT, PATH: `${folder}:${ENVIRONMENT.PATH}` };
    execFileSync('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    assert.match(readFileSync(join(folder, 'schema.js'), 'utf8'), /name: 'tasks'/);
    assert.match(readFileSync(join(folder, 'rows.ts'), 'utf8'), /interface TasksRow/);
});

test('session.js logs in and refreshes, and sync.js syncs', async () => {
    const store = new Map();
    const SecureStore = {
        setItemAsync: async (key, value) => store.set(key, value),
        getItemAsync: async key => store.get(key),
    };
    const session = module('session.js', { SecureStore, fetch });
    const { access } = await session.logIn('alice', 'correct horse battery');
    assert.equal(await session.token({ refresh: false }), access);
    assert.notEqual(await session.token({ refresh: true }), access);
    await assert.rejects(session.logIn('alice', 'wrong'), /Log in again/);

    const server = Object.assign(new Server(), { url });
    const schema = await server.schema(await session.token({ refresh: false }));
    const database = new Database({ schema });
    const scope = {
        AsyncStorage: {
            getItem: async key => store.get(key),
            setItem: async (key, value) => store.set(key, value),
            removeItem: async key => store.delete(key),
        },
        hasUnsyncedChanges: async ({ database }) => database.hasChanges(),
        synchronize, createSync: adapter.createSync, database, ...session,
        modelClasses: [{ table: 'tasks' }, { table: 'risks' }],
        console: { warn: report => assert.fail(JSON.stringify(report)) },
    };
    const { sync, syncIfEdited, tidemark } = module('sync.js', scope);
    await sync();
    assert.deepEqual([...database.rows('tasks').values()].map(({ name }) => name), ['Lay the slipway']);
    database.create('tasks', { id: 'abcdefgh12345678', name: 'Paint', status: 'NOT_STARTED', duration: 1 });
    await syncIfEdited();
    assert.equal(database.hasChanges(), false);
    assert.equal((await tidemark.request('GET', '/tasks/abcdefgh12345678/')).name, 'Paint');
    assert.deepEqual(await tidemark.request('GET', '/projects/boat-house/rejected/'), { results: [], next: null });
});
