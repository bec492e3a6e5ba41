// Two windows of a user and a second device, of a bank that others write to, also between two pages.
import assert from 'node:assert/strict';
import { applyPage } from '../../lib/store/apply.js';
import { Bank } from './bank.js';
import { World } from './world.js';

/**
 * What happens: of `steps`, writes of others (o), edits of names (e), syncs (s), a window of an earlier version that
 * pulls (v). `between`: one answer to a pull in so many is followed by a write. `bare`: one has no header, `small`: one
 * window keeps few rows. One tab in `kill` dies within so many steps of its storage.
 */
const WRITES = ['move', 'move', 'split', 'join'];
const MIX = { steps: 'oooeessssv', between: 2, bare: 6, small: 5, kill: 3, within: 150 };

export class BankWorld extends World {
    looks = 0;
    /** By browser: the newest write that was shown, the last number that was asked from, and whether it is settled. */
    _seen = new Map();

    constructor(seed, { mix = {}, ...options }) {
        super(seed, { ...options, mix: { ...MIX, ...mix } });
    }

    async begin() {
        const projects = 1 + this.below(3);
        this.token = this.alice = await this.server.user(this.name);
        this.bank = await Bank.open(this.server, this.token, { projects, tasks: 6, random: this.random });
        this.network = new BankNetwork(this, this.network);
        for (const browser of [0, 0, 1]) this.windows.push(await this.window(browser));
        for (const window of [...this.windows]) await this.sync(window);
    }

    queries() {
        return [['tasks', {}]];
    }

    async window(browser) {
        const window = await super.window(browser);
        const { client } = window;
        if (client === null) return window;
        if (this.below(this.mix.small) === 0) {
            client._replica.mostKept = 1 + this.below(8);
            this.seen(browser).mayUnsettle = true;
        }
        // Live queries are told a little later than others look, so each goes by itself.
        const [told, ordered] = [{ newest: 0 }, { newest: 0 }];
        client.live('tasks', {}, rows => this._judge(told, rows, 'live'));
        client.live('tasks', { order: '-notes', limit: 1000 }, rows => this._judge(ordered, rows, 'live in order'));
        return window;
    }

    /** Every other window names an index. */
    options() {
        this._opened = (this._opened ?? 0) + 1;
        return this._opened % 2 ? {} : { indexes: { tasks: ['-notes'] } };
    }

    seen(browser) {
        if (!this._seen.has(browser)) this._seen.set(browser, { newest: 0, since: 0, isSettled: false, names: new Map() });
        return this._seen.get(browser);
    }

    // What happens.

    async step() {
        const window = this.pick(this.windows);
        const { steps, kill, within } = this.mix;
        if (this.below(kill) === 0) window.tab.killAt(1 + this.below(within));
        switch (this.pick(steps)) {
            case 'o': return this.write();
            case 'e': return this.edit(window);
            case 'v': return this.earlier(window);
            default: return this.sync(window);
        }
    }

    async write() {
        const kinds = Array.from({ length: 1 + this.below(4) }, () => this.pick(WRITES));
        await Promise.all(kinds.map(kind => this.bank.write(kind)));
    }

    /** Renames a task of this browser. */
    async _edit({ browser }, client) {
        const rows = this.bank.own(await client.rows('tasks')).filter(row => row.id.split('-').at(-1) % 2 === browser);
        if (rows.length === 0) return;
        const { id, name: former } = this.pick(rows);
        const { names } = this.seen(browser);
        const name = `name ${++this.counts.edits}`;
        names.set(id, [...names.get(id) ?? [former], name]);
        // A pull in another window may have taken it away meanwhile.
        await client.update('tasks', id, { name }).catch(error => assert.equal(error.code, 'unknown_row'));
        names.set(id, [name]);
    }

