import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { memoryStorage } from '../index.js';
import { Directory, Paths, camera, expo } from './support/packages/expo.js';
import { appEvents, networkEvents, store } from './support/packages/phone.js';
import { Database, SQLiteAdapter, appSchema } from './support/packages/watermelondb.js';
import { Photographer, contentOf } from './support/photographer.js';
import { BINARY, ENVIRONMENT } from './support/server.js';

// Runs every command and every code block of docs/react-native.md, in the page's order, against a real server. The
// blocks' imports of other packages come from support/packages.

const page = readFileSync(new URL('../../../docs/react-native.md', import.meta.url), 'utf8');
const FENCE = '`'.repeat(3);
const blocks = language =>
    [...page.matchAll(new RegExp(`^${FENCE}${language}\\n(.*?)^${FENCE}$`, 'gms'))].map(([, text]) => text);

const here = file => JSON.stringify(new URL(file, import.meta.url).href);
const watermelondb = here('support/packages/watermelondb.js');
const phone = here('support/packages/phone.js');
const expoPackages = here('support/packages/expo.js');
const PACKAGES = {
    '@nozbe/watermelondb': `export { Database, Model, appSchema, tableSchema } from ${watermelondb};`,
    '@nozbe/watermelondb/sync': `export { hasUnsyncedChanges, synchronize } from ${watermelondb};`,
    '@nozbe/watermelondb/decorators': `export { date, field, json, relation, text } from ${watermelondb};`,
    '@nozbe/watermelondb/adapters/sqlite': `export { SQLiteAdapter as default } from ${watermelondb};`,
    '@nozbe/watermelondb/Schema/migrations':
        `export { addColumns, createTable, schemaMigrations } from ${watermelondb};`,
    'tidemark-watermelondb': `export * from ${here('../index.js')};`,
    'expo-secure-store': `import { SecureStore } from ${phone};
        export const { setItemAsync, getItemAsync, deleteItemAsync } = SecureStore;`,
    '@react-native-async-storage/async-storage': `export { AsyncStorage as default } from ${phone};`,
    '@react-native-community/netinfo': `export { NetInfo as default } from ${phone};`,
    'expo-file-system': `export { Directory, File, Paths } from ${expoPackages};`,
    'expo-image-picker': `export { launchCameraAsync, requestCameraPermissionsAsync } from ${expoPackages};`,
    'react-native': `export { AppState } from ${phone};`,
    rxjs: `export { debounceTime, skip } from ${phone};`,
};

let folder, port;

before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidemark-docs-'));
    port = await new Promise(resolve => {
        const probe = createServer().listen(0, '127.0.0.1', () => {
            const { port } = probe.address();
            probe.close(() => resolve(port));
        });
    });
    symlinkSync(resolve(BINARY), join(folder, 'tidemark'));
});
after(() => {
    try {
        process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')));
    } catch {
        // It never started.
    }
    rmSync(folder, { recursive: true, force: true });
});

