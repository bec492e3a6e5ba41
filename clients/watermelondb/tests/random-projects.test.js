import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TidemarkError } from '../index.js';
import { startHousehold } from './support/household.js';
import { NEW, NEW_TASK } from './support/rows.js';
import { synchronize } from './support/synchronize.js';

// Random runs of phones that hold all projects of their user, while members come and go. They must end with what a fresh
// phone has, and the server's digests must agree. SEED=… repeats a run; STEPS=… makes it longer.

const STEPS = Number(process.env.STEPS ?? 60);
const SEEDS = process.env.SEED ? [Number(process.env.SEED)] : [1, 2, Math.floor(Math.random() * 1e9)];
const ROLES = ['member', 'scheduler', 'viewer', 'admin'];

const total = { lost: 0, granted: 0, revoked: 0, told: 0, restarts: 0, killed: 0, held: 0, purges: 0, archived: 0 };
let server, alice, bob, bobsID, schema, projects, phone;

before(async () => {
    ({ server, alice, bob, schema, projects, phone } = await startHousehold({ TIDEMARK_SYNC_BATCH_MAX_ROWS: '7' }));
    bobsID = (await server.api(bob, 'GET', '/auth/me/')).id;
});
after(() => server.stop());

function generator(seed) {
    let state = BigInt(seed) + 1n;
    return below => {
        state = (state * 6364136223846793005n + 1442695040888963407n) % (1n << 64n);
        return below === 0 ? 0 : Number((state >> 33n) % BigInt(below));
    };
}

const BUSY = () => new Response('{"code": "busy", "detail": "Later.", "status": 503}', { status: 503 });

class Run {
    isNoisy = true;
    /** How many more uploads are answered so. */
    busy = 0;
    edits = 0;

    constructor(seed, ids) {
        Object.assign(this, { ids, random: generator(seed) });
    }

    pick(list) {
        return list[this.random(list.length)];
    }

    phone(token, deviceId, former) {
        const made = phone(token, {
            former, deviceId, pageSize: 1 + this.random(12), batchRows: 3 + this.random(10), retry: { attempts: 2 },
            onConflict: this.pick(['overwrite', 'reject', 'merge']),
            onAccessLost: project => this.giveUp(made, project),
        });
        made.database.isKilled = () => this.kill(made);
        return Object.assign(made, {
            deviceId, onRequest: init => this.disturb(init), onAnswer: () => this.lose(),
        });
    }

    /** Destroys what was made in the lost project and never sent, as the README says. */
    giveUp({ database }, project) {
        total.told++;
        for (const rows of database.tables().values()) {
            for (const [id, row] of rows) if (row._status === 'created' && row.project_id === project) rows.delete(id);
        }
    }

    async disturb({ method }) {
        if (!this.isNoisy) return null;
        if (this.random(14) === 0) throw new TypeError('the request is lost');
        if (method === 'POST' && this.isBusy()) return BUSY();
        if (this.random(method === 'POST' ? 3 : 8) === 0) await this.change();
        return null;
    }

    /**
     * Whether uploads are busy now; they are for a while, though pulls work. A phone whose last answer was lost then
     * pulls with a watermark that stands still.
     */
    isBusy() {
        if (this.busy === 0 && this.random(12) === 0) this.busy = 2 + this.random(12);
        if (this.busy === 0) return false;
        this.busy--;
        total.held++;
        return true;
    }

    lose() {
        if (!this.isNoisy || this.random(9)) return;
        total.lost++;
        throw new TypeError('the answer is lost');
    }

    /** Whether the app dies when a pull's rows are stored and its watermark is not. */
    kill(phone) {
        if (!this.isNoisy || this.random(5)) return false;
        total.killed++;
        phone.isDead = true;
        return true;
    }

    /** Something that others do meanwhile. */
    async change() {
        const project = this.pick(this.ids);
        const action = this.random(10);
        if (action < 3) return this.member(project, this.pick([...ROLES, null]));
        if (action === 3) {
            const verb = this.pick(['archive', 'unarchive', 'unarchive']);
            total.archived++;
            // It may be so already.
            return server.api(alice, 'POST', `/projects/${project}/${verb}/`).catch(() => {});
        }
        if (action === 4 && this.random(3) === 0) {
            total.purges++;
            return server.command('purge', '--older-than', '0s');
        }
        const { results } = await server.api(alice, 'GET', `/projects/${project}/tasks/?limit=5`);
        const values = { name: `online ${this.edits++}` };
        const write = results.length < 3 ? server.task(alice, project, values)
            : action === 5 ? server.api(alice, 'DELETE', `/tasks/${this.pick(results).id}/`)
                : server.api(alice, 'PATCH', `/tasks/${this.pick(results).id}/`, values);
        return write.catch(error => assert.match(`${error}`, /project_archived/));
    }

