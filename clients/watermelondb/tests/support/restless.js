import assert from 'node:assert/strict';
import { generator } from '../../../web/tests/support/random.js';
import { Bank } from './bank.js';
import { Phone } from './phone.js';

/** What happens how often, from 0 to 1, unless a run says otherwise; `projects` is at most how many there are. */
export const MIX = {
    projects: 3, writes: 0.6, closes: 0.1, losses: 0, roles: 0.05, purges: 0, restores: 0, headless: 0, refusals: 0.2,
    lost: 0.04, kills: 0.1,
};

const SYNCS = 6;
let worlds = 0;

/**
 * Bob's phone, which pulls while Alice writes before any of its requests. What another client of Bob's sees is noted
 * for each commit. Whatever the phone shows as settled has to be one of these states.
 */
export class Restless {
    counts = {
        settled: 0, unsettled: 0, rounds: 0, streams: 0, refused: 0, headless: 0, purges: 0, restores: 0, dropped: 0,
        told: 0, killed: 0, failed: 0,
    };
    /** What another client sees, by commit. */
    states = new Map();
    /** The phone has only some collections. */
    filter = null;
    isNoisy = true;

    constructor(seed, { server, alice, mix = {} }) {
        Object.assign(this, { seed, server, alice, mix: { ...MIX, ...mix }, random: generator(seed) });
        this.name = `w${++worlds}`;
    }

    below = number => Math.floor(this.random() * number);
    pick = list => list[this.below(list.length)];
    happens = what => this.random() < this.mix[what];

    async run() {
        await this.begin();
        for (let sync = 0; sync < SYNCS; sync++) {
            for (let writes = this.below(5); writes > 0; writes--) await this.write();
            await this.sync();
        }
        this.isNoisy = false;
        await this.sync();
        assert.equal(this.settled, true, 'A sync that nothing disturbs is settled.');
        assert.equal(this.phone.database.lastPulledAt, [...this.states.keys()].at(-1));
        return this.counts;
    }

    async begin() {
        const count = 1 + this.below(this.mix.projects);
        this.projects = Array.from({ length: count }, (_, index) => `${this.name}-${index}`);
        this.isUserWide = count > 1 || this.random() < 0.5;
        this.bob = await this.server.user(this.name);
        this.bobsID = (await this.server.api(this.bob, 'GET', '/auth/me/')).id;
        this.bank = new Bank(this.server, this.alice);
        this.memberships = new Map();
        for (const id of this.projects) {
            await this.server.api(this.alice, 'POST', '/projects/', { id, name: id, start_date: '2026-01-05' });
            await this.bank.open(id, 6);
            await this.join(id);
        }
        const project = this.isUserWide ? undefined : this.projects[0];
        if (this.random() < 0.3) this.filter = { collections: ['projects', 'tasks'] };
        this.phone = new Phone(this.server, project, this.bob, {
            pageSize: 1 + this.below(3), deviceId: this.name, onAccessLost: project => this.told.push(project),
            ...this.filter,
        });
        this.phone.database.isKilled = () => this.isNoisy && this.happens('kills') && this.kill();
        this.phone.onRequest = (init, address) => this.proxy(init, new URL(address));
        await this.note();
    }

    kill() {
        this.counts.killed++;
        return true;
    }

    // Others

    /** Does something and notes what another client sees then. */
    async write() {
        await this.change();
        await this.note();
    }

    change() {
        if (this.isUserWide && this.happens('losses')) return this.move(this.pick(this.projects));
        if (this.happens('roles')) return this.promote(this.pick([...this.memberships.keys()]));
        if (this.happens('restores')) return this.restore();
        const hasMany = this.bank.points.size > 4;
        if (hasMany && this.happens('purges')) return this.purge();
        if (hasMany && this.happens('closes')) return this.bank.close(this.pick(this.bank.ids));
        if (this.happens('closes')) return this.bank.open(this.pick(this.projects), 1);
        return this.transfer();
    }

    transfer() {
        const [from, to] = [this.pick(this.bank.ids), this.pick(this.bank.ids)];
        return from === to ? this.transfer() : this.bank.move(from, to, 1 + this.below(30));
    }

    /** Bob loses the project, or has it again. Within a drain losses are rare, since it then begins again. */
    async move(project) {
        if (!this.memberships.has(project)) return this.join(project);
        if (this.isInDrain && this.random() < 0.9) return this.transfer();
        await this.server.api(this.alice, 'DELETE', `/memberships/${this.memberships.get(project)}/`);
        this.memberships.delete(project);
    }