const atPort = text =>
    text.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`).replaceAll('--port 8080', `--port ${port}`);

/** Runs the commands in one shell, as a reader would type them. The server keeps running afterwards. */
function runCommands() {
    const env = { ...ENVIRONMENT, PATH: `${folder}:${ENVIRONMENT.PATH}` };
    const log = openSync(join(folder, 'log'), 'w');
    const script = `${atPort(blocks('sh').join('\n'))}\njobs -p > pid\n`;
    execFileSync('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env, stdio: ['ignore', log, log] });
}

function write(file, text) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
}

/** A module as Babel and Metro would compile it. */
const compiled = text => atPort(text)
    .replace(/^( *)@(\w+)\((.*)\) (\w+)/gm, '$1static _$4 = $2($3)\n$1$4')
    .replace(/ from '(\.\/\w+)'/g, ' from \'$1.js\'');

/** All modules of one version of the app: the page has each as one block, and `version` changes some of them. */
class App {
    constructor(version) {
        this.folder = join(folder, `app-${version}`);
        this.modules = new Map([['schema.js', readFileSync(join(folder, 'schema.js'), 'utf8')]]);
        const seen = new Set();
        for (const text of blocks('js')) {
            const [, name, isLastLine] = text.match(/^\/\/ (\w+\.js)(, in place of its last line)?\n/);
            const isSecond = seen.has(name);
            seen.add(name);
            if (isSecond && version === 1) continue;
            const kept = isLastLine ? this.modules.get(name).replace(/.*\n$/, '') : '';
            this.modules.set(name, kept + text);
        }
        for (const [name, text] of this.modules) write(join(this.folder, name), compiled(text));
        write(join(this.folder, 'package.json'), '{ "type": "module" }');
        for (const [name, text] of Object.entries(PACKAGES)) this.install(name, text);
    }

    install(name, text) {
        const [, owner, rest] = name.match(/^((?:@[^/]+\/)?[^/]+)(?:\/(.*))?$/);
        const place = join(this.folder, 'node_modules', owner);
        write(join(place, `${rest ?? 'index'}.js`), text);
        write(join(place, 'package.json'), JSON.stringify({
            type: 'module', exports: { '.': './index.js', './*': './*.js' },
        }));
    }

    load(name) {
        return import(pathToFileURL(join(this.folder, name)));
    }
}

/** Resolves when `isDone` returns true, which must happen soon. */
async function until(isDone) {
    while (!isDone()) await new Promise(resolve => setImmediate(resolve));
}

const reported = [];
console.warn = (...args) => void reported.push(args);

/** Runs `work` with answers or errors that replace the server's. */
async function answering(answer, work) {
    const { fetch } = globalThis;
    globalThis.fetch = async () => answer();
    try {
        return await work();
    } finally {
        globalThis.fetch = fetch;
    }
}

test('the page\'s commands work, one after another, unchanged', () => {
    runCommands();
    assert.match(readFileSync(join(folder, 'schema.js'), 'utf8'), /name: 'tasks'/);
    assert.match(readFileSync(join(folder, 'rows.ts'), 'utf8'), /interface TasksRow/);
});

test('every code block is a module that loads', async () => {
    const app = new App(1);
    for (const name of app.modules.keys()) await app.load(name);
    const names = ['schema', 'glance', 'models', 'database', 'session', 'sync', 'when', 'edits', 'projects', 'members',
        'inbox', 'disk', 'photos'];
    assert.deepEqual([...app.modules.keys()], names.map(name => `${name}.js`));
});

test('before a login the app starts and syncs nothing', async () => {
    const app = new App(1);
    const [{ sync }, { startSyncing }, { token }] =
        [await app.load('sync.js'), await app.load('when.js'), await app.load('session.js')];
    await sync();
    await assert.rejects(token({ refresh: false }), { status: 401, isTemporary: false });
    const errors = [];
    startSyncing(error => errors.push(error))();
    await new Promise(resolve => setImmediate(resolve));
    assert.deepEqual([errors, store.size], [[], 0]);
});

test('session.js distinguishes temporary errors from those that need a login', async () => {
    const session = await new App(1).load('session.js');
    const logIn = () => session.logIn('alice', 'correct horse battery');
    const refused = status => () => new Response('{"code": "x", "detail": "y"}', { status });
    await assert.rejects(session.logIn('alice', 'wrong'),
        { status: 401, code: 'invalid_credentials', isTemporary: false });
    for (const status of [429, 500, 503]) {
        await assert.rejects(answering(refused(status), logIn), { status, isTemporary: true });
    }
    await assert.rejects(answering(() => new Response('<html>', { status: 502 }), logIn), { isTemporary: true });
    await assert.rejects(answering(() => new Response('{"acc'), logIn), { code: 'invalid_answer', isTemporary: true });
    const offline = () => { throw new TypeError('Network request failed'); };
    await assert.rejects(answering(offline, logIn), { code: 'network', isTemporary: true });
    const headers = { 'Retry-After': '7' };
    const busy = () => new Response('{"code": "busy", "detail": "y"}', { status: 503, headers });
    await assert.rejects(answering(busy, logIn), { retryAfter: 7 });
});

test('it logs in and refreshes, and the adapter asks for a refresh again', async () => {
    const app = new App(1);
    const [session, { tidemark }] = [await app.load('session.js'), await app.load('sync.js')];
    const { access } = await session.logIn('alice', 'correct horse battery');
    assert.equal(await session.token({ refresh: false }), access);
    assert.notEqual(await session.token({ refresh: true }), access);

    // An expired access token, and a refresh whose request is lost.
    const pair = JSON.parse(store.get('session'));
    store.set('session', JSON.stringify({ ...pair, access: 'over' }));
    const { fetch } = globalThis;
    let refreshes = 0;
    globalThis.fetch = (address, options) => {
        if (address.includes('/refresh/') && ++refreshes === 1) throw new TypeError('Network request failed');
        return fetch(address, options);
    };
    const me = await tidemark.request('GET', '/auth/me/').finally(() => Object.assign(globalThis, { fetch }));
    assert.deepEqual([me.username, refreshes], ['alice', 2]);
});

test('the first code of the page syncs, listens, and judges a form', { timeout: 60_000 }, async () => {
    const app = new App(1);
    const [{ start }, { tables }, { modelClasses }, { url, token }, { tidemark }] = [await app.load('glance.js'),
        await app.load('schema.js'), await app.load('models.js'), await app.load('session.js'),
        await app.load('sync.js')];
    const collections = modelClasses.map(({ table }) => table);
    const shown = tables.filter(({ name }) => collections.includes(name));
    const adapter = new SQLiteAdapter({
        dbName: 'glance', schema: appSchema({ version: 1, tables: shown }), migrations: [],
    });
    const database = new Database({ adapter, modelClasses });
    const { collections: schema } = await tidemark.request('GET', '/schemas/');
    const { listening, errors } = await start({
        database, url, token, collections, schema, storage: memoryStorage(),
        onReport: assert.fail, onAccessLost: assert.fail, onError: assert.fail,
    });
    const shownOf = (table, column) => [...database.rows(table).values()].map(row => row[column]);
    assert.deepEqual(shownOf('tasks', 'name'), ['Lay the slipway']);
    assert.ok(errors.some(({ field, code }) => field === 'percent_complete' && code === 'out_of_range'));
    const risk = { title: 'Fog', probability: 2, impact: 2 };
    const { id } = await tidemark.request('POST', '/projects/boat-house/risks/', { body: risk });
    await until(() => shownOf('risks', 'title').includes('Fog'));
    listening.stop();
    await tidemark.request('DELETE', `/risks/${id}/`);
    assert.equal(appEvents.listeners.size, 0);
});

test('it syncs at the start, after edits, and when somebody else changes something', { timeout: 60_000 }, async () => {
    const app = new App(1);
    const [{ database }, { startSyncing }, { tidemark }] =
        [await app.load('database.js'), await app.load('when.js'), await app.load('sync.js')];
    const names = () => [...database.rows('tasks').values()].map(({ name }) => name).sort();
    const end = startSyncing(assert.fail);
    await until(() => names().length === 1);
    assert.deepEqual(names(), ['Lay the slipway']);
    const paint = { id: 'abcdefgh12345678', name: 'Paint', status: 'NOT_STARTED', duration: 1 };
    database.create('tasks', { ...paint, project_id: 'boat-house' });
    await until(() => !database.hasChanges());
    assert.equal((await tidemark.request('GET', '/tasks/abcdefgh12345678/')).name, 'Paint');
    const post = name => tidemark.request('POST', '/projects/boat-house/tasks/', { body: { name } });
    await post('Caulk');
    await until(() => names().includes('Caulk'));
    // Each of these begins again.
    for (const [name, leave, back] of [
        ['Hull', () => appEvents.tell('background'), () => appEvents.tell('active')],
        ['Keel', () => networkEvents.tell({ type: 'none' }), () => networkEvents.tell({ type: 'wifi' })],
    ]) {
        leave();
        await post(name);
        back();
        await until(() => names().includes(name));
    }
    end();
    assert.deepEqual([appEvents.listeners.size, networkEvents.listeners.size, reported], [0, 0, []]);
});

test('rows of several collections that refer to each other are made, edited and deleted offline', async () => {
    const app = new App(1);
    const [{ database }, { sync, tidemark }, { reportLeak, renameRisk, deleteTask }] =
        [await app.load('database.js'), await app.load('sync.js'), await app.load('edits.js')];
    const { task, risk, entry } = await reportLeak('boat-house', 'Caulk', 45, '2026-06-02');
    await sync();
    assert.deepEqual(reported, []);
    assert.equal(database.hasChanges(), false);
    const read = path => tidemark.request('GET', path);
    const { title, task_ids: tasks, probability } = await read(`/risks/${risk.id}/`);
    assert.deepEqual([title, tasks, probability], ['Caulk: water in the hull', [task.id], 4]);
    const { task: timed, minutes, source } = await read(`/time_entries/${entry.id}/`);
    assert.deepEqual([timed, minutes, source], [task.id, 45, 'manual']);

    await renameRisk(risk, 'Water');
    await deleteTask(task);
    await sync();
    await sync();
    const { title: renamed, task_ids: left } = await read(`/risks/${risk.id}/`);
    assert.deepEqual([renamed, left, risk.title, risk.taskIDs], ['Water', [], 'Water', []]);
    assert.deepEqual([database.rows('time_entries').size, database.hasChanges(), reported], [0, false, []]);
});

test('a photo goes from the camera to the other phone', async () => {
    const app = new App(1);
    const [{ database }, { sync, tidemark }, { takePhoto, sourceOf, hintOf }, { reportLeak }, { fileStore }] = [
        await app.load('database.js'), await app.load('sync.js'), await app.load('photos.js'),
        await app.load('edits.js'), await app.load('disk.js')];
    assert.deepEqual(await fileStore.list(), []);
    const { task } = await reportLeak('boat-house', 'Tar', 5, '2026-06-03');
    assert.equal(await takePhoto(task), null);
    const bob = execFileSync(BINARY, ['token', 'create', '--user', 'bob', '--database', 'plans.db'],
        { cwd: folder, env: ENVIRONMENT, encoding: 'utf8' }).trim();
    const other = new Photographer({ url: `http://127.0.0.1:${port}` }, 'boat-house', bob);
    for (const isAsync of [false, true]) {
        Object.assign(expo, { isAsync });
        const bytes = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(600_000, `photo ${isAsync}`)]);
        writeFileSync(join(folder, 'camera.jpg'), bytes);
        camera.next = { uri: pathToFileURL(join(folder, 'camera.jpg')).href, fileName: 'camera.jpg' };
        const photo = await takePhoto(task);
        rmSync(join(folder, 'camera.jpg'));
        assert.deepEqual(readFileSync(new URL((await sourceOf(photo)).uri)), bytes);
        assert.equal(await hintOf(photo), '0 % sent');
        const allSent = () => new Promise(resolve => {
            tidemark.files.onChange(async () => (await tidemark.files.list()).length === 0 && resolve());
        });
        let sent = allSent();
        await sync();
        await sent;
        await sync();
        assert.deepEqual([photo.state, await hintOf(photo), reported], ['stored', null, []]);
        await other.sync();
        const row = other.database.rows('attachments').get(photo.id);
        const opened = await other.files.open(row.file);
        assert.deepEqual([Buffer.from(await contentOf(opened)), opened.type, row.task], [bytes, 'image/jpeg', task.id]);
        sent = allSent();
        const { digest } = await tidemark.files.add(bytes.subarray(3), { project: 'boat-house' });
        await sent;
        const drawn = await tidemark.files.open(digest, { project: 'boat-house' });
        assert.deepEqual(Buffer.from(await contentOf(drawn)), bytes.subarray(3));
        assert.equal((await fileStore.list()).length, isAsync ? 4 : 2);
    }
    camera.next = null;
    assert.equal(new Directory(Paths.document, 'tidemark').exists, true);
    assert.deepEqual(database.errors, []);
});

