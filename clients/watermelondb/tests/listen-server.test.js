import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { sleep } from '../lib/common/abort.js';
import { Phone } from './support/phone.js';
import { NEW_TASK } from './support/rows.js';
import { names, startTeam } from './support/team.js';

// Two devices of one user and a real server. Nothing here waits for a time, only for what has to happen.

const NGINX = '/usr/sbin/nginx';

let server, alice, schema, project;
before(async () => {
    ({ server, alice, schema, project } = await startTeam({}));
});
after(() => server.stop());

async function until(isDone) {
    while (!await isDone()) await new Promise(resolve => setTimeout(resolve, 5));
}

/** Waits as the adapter does, but a busy machine may take longer than 5 seconds for a `hello`. */
const patiently = (milliseconds, signal) => sleep(milliseconds === 5000 ? 60_000 : milliseconds, signal);

/** A phone that syncs when it is told to. */
function listening(id, options = {}, listen = {}) {
    const phone = new Phone(server, id, options.token ?? alice, { schema, wait: patiently, ...options });
    phone.calls = 0;
    phone.errors = [];
    phone.handle = phone.adapter.listen({
        onChange: () => {
            phone.calls++;
            return phone.sync();
        },
        onError: error => phone.errors.push(error),
        ...listen,
    });
    return phone;
}

const waits = { events: false };

for (const [way, listen] of [['events', {}], ['held pulls', waits]]) {
    test(`with ${way}, an edit of one device arrives at the other`, { timeout: 30_000 }, async () => {
        const id = await project('Dig');
        const [one, other] = [listening(id, {}, listen), listening(id, {}, listen)];
        await until(() => names(one).length + names(other).length === 2);
        for (const name of ['Pour', 'Roof', 'Paint']) {
            one.database.create('tasks', { ...NEW_TASK, id: `${id}-${name}`, name });
            await one.sync();
            await until(() => names(other).includes(name));
        }
        other.database.update('tasks', `${id}-0`, { name: 'Dug' });
        await other.sync();
        await until(() => names(one).includes('Dug'));
        for (const { handle, errors } of [one, other]) {
            handle.stop();
            assert.deepEqual(errors, []);
        }
    });

    test(`with ${way}, all projects are listened to, also those that come later`, { timeout: 30_000 }, async () => {
        const phone = listening(null, {}, listen);
        const id = await project('Dig');
        await until(() => phone.task(`${id}-0`));
        await server.task(alice, id, { id: `${id}-new`, name: 'Roof' });
        await until(() => phone.task(`${id}-new`));
        phone.handle.stop();
        assert.deepEqual(phone.errors, []);
    });

    test(`with ${way}, a server that was killed and started again is found`, { timeout: 60_000 }, async () => {
        const id = await project('Dig');
        const phone = listening(id, {}, listen);
        await until(() => names(phone).length === 1 && phone.calls > 0);
        await server.halt();
        await server.run();
        await server.task(alice, id, { id: `${id}-new`, name: 'Roof' });
        await until(() => phone.task(`${id}-new`));
        await server.task(alice, id, { id: `${id}-newer`, name: 'Door' });
        await until(() => phone.task(`${id}-newer`));
        phone.handle.stop();
        assert.deepEqual(phone.errors, []);
    });

    test(`with ${way}, a revoked token is reported, and another one goes on`, { timeout: 30_000 }, async () => {
        const id = await project('Dig');
        let token = await server.command('token', 'create', '--user', 'alice', '--name', `phone-${id}`);
        const phone = listening(id, { token: () => token }, listen);
        await until(() => names(phone).length === 1);
        const list = JSON.parse(await server.command('token', 'list', '--user', 'alice', '--json'));
        const { id: own } = list.find(({ name }) => name === `phone-${id}`);
        await server.command('token', 'revoke', '--user', 'alice', `${own}`);
        await until(() => phone.errors.length > 0);
        assert.deepEqual(phone.errors.map(({ status }) => status), [401]);
        token = alice;
        await server.task(alice, id, { id: `${id}-new`, name: 'Roof' });
        phone.handle.resume();
        await until(() => phone.task(`${id}-new`));
        phone.handle.stop();
    });

    test(`with ${way}, a phone in the background hears nothing until it returns`, { timeout: 30_000 }, async () => {
        const id = await project('Dig');
        let tell;
        const addEventListener = (_, work) => {
            tell = work;
            return { remove: () => {} };
        };
        const appState = { currentState: 'active', addEventListener };
        const phone = listening(id, {}, { ...listen, appState });
        await until(() => names(phone).length === 1);
        const quiet = listening(id, {}, listen);
        tell('background');
        const { calls } = phone;
        await server.task(alice, id, { id: `${id}-new`, name: 'Roof' });
        await until(() => quiet.task(`${id}-new`));
        assert.equal(phone.calls, calls);
        tell('active');
        await until(() => phone.task(`${id}-new`));
        await server.task(alice, id, { id: `${id}-newer`, name: 'Door' });
        await until(() => phone.task(`${id}-newer`));
        for (const { handle } of [phone, quiet]) handle.stop();
    });

    test(`with ${way}, a user who loses the project is told`, { timeout: 30_000 }, async () => {
        const id = await project('Dig');
        const token = await server.command('token', 'create', '--user', 'bob');
        const lost = [];
        const phone = listening(id, { token, onAccessLost: ({ code }) => lost.push(code) }, listen);
        await until(() => names(phone).length === 1);
        await server.command('member', 'remove', '--project', id, '--user', 'bob');
        await until(() => phone.errors.length > 0);
        assert.deepEqual(phone.errors.map(({ isAccessLost }) => isAccessLost), [true]);
        assert.ok(lost.includes('membership_revoked'));
        phone.handle.stop();
    });
}

