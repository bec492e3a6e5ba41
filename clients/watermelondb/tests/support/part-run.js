import assert from 'node:assert/strict';
import { TidemarkError, memoryStorage } from '../../index.js';
import { Phone } from './phone.js';
import { NEW, NEW_TASK } from './rows.js';
import { synchronize } from './synchronize.js';

// A random run of bob's two phones with named parts, while alice moves rows in and out of them, and filters change. In
// the end each phone has what a fresh one with the same parts has, and every edit has arrived.

const HOUR = 3_600_000;

/** What happens, as chances from 0 to 1. */
const MIX = {
    lost: 0.05, answers: 0.05, kills: 0.04, between: 0.1, writes: 0.3, purges: 0.02, wiped: 0.03, renames: 0.25,
};

function generator(seed) {
    let state = BigInt(seed) + 1n;
    return below => {
        state = (state * 6364136223846793005n + 1442695040888963407n) % (1n << 64n);
        return below === 0 ? 0 : Number((state >> 33n) % BigInt(below));
    };
}

export class PartRun {
    counts = {
        edits: 0, writes: 0, kills: 0, restarts: 0, wiped: 0, purges: 0, filters: 0, pulls: 0, stayed: 0, archived: 0,
    };
    isNoisy = true;
    now = 1000 * HOUR;
    /** The last text that a phone wrote into a column that only it writes, by `id column`. */
    written = new Map();
    /** The ids of rows that alice has deleted. */
    deleted = new Set();
    rows = 0;

    /** `isUserWide`: bob's phones hold all their projects. `mix` has chances other than the usual ones. */
    constructor(seed, { server, alice, bob, bobsID, schema, isUserWide = false, mix = {} }) {
        Object.assign(this, { server, alice, bob, bobsID, schema, isUserWide, mix: { ...MIX, ...mix } });
        this.random = generator(seed);
    }

    pick(list) {
        return list[this.random(list.length)];
    }

    happens(what) {
        return this.random(1000) < this.mix[what] * 1000;
    }

    async run(steps = 40) {
        this.projects = [];
        for (let number = 0; number < (this.isUserWide ? 3 : 1); number++) {
            const id = await this.server.project(this.alice);
            await this.server.member(id, 'bob', 'member');
            this.projects.push(id);
            for (let count = 0; count < 6; count++) await this.task(id);
        }
        const phones = [this.phone(0), this.phone(1)];
        for (let step = 0; step < steps; step++) await this.step(phones);
        await this.end(phones);
        for (const id of this.projects) await this.leave(id);
    }

    /** A column that filters look at. */
    values() {
        return this.pick([
            { assignee: this.bobsID }, { assignee: this.bobsID }, { assignee: null },
            { is_milestone: this.random(2) === 0 },
            { status: this.pick(['NOT_STARTED', 'IN_PROGRESS', 'COMPLETE']) },
            { planned_start: `2026-0${1 + this.random(6)}-15` },
        ]);
    }

    /** Its id begins with the project's, which is another one in each run. */
    task(project) {
        const number = this.rows++;
        const id = `${project}-online-${number}`;
        return this.server.task(this.alice, project, { id, name: `task ${number}`, ...this.values() });
    }

    /** In an order that is the same each time a run is repeated. */
    ordered(rows) {
        const place = ({ id }) =>
            [Number(id.slice(id.lastIndexOf('-') + 1)), this.projects.findIndex(each => id.startsWith(each))];
        const compare = (one, other) => one[0] - other[0] || one[1] - other[1];
        return [...rows].sort((one, other) => compare(place(one), place(other)));
    }

    filter() {
        const month = 1 + this.random(6);
        const alternatives = [
            { assignee: '@me' }, { assignee: '@me' }, { status: 'COMPLETE' }, { status: { not: ['NOT_STARTED'] } },
            { is_milestone: true }, { planned_start: { from: `2026-0${month}-01`, until: `2026-0${month}-28` } },
            { status: 'IN_PROGRESS', assignee: '@me' }, { planned_start: { from: `2026-0${month}-01` } },
        ];
        const filter = { tasks: this.pick([[], [{}], [this.pick(alternatives)], [this.pick(alternatives)],
            [this.pick(alternatives), this.pick(alternatives)]]) };
        if (this.random(5) === 0) delete filter.tasks;
        if (this.random(4) === 0) filter.risks = [{ status: this.pick(['OPEN', 'CLOSED']) }];
        if (this.isUserWide && this.random(3) === 0) filter.projects = [{ is_archived: false }];
        return filter;
    }

