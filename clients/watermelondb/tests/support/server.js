// A real server on a free port, with a fresh database in a temporary folder.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const REPOSITORY = resolve(fileURLToPath(new URL('../../../..', import.meta.url)));
export const BINARY = process.env.TIDEMARK || join(REPOSITORY, '.build/debug/tidemark');

// A TIDEMARK_ variable of the caller must not change what is tested, and `serve` refuses unknown ones.
export const ENVIRONMENT = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !key.startsWith('TIDEMARK')));
const UNLIMITED = {
    TIDEMARK_SYNC_UPLOAD_RATE_PER_PROJECT: '0', TIDEMARK_SYNC_UPLOAD_RATE_PER_USER: '0',
    TIDEMARK_SYNC_WRITE_RATE_PER_PROJECT: '0', TIDEMARK_SYNC_WRITE_RATE_PER_USER: '0',
};

/** Runs a command and returns its stdout. */
export async function tidemark(...args) {
    const { stdout } = await promisify(execFile)(BINARY, args, { env: ENVIRONMENT });
    return stdout.trim();
}

export class Server {
    #process = null;

    /** `settings` are TIDEMARK_ variables, `schemas` a folder with the files of collections, `flags` for `serve`. */
    static async start(settings = {}, { schemas = null, flags = [] } = {}) {
        if (!existsSync(BINARY)) throw new Error(`There is no ${BINARY}. Build it, or set TIDEMARK to another one.`);
        const server = new Server();
        server.folder = mkdtempSync(join(tmpdir(), 'tidemark-node-'));
        server.database = join(server.folder, 'test.db');
        Object.assign(server, { settings, flags, own: schemas ? ['--schemas', schemas] : [] });
        await server.run();
        return server;
    }

    /** Starts the server, on its former port if it ran before. */
    async run() {
        const port = this.url ? new URL(this.url).port : '0';
        // In memory, each server would take 32 MiB for a full disk.
        const env = { ...ENVIRONMENT, ...UNLIMITED, TIDEMARK_DISK_RESERVE_MB: '0', ...this.settings };
        const args = ['serve', '--database', this.database, '--port', port, ...this.own, ...this.flags];
        this.#process = spawn(BINARY, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
        let log = '';
        this.url = await new Promise((resolve, reject) => {
            const read = chunk => {
                log += chunk;
                const url = log.match(/http:\/\/127\.0\.0\.1:\d+/);
                if (url) resolve(url[0]);
            };
            this.#process.stdout.on('data', read);
            this.#process.stderr.on('data', read);
            this.#process.on('exit', code => reject(new Error(`The server ended with ${code}: ${log}`)));
        });
    }

    async stop() {
        await this.halt();
        rmSync(this.folder, { recursive: true, force: true });
    }

    halt() {
        if (this.#process.exitCode !== null || this.#process.signalCode !== null) return Promise.resolve();
        const ended = new Promise(resolve => this.#process.once('exit', resolve));
        this.#process.kill('SIGKILL');
        return ended;
    }

    /** Runs a command on this server's database. */
    command(...args) {
        return tidemark(...args, '--database', this.database, ...this.own);
    }

    /** Adds a user and returns a token. */
    async user(name) {
        await this.command('user', 'add', name);
        return this.command('token', 'create', '--user', name);
    }

    /** Adds a user who signs in with a password. */
    async account(name, password) {
        const args = ['user', 'add', name, '--password-stdin', '--database', this.database, ...this.own];
        const run = promisify(execFile)(BINARY, args, { env: ENVIRONMENT });
        run.child.stdin.end(`${password}\n`);
        await run;
    }

    async member(project, name, role) {
        await this.command('member', 'add', '--project', project, '--user', name, '--role', role);
    }

    /** Sends a request without the adapter. Returns the parsed response, or throws an error with its text. */
    async api(token, method, path, body) {
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
        const options = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
        const response = await fetch(`${this.url}/api/v1${path}`, options);
        const text = await response.text();
        if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
        return text ? JSON.parse(text) : null;
    }

    async project(token, name = 'Tested') {
        return (await this.api(token, 'POST', '/projects/', { name, start_date: '2026-01-05' })).id;
    }

    task(token, project, values) {
        return this.api(token, 'POST', `/projects/${project}/tasks/`, values);
    }

    /** The columns of all collections as an app declares them, for the stand-in database. */
    async schema(token) {
        const { collections } = await this.api(token, 'GET', '/schemas/');
        return Object.fromEntries(collections.map(({ title, properties }) => [title, {
            server_version: { type: 'number', isOptional: false },
            ...Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, column(field)])),
        }]));
    }
}

function column(field) {
    const [type] = [field.type].flat().filter(name => name !== 'null');
    const isNumber = ['integer', 'number'].includes(type) || field.format === 'date-time';
    const name = isNumber ? 'number' : type === 'boolean' ? 'boolean' : 'string';
    return { type: name, isOptional: [field.type].flat().includes('null') };
}
