// Two devices with unsent edits, others who write meanwhile, lost requests and answers, and tabs that die. Each sent
// field must name the version that was shown when its oldest unsent edit was made, and each counter must be the sum of
// what everybody has added.
import assert from 'node:assert/strict';
import { Scope } from '../../lib/common/scope.js';
import { TidemarkError } from '../../lib/common/error.js';
import { Database } from '../../lib/store/database.js';
import { Replica } from '../../lib/store/replica.js';
import { Syncer } from '../../lib/sync/syncer.js';
import { Browser } from './browser.js';
import { generator } from './random.js';
import { StandIn, schema } from './stand-in.js';

/**
 * How often what happens: of `steps`, edits (e), new rows (n), syncs (s), syncs that push first (p), and writes of
 * others (o). One request and one answer in `loss` is lost, of uploads in `lossUp`. Into one upload in `between` falls
 * another edit. One tab in `kill` dies, within so many steps.
 */
const MIX = { steps: 'eeeeensssppooo', loss: 12, lossUp: 2, between: 3, kill: 5, within: 60 };

const DEAD = Symbol('dead');

export class BaseWorld {
    counts = { edits: 0, syncs: 0, failed: 0, kills: 0, bases: 0, created: 0, between: 0 };
    server = new StandIn();
    /** By row: the sum of its counter. */
    sums = new Map();
    devices = [];
    next = 0;
    isQuiet = true;

    constructor(seed, { steps = 60, mix = {} } = {}) {
        Object.assign(this, { seed, steps, mix: { ...MIX, ...mix }, random: generator(seed) });
        this.server.onRow = (...row) => this.judge(...row);
    }

    below(limit) {
        return Math.floor(this.random() * limit);
    }

    pick(list) {
        return list[this.below(list.length)];
    }

    async run() {
        for (const id of ['a', 'b', 'c']) this.others(id);
        for (let number = 0; number < 2; number++) await this.device();
        this.isQuiet = false;
        for (let step = 0; step < this.steps; step++) await this.step();
        await this.check();
    }

    async step() {
        const device = this.pick(this.devices);
        if (this.below(this.mix.kill) === 0) device.tab.killAt(1 + this.below(this.mix.within));
        switch (this.pick(this.mix.steps)) {
            case 'e': return this.edit(device);
            case 'n': return this.insert(device);
            case 's': return this.sync(device);
            case 'p': return this.sync(device, { isFresh: true });
            default: return this.others(this.pick([...this.server.rows.keys()]));
        }
    }

    /** Somebody else adds to a counter, and renames the row. */
    others(id) {
        const { hits = 0 } = this.server.last(id)?.values ?? {};
        const more = 1 + this.below(5);
        this.add(id, more);
        this.server.write(id, { hits: hits + more, name: `theirs ${++this.next}` });
    }

    add(id, more) {
        this.sums.set(id, (this.sums.get(id) ?? 0) + more);
    }

    // Devices.

    /** Another device, synced. `bases` are the versions by row and field on which the oldest unsent edits were made. */
    async device() {
        const device = { browser: new Browser(), bases: new Map(), delivered: new Set() };
        this.devices.push(device);
        await this.open(device);
        await device.syncer.sync();
        device.id = (await device.replica.state()).device;
        return device;
    }

    open(device) {
        device.opening = this._open(device, device.tab = device.browser.tab());
        return device.opening;
    }

    async _open(device, tab) {
        const newID = () => `id-${++this.next}`;
        const database = await Database.open(tab.indexedDB, 'copy', false);
        const replica = new Replica(database, { project: null, clock: () => 1000, newID });
        await replica.prepare();
        const transport = this.transport(device, tab);
        const syncer = new Syncer({ replica, transport, scope: new Scope(null), pageSize: 1 });
        Object.assign(device, { replica, syncer });
    }

    transport(device, tab) {
        const { loss, lossUp } = this.mix;
        const through = (answer, each = loss, after = () => {}) => tab.fetch(async () => {
            this.lose(each);
            const answered = answer();
            await after();
            this.lose(each);
            return answered;
        })();
        return {
            json: () => through(schema),
            page: (path, { query }) => through(() => {
                const answer = this.server.page(query);
                for (const { id } of answer.page.changes.tasks.updated) device.delivered.add(id);
                return answer;
            }),
            upload: (path, { body }) => through(() => this.server.upload(body), lossUp, () => this.between(device)),
        };
    }

    lose(each) {
        if (!this.isQuiet && this.below(each) === 0) throw new TidemarkError('network', 'It was lost.');
    }

    /** An edit that falls between a batch and its answer. */
    between(device) {
        if (this.isQuiet || this.below(this.mix.between) > 0) return null;
        this.counts.between++;
        device.editing = this.edit(device);
        return device.editing;
    }