test('a held pull does not count as one of the device, which has yet to pull', { timeout: 30_000 }, async () => {
    const id = await project('Dig');
    const phone = listening(id, { deviceId: `phone-${id}` }, { ...waits, onChange: () => {} });
    await phone.sync();
    await phone.sync();
    const held = () => phone.requests.filter(({ address }) => address.includes('wait=25')).length;
    await until(() => phone.database.lastPulledAt);
    await server.task(alice, id, { name: 'Roof' });
    await until(() => held() === 1);
    await server.task(alice, id, { name: 'Door' });
    await until(() => held() === 2);
    phone.handle.stop();
    const { results } = await server.api(alice, 'GET', '/devices/');
    assert.equal(results.find(({ device_id: device }) => device === `phone-${id}`).behind.commits, 2);
});

/** Two of nginx, one behind the other: the inner one eats the header that tells the outer one not to buffer. */
async function behindProxies(work) {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-nginx-'));
    const [outer, inner] = await Promise.all([freePort(), freePort()]);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map(name => `${name}_temp_path ${folder}/${name};`);
    const pass = (port, target) => `server { listen 127.0.0.1:${port}; location / { proxy_pass ${target}; } }`;
    writeFileSync(join(folder, 'nginx.conf'), `daemon off; pid ${folder}/pid; error_log ${folder}/errors;
        events {} http { access_log off; ${paths.join(' ')}
        ${pass(outer, `http://127.0.0.1:${inner}`)} ${pass(inner, server.url)} }`);
    const nginx = spawn(NGINX, ['-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
    try {
        const isUp = () => fetch(`http://127.0.0.1:${outer}/health/`).then(({ ok }) => ok, () => false);
        await until(isUp);
        await work(`http://127.0.0.1:${outer}`);
    } finally {
        nginx.kill();
        await new Promise(resolve => nginx.once('exit', resolve));
        rmSync(folder, { recursive: true, force: true });
    }
}

const freePort = () => new Promise(resolve => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
        const { port } = probe.address();
        probe.close(() => resolve(port));
    });
});

test('behind proxies that hold events back it says so and holds pulls', {
    timeout: 60_000, skip: existsSync(NGINX) ? false : `There is no ${NGINX}.`,
}, () => behindProxies(async url => {
    const id = await project('Dig');
    const phone = listening(id, { url, wait: sleep });
    await until(() => phone.errors.length > 0);
    assert.deepEqual(phone.errors.map(({ code }) => code), ['events_held_back']);
    await server.task(alice, id, { id: `${id}-new`, name: 'Roof' });
    await until(() => phone.task(`${id}-new`));
    phone.handle.stop();
}));

test('after stop, nothing keeps the process alive', { timeout: 30_000 }, async () => {
    const script = `
        import { createSync } from ${JSON.stringify(new URL('../index.js', import.meta.url).href)};
        const sync = createSync({ url: ${JSON.stringify(server.url)}, token: ${JSON.stringify(alice)} });
        const stops = [{}, { events: false }].map(options => new Promise(resolve => {
            let calls = 0;
            const handle = sync.listen({ ...options, onChange: () => ++calls === 2 && setTimeout(() => {
                handle.stop();
                resolve();
            }, 50) });
        }));
        await Promise.all(stops);
        console.log('stopped');`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { timeout: 20_000 });
    const { stdout } = await run;
    assert.equal(stdout, 'stopped\n');
});
