// Two windows of bob's and a second device of his, alice who works online, and everything that can go wrong. Each part
// of this world writes a field of its own, so the last value that somebody wrote must be there in the end, or be told.
import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError, open } from '../../index.js';
import { Browser } from './browser.js';
import { Network } from './network.js';
import { generator } from './random.js';
import { turns } from './turns.js';

const ROLES = ['viewer', 'member', 'member', 'scheduler'];
/** What each browser writes. Nobody else does. */
const FIELDS = ['notes', 'wbs_path'];

/**
 * How often what happens: of `steps`, edits (e), syncs (s) and what others do (o); of that, roles (r), tokens (t),
 * purges (p), archiving (a), deletions (d), edits (e), backups (b). One tab in `kill` dies, within so many steps of its
 * storage.
 */
const MIX = { steps: 'eeeeesssssoo', others: 'rrtpadeee', kill: 4, within: 120 };

let worlds = 0;

export class World {
    counts = {
        edits: 0, kills: 0, failed: 0, synced: 0, roles: 0, lost: 0, revoked: 0, purges: 0, archived: 0, restored: 0,
    };
    isNoisy = true;
    /** The copies are of all projects. */
    isUserWide = true;
    /** The last value that a browser wrote to its field of a row: `{ values }`, those that may be there. */
    ledger = new Map();

    /**
     * `alice` is a token of the user who owns the projects. Each world has a bob of its own. `mix` has members in place
     * of those of `MIX`.
     */
    constructor(seed, { server, alice, steps = 30, mix = {}, onConflict = undefined }) {
        Object.assign(this, { seed, server, alice, steps, onConflict, mix: { ...MIX, ...mix }, name: `bob-${++worlds}` });
        this.random = generator(seed);
        this.network = new Network(this.random);
        this.browsers = [new Browser(), new Browser()];
        this.windows = [];
        this.next = 0;
    }

    below(limit) {
        return Math.floor(this.random() * limit);
    }

    pick(list) {
        return list[this.below(list.length)];
    }

    id(prefix) {
        return `${prefix}-${this.name}-${++this.next}`;
    }

    // Windows.

    async window(browser) {
        const tab = this.browsers[browser].tab();
        const opening = open({
            url: this.server.url, indexedDB: tab.indexedDB, locks: tab.locks, channel: tab.channel, network: {},
            fetch: tab.fetch(this.network.of(this.browsers[browser])), wait: tab.wait, random: this.random,
            timeout: null, listen: false, retry: { attempts: 3 }, onConflict: this.onConflict,
            pageSize: 1 + this.below(6), batchRows: 1 + this.below(6), ...this.options(),
        });
        const client = await Promise.race([opening, tab.died.then(() => null)]);
        const window = { tab, client, browser, shown: new Map() };
        for (const query of client ? this.queries() : []) {
            client.live(...query, rows => window.shown.set(JSON.stringify(query), rows));
        }
        return window;
    }

    /** More options of a window. */
    options() {
        return {};
    }

    /** What each window shows all the time. */
    queries() {
        const [project] = this.projects;
        return [['tasks', {}], ['tasks', { project }], ['time_entries', { project }], ['projects', {}]];
    }

    /** Does something in a window. If its tab dies meanwhile, another one is opened in its place. */
    async in(window, work) {
        const dies = window.tab.died.then(() => DEAD);
        const result = await Promise.race([work(window.client), dies]).catch(error => this.excuse(error));
        if (result !== DEAD && !window.tab.isDead) return result;
        this.counts.kills++;
        this.windows[this.windows.indexOf(window)] = await this.window(window.browser);
        return DEAD;
    }

    /** Only what the noise explains may fail. */
    excuse(error) {
        if (!(error instanceof TidemarkError)) throw error;
        const isOver = ['unauthorized', 'session_ended'].includes(error.code);
        // A refusal that was cut has no code.
        const isNoise = this.isNoisy && /^(network|invalid_answer|http_\d+)$/.test(error.code);
        if (!isOver && !isNoise) throw error;
        this.counts.failed++;
        return undefined;
    }

    /** Syncs. Resolves whether it did. */
    async sync(window) {
        // What another window has learnt is on its way.
        await turns();
        if (!window.client.state.isSignedIn) await this.in(window, client => this.signIn(client));
        const result = await this.in(this.windows[this.windows.indexOf(window)] ?? window, async client => {
            await client.sync();
            this.counts.synced++;
            return true;
        });
        return result === true;
    }

    signIn(client) {
        return client.signIn({ token: this.token });
    }

    // What happens.