test('a project is made offline with its rows', async () => {
    const app = new App(1);
    const [{ database }, { sync, tidemark }, { makeProject }, { reportLeak }] = [await app.load('database.js'),
        await app.load('sync.js'), await app.load('projects.js'), await app.load('edits.js')];
    const project = await makeProject('Jetty', '2026-07-01');
    const { task } = await reportLeak(project.id, 'Drive piles', 30, '2026-07-01');
    await sync();
    assert.deepEqual(reported, []);
    assert.equal(database.hasChanges(), false);
    const { results } = await tidemark.request('GET', `/projects/${project.id}/tasks/`);
    assert.deepEqual(results.map(({ id }) => id), [task.id]);
});

test('members and the project are changed over REST', async () => {
    const app = new App(1);
    const [{ addMember, renameProject }, { tidemark }] = [await app.load('members.js'), await app.load('sync.js')];
    execFileSync(BINARY, ['user', 'add', 'carol', '--database', 'plans.db'], { cwd: folder, env: ENVIRONMENT });
    await addMember('boat-house', 'carol', 'scheduler');
    const { results } = await tidemark.request('GET', '/projects/boat-house/memberships/');
    assert.deepEqual(results.map(({ role }) => role).sort(), [100, 200, 400]);
    await assert.rejects(addMember('boat-house', 'nobody', 'member'), /no user nobody/);
    await renameProject('boat-house', 'Boat shed');
    assert.equal((await tidemark.request('GET', '/projects/boat-house/')).name, 'Boat shed');
});

