import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TidemarkError, memoryStorage } from '../index.js';
import { NEW_TASK, Phone } from './support/phone.js';
import { Server } from './support/server.js';

// Random runs of three phones, which must end with equal snapshots. SEED=… repeats a run; STEPS=… makes it longer.

const STEPS = Number(process.env.STEPS ?? 30);
const SEEDS = process.env.SEED ? [Number(process.env.SEED)] : [2, 3, Math.floor(Math.random() * 1e9)];
const ROLES = ['member', 'scheduler', 'viewer', 'admin'];

const total = {};
let server, alice, bob, online, schema;

before(async () => {
    server = await Server.start({ TIDEMARK_SYNC_BATCH_MAX_ROWS: '7' });
    [alice, bob] = [await server.user('alice'), await server.user('bob')];
    // A separate credential: edits made with one's own credential do not count as conflicts.
    online = await server.command('token', 'create', '--user', 'alice');
    schema = await server.schema(alice);
});
after(() => server.stop());

function generator(seed) {
    let state = BigInt(seed) + 1n;
    return below => {
        state = (state * 6364136223846793005n + 1442695040888963407n) % (1n << 64n);
        return Number((state >> 33n) % BigInt(below));
    };
}

class Run {
    counts = {
        edits: 0, writes: 0, lost: 0, conflicts: 0, failed: {}, syncs: 0, roles: 0, restarts: 0, purges: 0, resyncs: 0,
    };
    isNoisy = true;
    /** Disturbances that are left. The limit keeps runs with small pages finite. */
    budget = 60;

    constructor(seed, project) {
        Object.assign(this, { project, random: generator(seed) });
    }

    pick(list) {
        return list[this.random(list.length)];
    }

    phone(token, device, kept = {}) {
        const storage = kept.storage ?? memoryStorage();
        const phone = new Phone(server, this.project, token, {
            schema, storage, deviceId: device, pageSize: 1 + this.random(12),
            onConflict: this.pick(['overwrite', 'reject', 'reject', 'merge']),
            batchRows: 3 + this.random(10), retry: { attempts: 2 },
        });
        Object.assign(phone, { token, device, storage });
        if (kept.database) phone.database = kept.database;
        phone.onRequest = (init, address) => this.disturb(init, address);
        phone.onAnswer = (init, response) => this.lose(response);
        return phone;
    }

    /**
     * Disturbs a request: it may be lost, or other people write before it. They write only before later pages and
     * before pushes, where it does the most harm.
     */
    async disturb(init, address) {
        if (!this.isNoisy) return;
        if (this.random(12) === 0) throw new TypeError('the request is lost');
        if (init.method !== 'POST' && !address.includes('cursor=')) return;
        if (this.random(2) || this.budget-- <= 0) return;
        for (let writes = this.random(4); writes > 0; writes--) await this.write();
        if (this.random(10) === 0) {
            this.counts.purges++;
            await server.command('purge', '--older-than', '0s');
        }
        if (this.random(12) === 0) {
            this.counts.roles++;
            await server.member(this.project, 'bob', this.pick(ROLES));
        }
    }

    lose(response) {
        if (response.status === 409) this.counts.conflicts++;
        if (response.status === 410) this.counts.resyncs++;
        if (!this.isNoisy || this.random(8)) return;
        this.counts.lost++;
        throw new TypeError('the answer is lost');
    }

    /** A write by somebody who is always online. */
    async write() {
        this.counts.writes++;
        const { results } = await server.api(online, 'GET', `/projects/${this.project}/tasks/?limit=50`);
        const action = this.random(8);
        if (action < 2 || results.length < 4) {
            return server.task(online, this.project, { name: `online ${this.counts.writes}` });
        }
        const { id } = this.pick(results.slice(0, 5));
        if (action === 2) return server.api(online, 'DELETE', `/tasks/${id}/`);
        if (action === 3) {
            const dates = { start_date: '2026-01-05', finish_date: '2026-01-16' };
            const sprint = await server.api(online, 'POST', `/projects/${this.project}/sprints/`,
                { name: 'Sprint', ...dates });
            return server.api(online, 'POST', `/projects/${this.project}/sprint_retros/`,
                { sprint: sprint.id, notes: 'retro' });
        }
        const column = this.pick(['name', 'notes']);
        return server.api(online, 'PATCH', `/tasks/${id}/`, { [column]: `online ${this.counts.writes}` });
    }

