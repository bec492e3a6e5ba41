import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BINARY, ENVIRONMENT } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { until } from './support/open.js';

// Runs every command and every code block of docs/web-app.md, in the page's order, against a real server.

const page = readFileSync(new URL('../../../docs/web-app.md', import.meta.url), 'utf8');
const FENCE = '`'.repeat(3);
const blocks = language =>
    [...page.matchAll(new RegExp(`^${FENCE}${language}\\n(.*?)^${FENCE}$`, 'gms'))].map(([, text]) => text);

const atPorts = text => text.replaceAll('8080', api).replaceAll('8000', web);
let folder, api, web;

before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidemark-web-docs-'));
    [api, web] = [await freePort(), await freePort()];
    symlinkSync(resolve(BINARY), join(folder, 'tidemark'));
    symlinkSync(fileURLToPath(new URL('../..', import.meta.url)), join(folder, 'clients'));
});
after(() => {
    for (const id of readFileSync(join(folder, 'pids'), 'utf8').split('\n').filter(Boolean)) process.kill(Number(id));
    rmSync(folder, { recursive: true, force: true });
});

function freePort() {
    return new Promise(resolve => {
        const probe = createServer().listen(0, '127.0.0.1', () => {
            const { port } = probe.address();
            probe.close(() => resolve(port));
        });
    });
}

test('the commands make a server and a page', async () => {
    const env = { ...ENVIRONMENT, PATH: `${folder}:${ENVIRONMENT.PATH}` };
    const log = openSync(join(folder, 'log'), 'w');
    const script = `${atPorts(blocks('sh').join('\n'))}\njobs -p > pids\n`;
    execFileSync('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env, stdio: ['ignore', log, log] });
    const answered = path => until(() => fetch(`http://127.0.0.1:${web}/${path}`).catch(() => null), path);
    for (const path of ['', 'app.js', 'style.css', 'worker.js', 'tidemark/index.js', 'tidemark/lib/common/events.js']) {
        assert.equal((await answered(path)).status, 200, path);
    }
});

test('the code reads, writes and logs out', async () => {
    const tab = new Browser().tab();
    const shown = { status: null, tasks: [] };
    Object.assign(globalThis, {
        indexedDB: tab.indexedDB, showStatus: status => { shown.status = status; },
        showTasks: tasks => { shown.tasks = tasks.map(({ name }) => name).sort(); }, confirm: () => true,
        BroadcastChannel: function BroadcastChannel(name) { return tab.channel(name); },
    });
    Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { locks: tab.locks } });
    // Node imports no module from an address. served.test.js does, in a browser.
    const code = blocks('js').join('\n').replace('https://tidemark.example.org/client/', './tidemark/')
        .replaceAll('https://tidemark.example.org', `http://127.0.0.1:${api}`);
    const names = 'tidemark, logIn, stop, addTask, tasksOfJune, finish, remove, attach, photoOf, openAtOnce, logOut, '
        + 'openFor, leave';
    writeFileSync(join(folder, 'app/package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'app/blocks.js'), `${code}\nexport { ${names} };\n`);
    const app = await import(pathToFileURL(join(folder, 'app/blocks.js')));
    await until(() => shown.status?.isSignedIn === false, 'nobody is signed in');
    await app.logIn('alice', 'correct horse battery');
    await until(() => shown.tasks.length === 1, 'the first task');
    const id = await app.addTask('Order paint');
    await until(() => shown.status.unsent === 0 && shown.tasks.length === 2, 'the task is sent');
    const [old] = (await app.tidemark.rows('tasks')).filter(task => task.id !== id);
    await app.finish(old);
    await app.remove({ id });
    await until(() => shown.tasks.join() === 'Lay the slipway' && shown.status.unsent === 0, 'all is sent');
    await app.tidemark.update('tasks', old.id, { planned_start: '2026-06-02' });
    assert.deepEqual((await app.tasksOfJune()).map(({ id }) => id), [old.id]);
    const photo = new File([new Uint8Array([0xff, 0xd8, 0xff])], 'slipway.jpg');
    const attached = await app.attach(photo, old);
    assert.match(await app.photoOf(await app.tidemark.row('attachments', attached)), /^blob:/);
    await until(() => shown.status.unsent === 0 && app.tidemark.state.filesToSend === 0, 'the photo is sent');
    await judgesByTheFile(app);
    app.stop();
    await app.finish({ id: old.id });
    const alices = await app.openFor('alice');
    assert.equal(alices.state.user.username, 'alice', 'the copy is hers');
    await app.leave(alices);
    const again = await app.openFor('alice');
    assert.equal(again.state.isSignedIn, false, 'she has logged out');
    await again.close();
    await app.logOut();
    await until(() => app.tidemark.state.user === null, 'logged out');
    await app.tidemark.close();
});

/** The app's schema is a file that the commands have made. */
async function judgesByTheFile({ openAtOnce }) {
    const { fetch } = globalThis;
    globalThis.fetch = (address, options) => (address === 'schema.json'
        ? Promise.resolve(new Response(readFileSync(join(folder, 'app/schema.json')))) : fetch(address, options));
    const copy = await openAtOnce().finally(() => { globalThis.fetch = fetch; });
    await assert.rejects(copy.insert('tasks', { project_id: 'boat-house', name: 5 }), { code: 'wrong_type' });
    await copy.close();
}
