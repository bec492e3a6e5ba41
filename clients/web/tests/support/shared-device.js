// One browser that two people share, with windows that are opened for one or the other, or for nobody as earlier apps
// did. Whatever happens, each sees their own, and what they have written reaches the server under their own name.
import assert from 'node:assert/strict';
import { TidemarkError, open } from '../../index.js';
import { Browser } from './browser.js';
import { Network } from './network.js';
import { generator } from './random.js';
import { turns } from './turns.js';

/** How often what happens: edits (e), syncs (s), switches (w), log-outs (o), others' tokens (x), ended sessions (r). */
const MIX = { steps: 'eeeesswwoxr', kill: 4, within: 80 };
const DEAD = Symbol('dead');

let devices = 0;

export class SharedDevice {
    counts = { edits: 0, kills: 0, failed: 0, switches: 0, left: 0, wiped: 0, refused: 0, ended: 0, taken: 0 };
    /** Who has written a row, by its id, and whether it must be there: a tab may have died before it was stored. */
    ledger = new Map();
    isNoisy = true;

    constructor(seed, { server, alice, steps = 40, mix = {} }) {
        Object.assign(this, { seed, server, alice, steps, mix: { ...MIX, ...mix }, name: ++devices });
        this.random = generator(seed);
        this.network = new Network(this.random);
        this.browser = new Browser();
    }

    below(limit) {
        return Math.floor(this.random() * limit);
    }

    pick(list) {
        return list[this.below(list.length)];
    }

    async run() {
        await this.begin();
        for (let step = 0; step < this.steps; step++) {
            await this.step();
            await this.look();
        }
        await this.heal();
        await this.check();
    }

    /** Somebody works with an earlier version of the app, and has not sent everything. */
    async begin() {
        const { server, alice } = this;
        this.project = await server.project(alice);
        this.users = [];
        for (const name of [`ann-${this.name}`, `bo-${this.name}`]) {
            const token = await server.user(name);
            await server.member(this.project, name, 'member');
            const { id } = await server.api(token, 'GET', '/auth/me/');
            this.users.push({ name, token, id });
        }
        this.network.isNoisy = false;
        const former = await this.window(null);
        await former.client.signIn({ token: this.users[0].token });
        await former.client.sync();
        this.windows = [former];
        await this.edit(former);
        for (const user of this.users) this.windows.push(await this.window(user));
        this.network.isNoisy = true;
    }

    /** A window for a user, or for nobody. */
    async window(user) {
        const tab = this.browser.tab();
        const opening = open({
            url: this.server.url, ...(user && { user: user.name }), network: {}, random: this.random, timeout: null,
            indexedDB: tab.indexedDB, locks: tab.locks, channel: tab.channel, wait: tab.wait, listen: false,
            fetch: tab.fetch(this.network.of(this.browser)), retry: { attempts: 3 },
        });
        return { tab, user, client: await Promise.race([opening, tab.died.then(() => null)]) };
    }

    /** Does something in a window. If its tab dies meanwhile, or its copy has gone, another one is opened. */
    async in(window, work) {
        const result = await Promise.race([work(window.client), window.tab.died.then(() => DEAD)])
            .catch(error => this.excuse(error));
        if (!window.tab.isDead && result !== 'closed') return result;
        this.counts.kills += window.tab.isDead;
        await this.replace(window, window.user);
        return DEAD;
    }

    async replace(window, user) {
        this.windows[this.windows.indexOf(window)] = await this.window(user);
    }

    /** Only what happens here may fail. A copy may have become somebody else's; its window has ended then. */
    excuse(error) {
        if (!(error instanceof TidemarkError)) throw error;
        const { code } = error;
        if (['closed', 'other_user'].includes(code)) return 'closed';
        const isNoise = this.isNoisy && /^(network|invalid_answer|http_\d+)$/.test(code);
        if (!isNoise && !['unauthorized', 'session_ended'].includes(code)) throw error;
        this.counts.failed++;
        return undefined;
    }

    async step() {
        const window = this.pick(this.windows);
        const { steps, kill, within } = this.mix;
        if (this.below(kill) === 0) window.tab.killAt(1 + this.below(within));
        const steppers = { e: 'edit', s: 'sync', w: 'switch', o: 'logOut', x: 'intrude', r: 'revoke' };
        return this[steppers[this.pick(steps)]](window);
    }

    /** Whose copy a window has; null if nobody has begun on it. */
    userOf({ client, user }) {
        const { user: owner } = client.state;
        return owner && (user ?? this.users.find(({ id }) => id === owner.id));
    }

    async edit(window) {
        const user = this.userOf(window);
        if (!user) return;
        const [task, entry] = ['task', 'entry'].map(kind => `${kind}-${user.name}-${++this.counts.edits}`);
        for (const id of [task, entry]) this.ledger.set(id, { user, isStored: false });
        await this.in(window, async client => {
            const [{ id: project_id } = {}] = await client.rows('projects');
            if (!project_id) return;
            const stored = async (collection, row) => {
                await client.insert(collection, { project_id, ...row });
                this.ledger.get(row.id).isStored = true;
            };
            await stored('tasks', { id: task, name: task });
            await stored('time_entries', { id: entry, task, minutes: 5, entry_date: '2026-03-01' });
        });
    }