test('refused edits are in the report and in the inbox', async () => {
    const app = new App(1);
    const [{ database }, { sync }, { lostEdits, dismiss }] =
        [await app.load('database.js'), await app.load('sync.js'), await app.load('inbox.js')];
    for (const entry of await lostEdits()) await dismiss(entry);
    for (const [id, parent] of [['sub', 'abcdefgh12345678'], ['other', null]]) {
        const task = { id, name: 'Sand', status: 'NOT_STARTED', duration: 1, parent };
        database.create('tasks', { ...task, project_id: 'boat-house' });
    }
    await sync();
    assert.deepEqual(reported, []);
    database.update('tasks', 'abcdefgh12345678', { parent: 'sub', percent_complete: 10 });
    database.update('tasks', 'other', { percent_complete: 120 });
    await sync();
    const [[, { rejected, repaired }]] = reported.splice(0);
    assert.deepEqual(rejected.tasks.map(({ id, code }) => [id, code]), [['abcdefgh12345678', 'cyclic_parent']]);
    assert.deepEqual(repaired.tasks.map(({ id, to }) => [id, to]), [['other', 100]]);
    await sync();
    assert.equal(database.rows('tasks').get('abcdefgh12345678').parent, null);
    const entries = await lostEdits();
    // One for each edited column.
    assert.deepEqual(entries.map(({ field, code }) => `${field} ${code}`).sort(),
        ['parent cyclic_parent', 'percent_complete cyclic_parent', 'percent_complete repaired']);
    for (const entry of entries) await dismiss(entry);
    assert.deepEqual(await lostEdits(), []);
});