    async join(project) {
        const body = { user: this.bobsID, role: 100 };
        const { id } = await this.server.api(this.alice, 'POST', `/projects/${project}/memberships/`, body);
        this.memberships.set(project, id);
    }

    async promote(project) {
        if (!project) return;
        const role = this.pick([1, 100, 200]);
        await this.server.api(this.alice, 'PATCH', `/memberships/${this.memberships.get(project)}/`, { role });
    }

    /** Deletes a row, and its tombstone at once: no watermark from before is good any more. */
    async purge() {
        await this.bank.close(this.pick(this.bank.ids));
        this.counts.purges++;
        await this.server.command('purge', '--older-than', '0s');
    }

    /** The server takes its database for a backup that was put in its place. */
    async restore() {
        this.counts.restores++;
        await this.server.halt();
        await this.server.command('restored');
        await this.server.run();
    }

    /** What another client of Bob's has that pulls everything now, in one answer. */
    async note() {
        const scope = this.isUserWide ? '' : `/projects/${this.projects[0]}`;
        const filter = this.filter ? `&collections=${this.filter.collections}` : '';
        const path = `${scope}/sync/?since=0&stream=true&encoding=watermelondb${filter}`;
        const { changes, timestamp } = await this.server.api(this.bob, 'GET', path);
        this.states.set(timestamp, text(Object.entries(changes).map(([name, { updated }]) => [name, updated])));
    }

    // The way to the server

    async proxy(init, address) {
        if (init.method !== 'GET' || !address.pathname.endsWith('/sync/')) return null;
        this.isInDrain = address.searchParams.has('cursor');
        if (this.isNoisy && this.happens('writes')) await this.write();
        if (this.isNoisy && this.happens('lost')) throw new TypeError('the request is lost');
        this.rounds.add(address.searchParams.get('since'));
        if (address.searchParams.has('stream')) {
            if (this.isNoisy && this.happens('refusals')) return this.refuse();
            this.counts.streams++;
        }
        const response = await fetch(address, init);
        return this.happens('headless') ? this.strip(response) : response;
    }

    refuse() {
        this.counts.refused++;
        return new Response('{"code": "busy", "detail": "Later.", "status": 503}', { status: 503 });
    }

    strip({ status, headers, body }) {
        this.counts.headless++;
        const others = [...headers].filter(([name]) => !/^(tidemark-head|content-(encoding|length))$/i.test(name));
        return new Response(body, { status, headers: others });
    }

    // The phone

    async sync() {
        Object.assign(this, { settled: null, told: [], rounds: new Set(), before: this.shown('projects') });
        const onDidPullChanges = ({ settled = true }) => (this.settled = settled);
        try {
            await this.phone.sync({ onDidPullChanges });
        } catch (error) {
            // What happens on purpose, also a drain that could not be read to its end for all the losses meanwhile.
            if (!/killed|the request is lost|invalid_cursor/.test(error.message)) throw error;
            this.counts.failed++;
            this.phone.database.restart();
            return;
        }
        this.judge();
    }

    judge() {
        const { database } = this.phone;
        this.counts[this.settled ? 'settled' : 'unsettled']++;
        if (this.rounds.size > 1) this.counts.rounds++;
        const replaced = [...this.rounds].indexOf('0');
        // A later round was refused, not the first.
        if (replaced > 1) this.counts.dropped++;
        assert.deepEqual(database.errors, []);
        if (!this.settled) return;
        const expected = this.states.get(database.lastPulledAt);
        assert.ok(expected, `There was no commit ${database.lastPulledAt}.`);
        assert.equal(text([...database.tables().keys()].map(name => [name, database.synced(name)])), expected);
        this.judgeLosses(replaced < 0);
    }

    /** The app has heard of no project that it has, and if not everything was replaced, once of each that has gone. */
    judgeLosses(isIncremental) {
        const now = this.shown('projects');
        assert.equal(new Set(this.told).size, this.told.length);
        assert.deepEqual(this.told.filter(project => now.has(project)), []);
        if (!isIncremental) return;
        const gone = [...this.before].filter(project => !now.has(project));
        assert.deepEqual(gone.filter(project => !this.told.includes(project)), []);
        this.counts.told += this.told.length;
    }

    shown(name) {
        return new Set(this.phone.database.rows(name).keys());
    }
}

/** A text that is equal for equal rows of the same tables. Tables without rows do not count. */
function text(tables) {
    const byID = (one, other) => (one.id < other.id ? -1 : 1);
    const sorted = row => Object.fromEntries(Object.entries(row).sort());
    return JSON.stringify(tables.filter(([, rows]) => rows.length).sort()
        .map(([name, rows]) => [name, [...rows].sort(byID).map(sorted)]), null, 1);
}
