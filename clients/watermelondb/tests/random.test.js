import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TidemarkError, memoryStorage } from '../index.js';
import { Phone } from './support/phone.js';
import { EDITABLE, NEW, NEW_TASK } from './support/rows.js';
import { Server } from './support/server.js';

// Random runs of three phones that edit all collections and must end with equal snapshots. SEED=… repeats a run;
// STEPS=… makes it longer.

const STEPS = Number(process.env.STEPS ?? 40);
const SEEDS = process.env.SEED ? [Number(process.env.SEED)] : [2, 3, Math.floor(Math.random() * 1e9)];
const ROLES = ['member', 'scheduler', 'viewer', 'admin'];

/** What the rows of a collection refer to. A list is a list of references. */
const REFERENCES = {
    dependencies: { predecessor: 'tasks', successor: 'tasks' }, risks: { task_ids: ['tasks'] },
    sprint_retros: { sprint: 'sprints' }, retro_action_items: { retro: 'sprint_retros', promoted_task_id: 'tasks' },
    task_suggested_assignees: { task: 'tasks' }, task_links: { task: 'tasks' },
    task_recurrence_rules: { task: 'tasks' }, time_entries: { task: 'tasks' },
};

/** The columns that the phones edit, with good and bad values. */
const VALUES = {
    calendars: { name: ['Short week', 'Long week'], hours_per_day: [6, 0] },
    sprints: { goal: ['Afloat', 'Dry'], finish_date: ['2026-01-23', '2026-01-01', 'soon'] },
    dependencies: { lag: [0, 1, 2], dep_type: ['FS', 'SS'] },
    risks: { title: ['Rain', 'Hail'], probability: [1, 2, 9], description: ['wet', 'cold'] },
    sprint_retros: { notes: ['Tea', 'Coffee'], team_visibility: ['team_only', 'project'] },
    retro_action_items: { text: ['Buy cups', 'Wash cups'], story_points: [1, 2] },
    task_suggested_assignees: { reason: ['Knows boats', ''], state: ['accepted', 'declined', 'revoked'] },
    task_links: { title: ['Plan', 'Map'], url: ['https://example.org/', 'nowhere'] },
    task_recurrence_rules: { interval: [1, 2, 3], frequency: ['DAILY', 'MONTHLY'] },
    time_entries: { minutes: [10, 20, 2000], note: ['long', 'short'] },
};

const total = {};
let server, alice, bob, online, schema, users;

before(async () => {
    server = await Server.start({ TIDEMARK_SYNC_BATCH_MAX_ROWS: '7' });
    [alice, bob] = [await server.user('alice'), await server.user('bob')];
    // A separate credential: edits made with one's own credential do not count as conflicts.
    online = await server.command('token', 'create', '--user', 'alice');
    schema = await server.schema(alice);
    users = await Promise.all([alice, bob].map(async token => (await server.api(token, 'GET', '/auth/me/')).id));
});
after(() => server.stop());

function generator(seed) {
    let state = BigInt(seed) + 1n;
    return below => {
        if (below === 0) return 0;
        state = (state * 6364136223846793005n + 1442695040888963407n) % (1n << 64n);
        return Number((state >> 33n) % BigInt(below));
    };
}