    edit({ database }) {
        const tasks = [...database.rows('tasks').keys()];
        const sprints = [null, ...database.rows('sprints').keys()];
        const name = `edit ${++this.counts.edits}`;
        const action = this.random(9);
        if (action < 2 || tasks.length < 3) {
            const id = `${this.project}-${this.counts.edits}`;
            const status = this.random(8) ? 'NOT_STARTED' : 'NO_SUCH';
            database.create('tasks', { ...NEW_TASK, id, name, status, parent: this.pick([null, ...tasks]),
                sprint: this.pick(sprints) });
        } else if (action === 2 && tasks.length > 5) {
            database.remove('tasks', this.pick(tasks));
        } else if (action === 3) {
            database.update('tasks', this.pick(tasks), { parent: this.pick([null, ...tasks]) });
        } else {
            // Everybody edits the same few tasks, to cause conflicts.
            const id = this.pick(tasks.sort().slice(0, 5));
            const values = this.pick([{ name }, { notes: name }, { name, percent_complete: this.random(120) }]);
            database.update('tasks', id, values);
        }
    }

    async sync(phone) {
        this.counts.syncs++;
        try {
            await phone.sync();
        } catch (error) {
            if (!this.isNoisy || !(error instanceof TidemarkError)) throw error;
            this.counts.failed[error.code] = (this.counts.failed[error.code] ?? 0) + 1;
        }
    }

    async step(phones) {
        const index = this.random(phones.length);
        const phone = phones[index];
        if (this.random(10) === 0) {
            this.counts.restarts++;
            phones[index] = this.phone(phone.token, phone.device, phone);
            return;
        }
        if (phone.database.lastPulledAt) for (let edits = this.random(5); edits > 0; edits--) this.edit(phone);
        await this.sync(phone);
    }

    /** The user corrects new rows that the server refused. */
    mend({ database }) {
        for (const [id, row] of database.rows('tasks')) {
            if (row._status !== 'created') continue;
            database.update('tasks', id, { status: 'BACKLOG', percent_complete: 0, parent: null, sprint: null });
        }
    }
}

for (const seed of SEEDS) {
    test(`three phones end with equal rows, seed ${seed}`, async t => {
        const project = await server.project(alice);
        await server.member(project, 'bob', 'member');
        for (let count = 0; count < 6; count++) await server.task(alice, project, { name: `task ${count}` });
        const run = new Run(seed, project);
        const phones = [run.phone(alice, 'a-1'), run.phone(alice, 'a-2'), run.phone(bob, 'b-1')];
        for (let step = 0; step < STEPS; step++) await run.step(phones);
        run.isNoisy = false;
        await server.member(project, 'bob', 'member');
        for (let round = 0; round < 4; round++) {
            for (const phone of phones) {
                await run.sync(phone);
                run.mend(phone);
            }
        }
        t.diagnostic(JSON.stringify(run.counts));
        const fresh = run.phone(bob, 'fresh');
        await fresh.sync();
        for (const [index, { database }] of phones.entries()) {
            assert.deepEqual(database.errors, [], `phone ${index}, seed ${seed}`);
            assert.equal(database.hasChanges(), false, `phone ${index} has something to push, seed ${seed}`);
        }
        for (const name of Object.keys(schema)) {
            for (const [index, phone] of phones.entries()) {
                assert.equal(phone.snapshot(name), fresh.snapshot(name), `${name} of phone ${index}, seed ${seed}`);
            }
        }
        for (const [what, count] of Object.entries(run.counts)) total[what] = (total[what] ?? 0) + count;
    });
}

test('enough went wrong', { skip: SEEDS.length < 2 }, () => {
    const { lost, writes, roles, restarts, purges } = total;
    assert.ok(lost > 0 && writes > 0 && roles + restarts + purges > 0, JSON.stringify(total));
});