    phone(number, former = {}) {
        const storage = former.storage ?? memoryStorage();
        const made = new Phone(this.server, this.isUserWide ? undefined : this.projects[0], this.bob, {
            schema: this.schema, deviceId: `phone-${number}`, now: () => this.now,
            pageSize: 1 + this.random(12), batchRows: 3 + this.random(10), retry: { attempts: 2 },
            storage: { get: key => storage.get(key), ...this.touching(storage, () => made) },
        });
        Object.assign(made, { number, storage, parts: former.parts ?? new Map() });
        if (former.database) made.database = former.database;
        made.database.isKilled = () => this.kill(made, 'between');
        made.database.onBatch = () => void (this.kill(made, 'kills') && killed());
        made.onRequest = init => this.disturb(made, init);
        made.onAnswer = () => {
            if (made.isDead || (this.isNoisy && this.happens('answers'))) throw new TypeError('the answer is lost');
        };
        return made;
    }

    /** The storage, before and after each change of which the app may die. */
    touching(storage, phone) {
        const touch = name => async (...args) => {
            if (this.kill(phone(), 'kills')) killed();
            await storage[name](...args);
            if (this.kill(phone(), 'kills')) killed();
        };
        return { set: touch('set'), remove: touch('remove') };
    }

    kill(phone, what) {
        if (phone.isDead) return true;
        if (!this.isNoisy || !phone.isSyncing || !this.happens(what)) return false;
        this.counts.kills++;
        return phone.isDead = true;
    }

    async disturb(phone, { method }) {
        if (phone.isDead) throw new TypeError('the app is killed');
        if (!this.isNoisy) return null;
        if (this.happens('lost')) throw new TypeError('the request is lost');
        if (this.happens('writes')) await this.write();
        if (method === 'GET' && this.happens('purges')) {
            this.counts.purges++;
            await this.server.command('purge', '--older-than', '0s');
        }
        return null;
    }

    /** A write of alice's. */
    async write() {
        this.counts.writes++;
        const { server, alice } = this;
        const project = this.pick(this.projects);
        const action = this.random(12);
        if (this.isUserWide && action < 2) {
            this.counts.archived++;
            const verb = this.pick(['archive', 'unarchive']);
            // It may be so already.
            return server.api(alice, 'POST', `/projects/${project}/${verb}/`).catch(() => {});
        }
        const { results } = await server.api(alice, 'GET', `/projects/${project}/tasks/?limit=50`);
        const { id } = this.pick(this.ordered(results)) ?? {};
        const link = { task: id, url: 'https://example.org/' };
        const deletes = action === 3 && results.length > 4;
        if (deletes) this.deleted.add(id);
        const write = !id || action === 2 ? this.task(project)
            : deletes ? server.api(alice, 'DELETE', `/tasks/${id}/`)
                : action === 4 ? server.api(alice, 'POST', `/projects/${project}/task_links/`, link)
                    : server.api(alice, 'PATCH', `/tasks/${id}/`, this.values());
        return write.catch(error => assert.match(`${error}`, /project_archived|not_found/));
    }

    /** An edit on a phone, in a column that only this phone writes; or a new row. */
    edit({ database, number }) {
        const tasks = this.ordered(database.rows('tasks').values()).filter(({ _status }) => _status !== 'created');
        const text = `edit ${++this.counts.edits}`;
        const known = this.projects.filter(id => !this.isUserWide || database.rows('projects').has(id));
        const [project, action] = [this.pick(known), this.random(8)];
        if (!project) return;
        if (action < 2 || !tasks.length) {
            const id = `${this.projects[0]}-${number}-${this.counts.edits}`;
            const own = this.isUserWide ? { id, project_id: project } : { id };
            const assignee = this.pick([null, this.bobsID]);
            if (action === 0) database.create('tasks', { ...NEW_TASK, ...own, name: text, assignee });
            else database.create('risks', { ...NEW.risks, ...own, title: text, status: this.pick(['OPEN', 'CLOSED']) });
            return;
        }
        const { id } = this.pick(tasks);
        // The phone gives a row away, or takes it.
        if (action === 2) return database.update('tasks', id, { assignee: this.pick([null, this.bobsID]) });
        const column = ['notes', 'name'][number];
        // A new row whose answer is lost for good is sent whole again.
        if (id.includes('-online-')) this.written.set(`${id} ${column}`, text);
        database.update('tasks', id, { [column]: text });
    }