    /**
     * A window of an earlier version pulls: it stores pages in place, and overlooks what is kept. It knows no rule, so
     * nobody writes meanwhile.
     */
    async earlier(window) {
        const { _replica: replica, _hub: hub } = window.client;
        const isFree = await this.in(window, async () => (await replica.state()).drain === null);
        if (isFree !== true || !hub._leader) return;
        const own = { state: replica.state, apply: replica.apply };
        replica.state = async () => ({ ...await own.state.call(replica), kept: null });
        replica.apply = (page, known, asked = null) => replica._writeIfStill(known, async unit => {
            const { kept, unsettled } = unit.state;
            const receipt = await applyPage(unit, page, asked);
            unit.state = { ...unit.state, kept, unsettled };
            return { ...receipt, state: { ...unit.state, kept: null } };
        });
        this.network.isQuiet = true;
        await this.bank.idle;
        Object.assign(this.seen(window.browser), { since: 0, mayUnsettle: true });
        await this.sync(window);
        this.network.isQuiet = false;
        Object.assign(replica, own);
    }

    // What is shown.

    /** Looks at what a window shows. */
    async look({ browser, client }) {
        const { isSettled, rows } = await client._replica.query('tasks');
        const seen = this.seen(browser);
        if (isSettled) this._judge(seen, rows, 'rows');
        else assert.ok(!seen.isSettled || seen.mayUnsettle, this.label('it was settled'));
        seen.isSettled ||= isSettled;
    }

    _judge(seen, rows, where) {
        this.looks++;
        const newest = this.bank.newest(rows);
        const [wrong, back] = [this.bank.wrong(rows), newest < seen.newest ? `${newest} after ${seen.newest}` : null];
        const lost = rows.find(({ id, name }) => seen.names?.get(id)?.includes(name) === false);
        const what = wrong ?? back ?? (lost ? `${lost.id} is ${lost.name}, not ${seen.names.get(lost.id)}` : null);
        if (what) this.failure ??= `${where}: ${what}`;
        seen.newest = Math.max(seen.newest, newest);
    }

    /** A pull asks: it goes on from where the last one was, and never needs to be corrected. */
    asked(browser, { since, migration }) {
        const seen = this.seen(browser);
        if (migration) this.failure ??= 'A digest differs.';
        if (Number(since) < seen.since) this.failure ??= `It asks from ${since} after ${seen.since}`;
        seen.since = Number(since);
    }

    async sync(window) {
        const result = await super.sync(window);
        for (const each of this.windows) if (each.client && !each.tab.isDead) await this.in(each, () => this.look(each));
        assert.equal(this.failure ?? null, null, this.label('a look'));
        return result;
    }

    async heal() {
        this.isNoisy = this.network.isNoisy = false;
        this.network.isQuiet = true;
        for (const window of [...this.windows]) {
            window.tab.killAt(Infinity);
            if (window.tab.isDead) this.windows[this.windows.indexOf(window)] = await this.window(window.browser);
        }
        for (let round = 0; round < 3; round++) {
            for (const window of [...this.windows]) assert.ok(await this.settled(window), this.label('does not sync'));
        }
    }

    async check() {
        for (const { client } of this.windows) {
            const rows = await client.rows('tasks');
            const points = rows.filter(row => this.bank.points.has(row.id)).map(row => [row.id, row.percent_complete]);
            assert.deepEqual(points.sort(), [...this.bank.points].sort(), this.label('points'));
            assert.notEqual(client.state.settled, null, this.label('it is settled'));
        }
        await super.check();
    }

    /** Names are looked at all the time. */
    async checkLedger() {}
}

/** The network of a bank: others write after an answer to a pull, and a proxy drops its header. */
class BankNetwork {
    isQuiet = false;

    constructor(world, network) {
        Object.assign(this, { world, network });
    }

    get wrong() {
        return this.network.wrong;
    }

    set isNoisy(value) {
        this.network.isNoisy = value;
    }

    of(browser) {
        const own = this.network.of(browser);
        const { world } = this;
        const place = world.browsers.indexOf(browser);
        return async (address, init) => {
            const { pathname, searchParams } = new URL(address);
            const isPull = init.method === 'GET' && pathname.endsWith('/sync/');
            if (isPull) world.asked(place, Object.fromEntries(searchParams));
            const answer = await own(address, init);
            if (!isPull || this.isQuiet) return answer;
            if (world.below(world.mix.between) === 0) await world.write();
            return world.below(world.mix.bare) === 0 ? { ...answer, headers: new Headers() } : answer;
        };
    }
}