    /** Does something on a device. If its tab dies meanwhile, another one is opened in its place. */
    async in(device, work) {
        await device.opening;
        const { tab } = device;
        const result = await Promise.race([work(device), tab.died.then(() => DEAD)]);
        if (!tab.isDead) return result;
        // An edit may fall into an upload that dies with it.
        if (device.tab === tab) {
            this.counts.kills++;
            this.open(device);
        }
        await device.opening;
        return DEAD;
    }

    /** What the device has. A tab may die while it reads. */
    async read(device, work) {
        for (;;) {
            const found = await this.in(device, work);
            if (found !== DEAD) return found;
        }
    }

    async sync(device, options) {
        await this.in(device, async ({ syncer }) => {
            try {
                await syncer.sync(undefined, options);
                this.counts.syncs++;
            } catch (error) {
                if (error.code !== 'network') throw error;
                this.counts.failed++;
            }
        });
        await device.editing;
    }

    // Edits.

    /** Adds to a counter, or writes other fields, or both. */
    async edit(device) {
        const row = this.pick(await this.read(device, ({ replica }) => replica.rows('tasks')));
        const more = this.pick([-2, -1, 1, 3, 4]);
        const all = { name: `mine ${++this.next}`, notes: `mine ${this.next}`, hits: row.hits + more };
        const names = this.pick([['hits'], ['name'], ['notes'], ['hits', 'notes'], ['hits', 'name', 'notes']]);
        const values = Object.fromEntries(names.map(name => [name, all[name]]));
        const bases = this.edited(device, row, names);
        await this.in(device, ({ replica }) => replica.update('tasks', row.id, values));
        const after = await this.read(device, ({ replica }) => replica.row('tasks', row.id));
        if (names.some(name => after[name] !== values[name])) return;
        this.counts.edits++;
        device.bases.set(row.id, bases);
        if (names.includes('hits')) this.add(row.id, more);
    }

    /** The bases of a row after an edit of these fields: of what is not unsent yet, the version that is shown. */
    edited(device, { id, short_id: shown, _changed: unsent }, names) {
        const known = device.bases.get(id) ?? {};
        const version = shown ? Number(shown.slice(1)) : null;
        const fresh = names.filter(name => !unsent.includes(name));
        return { ...known, ...Object.fromEntries(fresh.map(name => [name, version])) };
    }

    async insert(device) {
        const id = `new-${++this.next}`;
        const hits = this.below(5);
        await this.in(device, ({ replica }) => replica.insert('tasks', { id, project_id: 'p', name: id, hits }));
        if (!await this.read(device, ({ replica }) => replica.row('tasks', id))) return;
        this.counts.created++;
        this.add(id, hits);
    }

    // What must hold.

    /** Checks a row of an upload. What was edited before any drain had the row was edited on its first version. */
    judge({ id, base_version: oldest, base_versions: bases = {}, _changed }, bucket, sender) {
        const device = this.devices.find(each => each.id === sender);
        const names = _changed.split(',').filter(name => name !== '');
        const label = this.label(`${id}: ${oldest}, ${JSON.stringify(bases)}`);
        if (bucket === 'created' || !device.delivered.has(id)) {
            assert.deepEqual([oldest, bases], [undefined, {}], label);
            return;
        }
        const known = names.map(name => [name, device.bases.get(id)[name]]);
        // The page with the row may have been lost, or is only kept.
        if (oldest === undefined && known.some(([, version]) => version === null)) return;
        this.counts.bases += Object.keys(bases).length;
        for (const [name, version] of known) assert.equal(bases[name] ?? oldest, version ?? 1, `${name} of ${label}`);
        assert.equal(oldest, Math.min(...known.map(([, version]) => version ?? 1)), label);
        assert.ok(Object.entries(bases).every(([name, each]) => names.includes(name) && each !== oldest), label);
    }

    /** All trouble ends, and everybody syncs. */
    async check() {
        this.isQuiet = true;
        for (const device of [...this.devices, ...this.devices]) {
            device.tab.killAt(Infinity);
            if (device.tab.isDead) await this.open(device);
            await this.sync(device);
        }
        for (const { replica } of this.devices) {
            assert.deepEqual(await replica.unsent(), [], this.label('something is unsent'));
            assert.deepEqual(await replica.setAside(), [], this.label('something went aside'));
            for (const { id, hits, server_version: version } of await replica.rows('tasks')) {
                const { values, version: last } = this.server.last(id);
                assert.deepEqual([hits, version], [values.hits, last], this.label(id));
                assert.equal(hits, this.sums.get(id), this.label(`the sum of ${id}`));
            }
        }
    }

    label(what) {
        return `${what}, seed ${this.seed}, ${JSON.stringify(this.counts)}`;
    }
}