class Run {
    counts = {
        edits: 0, writes: 0, lost: 0, conflicts: 0, failed: {}, syncs: 0, roles: 0, restarts: 0, purges: 0, resyncs: 0,
        refused: {},
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
            batchRows: 3 + this.random(10), retry: { attempts: 2 }, onReport: report => this.note(report),
        });
        Object.assign(phone, { token, device, storage });
        if (kept.database) phone.database = kept.database;
        phone.onRequest = (init, address) => this.disturb(init, address);
        phone.onAnswer = (init, response) => this.lose(response);
        return phone;
    }

    note({ rejected }) {
        for (const { code } of Object.values(rejected).flat()) {
            this.counts.refused[code] = (this.counts.refused[code] ?? 0) + 1;
        }
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
        const action = this.random(10);
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
        if (action === 4) return this.writeRow('risks', { title: `online ${this.counts.writes}` });
        if (action === 5) return this.writeRow(this.pick(['risks', 'dependencies', 'task_links', 'sprints']));
        const column = this.pick(['name', 'notes']);
        return server.api(online, 'PATCH', `/tasks/${id}/`, { [column]: `online ${this.counts.writes}` });
    }

    /** Edits one of the first rows, or deletes it if there are no values. */
    async writeRow(collection, values) {
        const { results } = await server.api(online, 'GET', `/projects/${this.project}/${collection}/?limit=3`);
        if (!results.length) return;
        const { id } = this.pick(results);
        await server.api(online, values ? 'PATCH' : 'DELETE', `/${collection}/${id}/`, values);
    }

    edit(phone) {
        if (this.random(2)) this.editTask(phone);
        else this.editRow(phone, this.pick(EDITABLE.filter(name => name !== 'tasks')));
    }

    /** Creates, edits or deletes a row of any other collection. */
    editRow({ database }, collection) {
        this.counts.edits++;
        const rows = [...database.rows(collection).keys()].sort();
        const values = VALUES[collection];
        const column = this.pick(Object.keys(values));
        const action = this.random(7);
        if (action < 3 || !rows.length) {
            const id = `${this.project}-${this.counts.edits}`;
            const row = { ...NEW[collection], id, ...this.references(database, collection), suggested_user: users[1] };
            if (this.random(6) === 0) row[column] = this.pick(values[column]);
            database.create(collection, row);
        } else if (action === 3) {
            database.remove(collection, this.pick(rows));
        } else if (action === 4) {
            database.update(collection, this.pick(rows.slice(0, 3)), this.references(database, collection));
        } else {
            database.update(collection, this.pick(rows.slice(0, 3)), { [column]: this.pick(values[column]) });
        }
    }

    references(database, collection) {
        const any = name => this.pick([...database.rows(name).keys()].sort()) ?? '';
        return Object.fromEntries(Object.entries(REFERENCES[collection] ?? {}).map(([column, target]) =>
            [column, Array.isArray(target) ? JSON.stringify([any(target[0])]) : any(target)]));
    }

    editTask({ database }) {
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

    /** The user corrects new tasks that the server refused, and gives up other new rows. */
    mend({ database }) {
        for (const name of EDITABLE.filter(name => name !== 'tasks')) {
            for (const [id, row] of database.rows(name)) if (row._status === 'created') database.remove(name, id);
        }
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
        const [alices, bobs] = [run.phone(alice, 'fresh-a'), run.phone(bob, 'fresh-b')];
        await alices.sync();
        await bobs.sync();
        for (const [index, { database }] of phones.entries()) {
            assert.deepEqual(database.errors, [], `phone ${index}, seed ${seed}`);
            assert.equal(database.hasChanges(), false, `phone ${index} has something to push, seed ${seed}`);
        }
        for (const name of Object.keys(schema)) {
            for (const [index, phone] of phones.entries()) {
                const fresh = phone.token === bob ? bobs : alices;
                assert.equal(phone.snapshot(name), fresh.snapshot(name), `${name} of phone ${index}, seed ${seed}`);
            }
            if (name !== 'time_entries') assert.equal(alices.snapshot(name), bobs.snapshot(name), name);
            total[name] = (total[name] ?? 0) + alices.database.rows(name).size + bobs.database.rows(name).size;
        }
        for (const what of ['lost', 'writes', 'roles', 'restarts', 'purges']) {
            total[what] = (total[what] ?? 0) + run.counts[what];
        }
    });
}

test('enough went wrong', { skip: SEEDS.length < 2 }, () => {
    const { lost, writes, roles, restarts, purges } = total;
    assert.ok(EDITABLE.filter(name => total[name] > 0).length > 6, JSON.stringify(total));
    assert.ok(lost > 0 && writes > 0 && roles + restarts + purges > 0, JSON.stringify(total));
});