    /** Gives bob a role, or takes the project from him. */
    async member(project, role) {
        const { results } = await server.api(alice, 'GET', `/projects/${project}/memberships/`);
        const known = results.find(row => row.user === bobsID);
        await server.api(alice, 'POST', `/projects/${project}/unarchive/`).catch(() => {});
        if (role) {
            total.granted += known ? 0 : 1;
            return server.member(project, 'bob', role);
        }
        if (!known) return null;
        total.revoked++;
        return server.api(alice, 'DELETE', `/memberships/${known.id}/`);
    }

    edit({ database }) {
        const name = `edit ${++this.edits}`;
        const known = [...database.rows('projects').keys()];
        const tasks = [...database.rows('tasks').values()].sort((a, b) => (a.id < b.id ? -1 : 1));
        const action = this.random(7);
        if (!known.length) return;
        if (action < 2 || tasks.length < 3) {
            const project = this.pick(known);
            const [parent = null] = tasks.filter(row => row.project_id === project).map(({ id }) => id);
            const id = `r-${process.pid}-${Math.floor(performance.now() * 1000)}-${this.edits}`;
            database.create('tasks', { ...NEW_TASK, id, name, parent, project_id: project });
            const risk = { ...NEW.risks, id, title: name, task_ids: `["${id}"]`, project_id: project };
            database.create('risks', risk);
            database.create('time_entries', { ...NEW.time_entries, id, task: id, project_id: project });
        } else if (action === 2) {
            database.remove('tasks', this.pick(tasks).id);
        } else {
            database.update('tasks', this.pick(tasks).id, this.pick([{ name }, { notes: name }]));
        }
    }

    async sync(phone) {
        try {
            await phone.sync();
        } catch (error) {
            if (!phone.isDead && (!this.isNoisy || !(error instanceof TidemarkError))) throw error;
        }
    }

    revived(phone) {
        return this.phone(phone.token, phone.deviceId, phone);
    }

    async step(phones) {
        const index = this.random(phones.length);
        const phone = phones[index];
        if (phone.isDead || this.random(10) === 0) {
            total.restarts++;
            phones[index] = this.revived(phone);
            return;
        }
        if (phone.database.lastPulledAt) for (let edits = this.random(5); edits > 0; edits--) this.edit(phone);
        await this.sync(phone);
    }

    /** The user gives up what the server does not take. */
    mend({ database }) {
        for (const [name, rows] of database.tables()) {
            for (const [id, row] of rows) if (row._status === 'created') database.remove(name, id);
        }
    }
}

for (const seed of SEEDS) {
    test(`phones with all projects end with equal rows, seed ${seed}`, async () => {
        const ids = await projects(4, 'Dig', 'Pour', 'Build');
        const run = new Run(seed, ids);
        for (const id of ids.slice(1)) await server.member(id, 'bob', 'member');
        const phones = [run.phone(alice, 'a-1'), run.phone(alice, 'a-2'), run.phone(bob, 'b-1'), run.phone(bob, 'b-2')];
        for (let step = 0; step < STEPS; step++) await run.step(phones);
        run.isNoisy = false;
        for (const [index, phone] of phones.entries()) if (phone.isDead) phones[index] = run.revived(phone);
        for (const [index, id] of ids.entries()) await run.member(id, index % 2 ? 'member' : null);
        for (let round = 0; round < 5; round++) {
            for (const phone of phones) {
                await run.sync(phone);
                run.mend(phone);
            }
        }
        const fresh = new Map();
        for (const token of [alice, bob]) fresh.set(token, run.phone(token, `fresh ${token}`));
        for (const each of fresh.values()) await each.sync();
        for (const [index, each] of phones.entries()) {
            const label = `phone ${index}, seed ${seed}`;
            assert.deepEqual([each.database.hasChanges(), each.database.errors], [false, []], label);
            for (const name of Object.keys(schema)) {
                assert.equal(each.snapshot(name), fresh.get(each.token).snapshot(name), `${name} of ${label}`);
            }
            const result = await each.adapter.compare({ synchronize, database: each.database });
            assert.deepEqual(result, { isSame: true, differing: [] }, label);
        }
        const bobs = [...fresh.get(bob).database.rows('projects').keys()];
        assert.deepEqual(bobs.filter(id => ids.includes(id)).sort(), [ids[1], ids[3]].sort());
        // Later runs share the server.
        for (const id of ids) await run.member(id, null);
    });
}

test('enough happened in the random runs', { skip: SEEDS.length < 2 }, () => {
    const { purges, ...others } = total;
    assert.ok(Object.values(others).every(count => count > 0), JSON.stringify(total));
});