    async step() {
        const window = this.pick(this.windows);
        const { steps, kill, within } = this.mix;
        if (this.below(kill) === 0) window.tab.killAt(1 + this.below(within));
        switch (this.pick(steps)) {
            case 'e': return this.edit(window);
            case 's': return this.sync(window);
            default: return this.change();
        }
    }

    async edit(window) {
        for (let count = 1 + this.below(4); count > 0; count--) {
            const { client } = window;
            if (window.tab.isDead || await this.in(window, () => this._edit(window, client)) === DEAD) return;
        }
    }

    async _edit(window, client) {
        const projects = await client.rows('projects');
        if (projects.length === 0) return;
        const { id: project_id } = this.pick(projects);
        const tasks = await client.rows('tasks', { project: project_id });
        const act = this.below(9);
        const field = FIELDS[window.browser];
        const value = `edit ${++this.counts.edits}`;
        if (act < 3 || tasks.length === 0) {
            const id = this.id('new');
            const parent = this.below(2) && tasks.length > 0 ? this.pick(tasks).id : null;
            this.mayHave(id, field, value);
            await client.insert('tasks', { id, project_id, parent, name: value, [field]: value });
            this.has(id, field, value);
            await client.insert('time_entries', { project_id, task: id, minutes: 5, entry_date: '2026-03-01' });
        } else if (act === 3) {
            await client.delete('tasks', this.pick(tasks).id);
        } else if (act === 4 && this.below(3) === 0 && this.isUserWide) {
            const id = this.id('made');
            await client.insert('projects', { id, name: value, start_date: '2026-03-01' });
        } else {
            const { id } = this.pick(tasks);
            this.mayHave(id, field, value);
            await client.update('tasks', id, { [field]: value });
            this.has(id, field, value);
        }
    }

    /** An edit begins: the tab may die before or after it is stored. */
    mayHave(id, field, value) {
        const key = `${id} ${field}`;
        this.ledger.set(key, [...this.ledger.get(key) ?? [null], value]);
    }

    has(id, field, value) {
        this.ledger.set(`${id} ${field}`, [value]);
    }

    /** Something that others do. */
    async change() {
        const { server, alice } = this;
        const project = this.pick(this.projects);
        const act = this.pick(this.mix.others);
        switch (act) {
            case 'r': return this.member(project, this.pick([...ROLES, null]));
            case 't': return this.revoke();
            case 'b': return this.restore();
            case 'p':
                this.counts.purges++;
                return server.command('purge', '--older-than', '0s');
            case 'a':
                this.counts.archived++;
                return server.api(alice, 'POST', `/projects/${project}/${this.pick(['archive', 'unarchive'])}/`)
                    .catch(() => {});
            default: return this.write(project, act === 'd');
        }
    }

    /** Somebody else writes to a project. */
    async write(project, isDelete) {
        const { server, alice } = this;
        const { results } = await server.api(alice, 'GET', `/projects/${project}/tasks/?limit=8`);
        const name = `online ${this.counts.edits}`;
        const write = results.length < 3 ? server.task(alice, project, { name })
            : isDelete ? server.api(alice, 'DELETE', `/tasks/${this.pick(results).id}/`)
                : server.api(alice, 'PATCH', `/tasks/${this.pick(results).id}/`, { name });
        return write.catch(error => assert.match(`${error}`, /project_archived|not_found/));
    }

    /** Ends bob's sessions, and gives him another token. */
    async revoke() {
        const { server, token } = this;
        this.counts.revoked++;
        this.token = await server.command('token', 'create', '--user', this.name);
        const { results } = await server.api(token, 'GET', '/auth/tokens/');
        const newest = Math.max(...results.map(({ id }) => Number(id)));
        const old = results.filter(({ id }) => Number(id) < newest);
        for (const { id } of old) await server.api(this.token, 'DELETE', `/auth/tokens/${id}/`);
    }

    /** Makes a backup or, if there is one, restores it. What came after it is gone. */
    async restore() {
        const { server, backup } = this;
        if (!backup) {
            this.backup = join(server.folder, `${this.name}-${++this.next}.db`);
            return server.command('backup', this.backup);
        }
        this.backup = null;
        this.counts.restored++;
        await server.halt();
        for (const suffix of ['-wal', '-shm']) rmSync(`${server.database}${suffix}`, { force: true });
        copyFileSync(backup, server.database);
        await server.run();
        this.token = await server.command('token', 'create', '--user', this.name);
        return undefined;
    }