    async sync(window) {
        await turns();
        const user = this.userOf(window) ?? window.user ?? this.pick(this.users);
        return this.in(window, async client => {
            if (!client.state.isSignedIn) await client.signIn({ token: user.token });
            await client.sync();
            return true;
        });
    }

    async switch(window) {
        this.counts.switches++;
        await this.in(window, client => client.close());
        if (this.windows.includes(window)) await this.replace(window, this.pick([...this.users, null]));
    }

    /** Asks. What is unsent is left behind, or the user stays. */
    logOut(window) {
        return this.in(window, async client => {
            const [unsent, setAside] = [(await client.unsent()).length, (await client.setAside()).length];
            const told = await client.signOut().catch(error => {
                if (error.code !== 'unsent_edits') throw error;
                return error;
            });
            assert.deepEqual([told.unsent, told.setAside], [unsent, setAside], this.label('what a log-out tells'));
            if (!(told instanceof TidemarkError)) return void this.counts.wiped++;
            if (this.below(3) === 0) return undefined;
            this.counts.left++;
            await client.signOut({ leavingUnsent: true });
            return undefined;
        });
    }

    /** Somebody signs in with another one's token. */
    intrude(window) {
        const user = this.userOf(window) ?? window.user;
        const other = this.users.find(each => each !== user);
        return this.in(window, async client => {
            const options = window.user ? { discard: true } : {};
            const code = await client.signIn({ token: other.token, ...options }).then(() => 'none', error => {
                if (!['other_user', 'unsent_edits'].includes(error.code)) throw error;
                return error.code;
            });
            if (code === 'none') this.counts.taken++;
            else this.counts.refused++;
            if (window.user) assert.equal(code, 'other_user', this.label('a token of another user is taken'));
        });
    }

    /** Ends the sessions of a user, who gets another token. */
    async revoke() {
        const { server } = this;
        const user = this.pick(this.users);
        const former = user.token;
        const { results } = await server.api(former, 'GET', '/auth/tokens/');
        user.token = await server.command('token', 'create', '--user', user.name);
        for (const { id } of results) await server.api(user.token, 'DELETE', `/auth/tokens/${id}/`);
        this.counts.ended++;
    }

    /** Nobody sees what another one has written for oneself. */
    async look() {
        await turns();
        for (const window of [...this.windows]) {
            const found = await this.in(window, async client => ({
                owner: client.state.user, rows: await client.rows('time_entries'),
            }));
            if (!found?.rows) continue;
            const user = window.user ?? this.users.find(({ id }) => id === found.owner?.id);
            if (window.user && found.owner) assert.equal(found.owner.id, user.id, this.label('another one\'s copy'));
            const others = found.rows.filter(({ id }) => this.ledger.get(id).user !== user);
            assert.deepEqual(others, [], this.label('rows of another one'));
        }
    }

    /** All trouble ends. Each signs in where they have been, on each of their copies. */
    async heal() {
        this.isNoisy = this.network.isNoisy = false;
        for (const window of this.windows) window.tab.kill();
        for (const user of this.users) {
            // One that is left over from before `user` comes first.
            for (let copy = 0; copy < 2; copy++) {
                const window = await this.window(user);
                this.windows = [window];
                for (let round = 0; round < 3; round++) await this.sync(window);
                const { unsent, setAside, refused } = window.client.state;
                assert.deepEqual([unsent, setAside, refused], [0, 0, []], this.label(`of ${user.name}`));
                await window.client.close();
            }
        }
    }

    async check() {
        assert.deepEqual(this.network.wrong, [], this.label('an upload without an answer was not repeated'));
        const { server, alice, project } = this;
        const { results } = await server.api(alice, 'GET', `/projects/${project}/tasks/?limit=500`);
        const there = new Map(results.map(row => [row.id, row]));
        for (const { token } of this.users) {
            const entries = await server.api(token, 'GET', `/projects/${project}/time_entries/?limit=500`);
            for (const row of entries.results) there.set(row.id, { ...row, token });
        }
        for (const [id, { user, isStored }] of this.ledger) {
            if (!there.has(id)) assert.ok(!isStored, this.label(`${id} is lost`));
            else assert.equal(await this.author(there.get(id)), user.name, this.label(`who has written ${id}`));
        }
        assert.deepEqual([...there.keys()].filter(id => !this.ledger.has(id)), []);
    }

    async author({ id, token }) {
        if (token) return this.users.find(each => each.token === token).name;
        const { results } = await this.server.api(this.alice, 'GET', `/tasks/${id}/history/`);
        return results.at(-1).user.username;
    }

    label(what) {
        return `${what}, seed ${this.seed}, ${JSON.stringify(this.counts)}`;
    }
}