    async rename(phone) {
        this.counts.filters++;
        const name = this.pick(['one', 'two']);
        if (this.random(3) === 0 && phone.parts.has(name)) {
            phone.parts.delete(name);
            return phone.adapter.parts.remove(name);
        }
        const filter = this.filter();
        await phone.adapter.parts.add(name, filter, { keepHours: this.pick([0, 0, 2]) });
        phone.parts.set(name, filter);
    }

    async step(phones) {
        const index = this.random(2);
        let phone = phones[index];
        this.now += HOUR;
        if (phone.isDead || this.random(12) === 0) phone = phones[index] = await this.restarted(phone);
        if (phone.database.lastPulledAt) for (let edits = this.random(4); edits > 0; edits--) this.edit(phone);
        if (this.happens('renames')) await this.rename(phone);
        for (let writes = this.random(3); writes > 0; writes--) await this.write();
        await this.sync(phone);
    }

    /** The same app after a new start. Its storage may be gone: then it names its parts again. */
    async restarted(phone) {
        this.counts.restarts++;
        const isWiped = this.isNoisy && phone.parts.size > 0 && this.happens('wiped');
        phone.database.restart();
        const made = this.phone(phone.number, isWiped ? { ...phone, storage: memoryStorage() } : phone);
        if (isWiped) this.counts.wiped++;
        for (const [name, filter] of phone.parts) await made.adapter.parts.add(name, filter);
        return made;
    }

    async sync(phone) {
        phone.isSyncing = true;
        try {
            await phone.sync();
        } catch (error) {
            if (!phone.isDead && !(this.isNoisy && error instanceof TidemarkError)) throw error;
        } finally {
            phone.isSyncing = false;
        }
        this.counts.pulls += phone.requests.filter(({ address }) => address.includes('left=left')).length;
        phone.requests = [];
        if (Object.keys(this.leftOf(phone)).length > 0) this.counts.stayed++;
    }

    async end(phones) {
        this.isNoisy = false;
        for (const [index, phone] of phones.entries()) if (phone.isDead) phones[index] = await this.restarted(phone);
        if (this.isUserWide) {
            for (const id of this.projects) {
                await this.server.api(this.alice, 'POST', `/projects/${id}/unarchive/`).catch(() => {});
            }
        }
        this.now += 100 * HOUR;
        for (let round = 0; round < 4; round++) for (const phone of phones) await this.sync(phone);
        for (const phone of phones) await this.check(phone);
        for (const [key, text] of this.written) await this.arrived(key, text);
    }

    async check(phone) {
        const fresh = this.phone('fresh', { parts: phone.parts });
        for (const [name, filter] of phone.parts) await fresh.adapter.parts.add(name, filter);
        await fresh.sync();
        const label = `phone ${phone.number} with ${JSON.stringify([...phone.parts])}`;
        for (const name of Object.keys(this.schema)) {
            assert.equal(phone.snapshot(name), fresh.snapshot(name), `${name} of ${label}`);
        }
        const { database } = phone;
        assert.deepEqual([database.hasChanges(), database.errors, this.leftOf(phone)], [false, [], {}], label);
        const result = await phone.adapter.compare({ synchronize, database });
        assert.deepEqual(result, { isSame: true, differing: [] }, label);
    }

    /** The ids of rows that left a phone's part and may still be there. */
    leftOf({ storage }) {
        const key = `tidemark:${this.isUserWide ? '_all' : this.projects[0]}:part`;
        return JSON.parse(storage.get(key))?.left ?? {};
    }

    /**
     * The text is on the server. A row that was deleted and purged may be there again, without it: an edit of another
     * phone that comes too late makes it.
     */
    async arrived(key, text) {
        const [id, column] = key.split(' ');
        if (this.deleted.has(id)) return;
        const row = await this.server.api(this.alice, 'GET', `/tasks/${id}/`);
        assert.equal(row[column], text, `${key} has not arrived`);
    }

    /** Later runs share the server. */
    async leave(project) {
        const { results } = await this.server.api(this.alice, 'GET', `/projects/${project}/memberships/`);
        const { id } = results.find(({ user }) => user === this.bobsID);
        await this.server.api(this.alice, 'DELETE', `/memberships/${id}/`);
    }
}

function killed() {
    throw new TypeError('the app is killed');
}