test('a new version of the app opens the same database and receives what it lacks', async () => {
    const first = await new App(1).load('database.js');
    const app = new App(2);
    const [{ database }, { sync, tidemark }] = [await app.load('database.js'), await app.load('sync.js')];
    assert.equal(database, first.database);
    await tidemark.request('POST', '/projects/boat-house/sprints/',
        { body: { name: 'One', start_date: '2026-01-05', finish_date: '2026-01-16' } });
    await sync();
    assert.deepEqual([...database.rows('sprints').values()].map(({ name }) => name), ['One']);
    assert.equal(database.rows('tasks').get('sub').is_expanded, false);
    assert.deepEqual([database.version, database.pulledVersion, database.errors], [2, 2, []]);
});

test('a logout leaves nothing in the app and does not drop edits without asking', async () => {
    const app = new App(2);
    const [{ database }, { sync, tidemark, logOut }, session] =
        [await app.load('database.js'), await app.load('sync.js'), await app.load('session.js')];
    database.update('tasks', 'sub', { name: 'Sand it' });
    const offline = () => { throw new TypeError('Network request failed'); };
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (work, delay, ...args) => setTimeout(work, delay > 20_000 ? delay : 0, ...args);
    await assert.rejects(answering(offline, () => logOut()), { isTemporary: true })
        .finally(() => Object.assign(globalThis, { setTimeout }));
    assert.equal(database.rows('tasks').get('sub').name, 'Sand it');
    const archive = verb => tidemark.request('POST', `/projects/boat-house/${verb}/`);
    await archive('archive');
    await assert.rejects(logOut(), { code: 'unsent_edits' });
    assert.deepEqual([database.rows('tasks').get('sub').name, await session.isLoggedIn()], ['Sand it', true]);
    await archive('unarchive');
    reported.splice(0);
    await logOut();
    assert.deepEqual([database.rows('tasks').size, [...store.keys()]], [0, []]);
    await session.logIn('alice', 'correct horse battery');
    await sync();
    assert.equal(database.rows('tasks').get('sub').name, 'Sand it');
});