    /** Gives bob a role, or takes the project from him. */
    async member(project, role) {
        const { server, alice, bob } = this;
        const { results } = await server.api(alice, 'GET', `/projects/${project}/memberships/`);
        const known = results.find(row => row.user === bob);
        await server.api(alice, 'POST', `/projects/${project}/unarchive/`).catch(() => {});
        this.counts[role ? 'roles' : 'lost']++;
        if (role) return server.member(project, this.name, role);
        return known && server.api(alice, 'DELETE', `/memberships/${known.id}/`);
    }

    // The run.

    async run() {
        await this.begin();
        for (let step = 0; step < this.steps; step++) await this.step();
        await this.heal();
        await this.check();
        await this.end();
    }

    async begin() {
        const { server, alice } = this;
        this.token = await server.user(this.name);
        this.bob = (await server.api(this.token, 'GET', '/auth/me/')).id;
        this.projects = [];
        for (const name of ['Boat', 'Shed', 'Pier']) {
            const id = await server.project(alice, name);
            for (let task = 0; task < 4; task++) await server.task(alice, id, { id: `${id}-${task}`, name });
            if (name !== 'Pier') await server.member(id, this.name, 'member');
            this.projects.push(id);
        }
        for (const browser of [0, 0, 1]) this.windows.push(await this.window(browser));
        for (const window of [...this.windows]) await this.sync(window);
    }

    /** All trouble ends. Then everybody syncs. */
    async heal() {
        this.isNoisy = this.network.isNoisy = false;
        for (const window of [...this.windows]) {
            window.tab.killAt(Infinity);
            if (window.tab.isDead) this.windows[this.windows.indexOf(window)] = await this.window(window.browser);
        }
        for (const [index, project] of this.projects.entries()) {
            await this.member(project, index === 1 ? null : 'member');
        }
        for (let round = 0; round < 4; round++) {
            for (const window of [...this.windows]) assert.ok(await this.settled(window), this.label('does not sync'));
        }
    }

    /** Syncs, and gives up what the server does not take. */
    async settled(window) {
        if (!await this.sync(window) && !await this.sync(window)) return false;
        for (const { collection, id, reasons } of await window.client.refused()) {
            this.given.add(id);
            assert.ok(reasons.length > 0);
            await window.client.giveUp(collection, id);
        }
        return true;
    }

    given = new Set();

    async check() {
        assert.deepEqual(this.network.wrong, [], this.label('an upload without an answer was not repeated'));
        const fresh = await this.window(this.browsers.push(new Browser()) - 1);
        this.windows.push(fresh);
        await this.signIn(fresh.client);
        await fresh.client.sync();
        const { collections } = await this.server.api(this.alice, 'GET', '/schemas/');
        const names = collections.map(({ title }) => title);
        for (const window of this.windows) {
            const label = this.label(`window ${this.windows.indexOf(window)}`);
            for (const name of names) {
                assert.deepEqual(await window.client.rows(name), await fresh.client.rows(name), `${name} of ${label}`);
            }
            const { unsent, refused } = window.client.state;
            assert.deepEqual([unsent, refused], [0, []], label);
            await this.checkShown(window, label);
        }
        // A restore takes along what was acknowledged after the backup and has reached the copies already.
        if (this.counts.restored === 0) await this.checkLedger(fresh.client);
    }

    /** Live queries have what a query finds, whichever window was told of it, or died before it told. */
    async checkShown({ client, shown }, label) {
        await turns();
        for (const query of this.queries()) {
            assert.deepEqual(shown.get(JSON.stringify(query)), await client.rows(...query), `${query[0]} live of ${label}`);
        }
    }

    /** What somebody wrote is in its row, or somebody was told. */
    async checkLedger(fresh) {
        const aside = [];
        for (const { client } of this.windows) aside.push(...await client.setAside());
        const told = new Set(aside.map(({ id }) => id));
        // Each part writes a field of its own, so nothing is in conflict, however old an edit's version is.
        assert.deepEqual(aside.filter(({ reason }) => reason === 'conflict'), [], this.label('a conflict'));
        const tasks = new Map((await fresh.rows('tasks')).map(task => [task.id, task]));
        for (const [key, values] of this.ledger) {
            const [id, field] = key.split(' ');
            const task = tasks.get(id);
            // A deletion wins over an edit, and takes it along.
            if (!task || told.has(id) || this.given.has(id)) continue;
            const label = this.label(`${key} is ${task[field]}, not one of ${values}`);
            assert.ok(values.includes(task[field] || null), label);
        }
    }

    async end() {
        for (const { client } of this.windows) await client.close();
    }

    label(what) {
        return `${what}, seed ${this.seed}, ${JSON.stringify(this.counts)}`;
    }
}

const DEAD = Symbol('dead');
