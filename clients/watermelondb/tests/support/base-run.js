import assert from 'node:assert/strict';
import { generator } from '../../../web/tests/support/random.js';
import { TidemarkError } from '../../index.js';
import { EditBases } from './edit-bases.js';
import { accepted, problem } from './fakes.js';
import { basesOf, Ledger } from './ledger.js';
import { synchronize } from './synchronize.js';

/** What happens how often, from 0 to 1, unless a run says otherwise. */
const MIX = {
    edits: 0.15, late: 0.1, writes: 0.2, lost: 0.05, answers: 0.1, kills: 0.02, between: 0.05, restarts: 0.1,
    refused: 0.1, kept: 0.1, undone: 0.1, restores: 0.02, unknown: 0,
};

const IDS = ['t', 'a', 'b'];
const COLUMNS = ['title', 'hits', 'tags'];

/**
 * A random run of an app whose user edits while it syncs, and of somebody else who edits the same rows. Each edit that
 * the app sends has to have the base that `EditBases` has for it.
 */
export class BaseRun {
    counts = {
        sent: 0, old: 0, several: 0, doubted: 0, edits: 0, late: 0, writes: 0, lost: 0, kills: 0, starts: 0, refused: 0,
        kept: 0, undone: 0, restores: 0,
    };
    isNoisy = true;
    isDead = false;
    /** The texts of the batches by their ids. */
    batches = new Map();
    /** What was wrong with a batch. Thrown where it was found, it would be a broken connection. */
    failure = null;
    /** The next pull that is stored has the rows of a restored server. */
    isRestored = false;
    /** How many `synchronize()` run: one within the other only reads what is unsent. */
    depth = 0;
    /** What was edited after it was read, while a pull is handed over: `[id, column]`. */
    late = null;
    values = 0;

    constructor(seed, { project = 'p-1', mix = {} } = {}) {
        Object.assign(this, { random: generator(seed), mix: { ...MIX, ...mix } });
        this.ledger = new Ledger({ project });
        for (const id of IDS) this.ledger.raise(1 + this.below(5), { title: id }, id);
        const { database } = this.ledger;
        this.bases = new EditBases(database);
        database.isKilled = () => this.stored();
        const { markSynced } = database;
        database.markSynced = (...args) => {
            this.step('kills');
            markSynced.apply(database, args);
            this.bases.settled();
            this.step('kills');
        };
        Object.assign(this.ledger, {
            onRequest: request => this.before(request), onAnswer: request => this.after(request),
            instead: request => this.decide(request),
        });
        this.start();
    }

    below = number => Math.floor(this.random() * number);
    pick = list => list[this.below(list.length)];
    happens = what => this.isNoisy && this.random() < this.mix[what];

    async run(steps = 40) {
        await this.sync();
        for (let step = 0; step < steps; step++) {
            if (this.isDead || this.happens('restarts')) this.start();
            for (let edits = this.below(3); edits > 0; edits--) this.edit();
            for (let writes = this.below(3); writes > 0; writes--) this.write();
            if (this.ledger.database.lastPulledAt && this.happens('restores')) this.restore();
            await this.sync();
        }
        this.isNoisy = false;
        this.start();
        for (let round = 0; round < 3; round++) await this.sync();
        this.check();
        return this.counts;
    }

    check() {
        const { ledger: { database, rows, noted }, mix } = this;
        assert.deepEqual(database.errors.filter(error => !error.startsWith('the time went back')), []);
        if (mix.unknown) return;
        assert.deepEqual([database.hasChanges(), noted], [false, null]);
        for (const row of database.synced('tasks')) assert.deepEqual(row, rows.get(row.id));
    }

    // The user, and somebody else.

    edit() {
        const id = this.pick(IDS);
        const row = this.ledger.database.rows('tasks').get(id);
        if (!row) return;
        const column = this.happens('unknown') ? 'colour' : this.pick(COLUMNS);
        this.counts.edits++;
        this.bases.edit(id, { [column]: `edit ${++this.values}` }, row._changed.includes('colour'));
        this.late?.push([id, column]);
    }

    write() {
        this.counts.writes++;
        this.ledger.put(this.pick(IDS), { [this.pick(COLUMNS)]: `write ${++this.values}` });
    }

    restore() {
        this.counts.restores++;
        this.ledger.restore();
    }

    // The app.

    start() {
        this.counts.starts++;
        this.isDead = false;
        this.ledger.database.restart();
        const { storage } = this.ledger;
        const touch = name => async (...args) => {
            this.step('kills');
            storage[name](...args);
            this.step('kills');
            if (this.late && this.happens('late')) {
                this.counts.late++;
                this.edit();
            }
        };
        this.ledger.start({ get: storage.get, set: touch('set'), remove: touch('remove') });
    }

    async sync() {
        Object.assign(this, { late: null, isRestored: false });
        try {
            await this.ledger.sync({ synchronize: args => this.synchronize(args) });
            this.bases.cleaned();
        } catch (error) {
            if (!this.failure && !this.isDead && !(this.isNoisy && error instanceof TidemarkError)) throw error;
        }
        if (this.failure) throw this.failure;
    }

    async synchronize(args) {
        this.depth++;
        try {
            await synchronize(args);
        } finally {
            // Whatever was read: from now on the database may be edited.
            if (--this.depth === 1) this.late = [];
        }
    }

    /** WatermelonDB has stored rows, and not their timestamp yet. */
    stored() {
        if (this.isRestored) this.bases.restored();
        this.isRestored = false;
        this.bases.cleaned();
        return this.isKilled('between');
    }

    isKilled(what) {
        if (!this.isDead && this.happens(what)) {
            this.counts.kills++;
            this.isDead = true;
            for (const [id, column] of this.late ?? []) this.bases.doubt(id, column);
        }
        return this.isDead;
    }

    step(what) {
        if (this.isKilled(what)) throw new TypeError('the app is killed');
    }

    // The way to the server

    before({ method, query }) {
        this.step('kills');
        if (method === 'POST') this.late = null;
        if (this.happens('edits')) this.edit();
        if (this.happens('writes')) this.write();
        this.break('lost');
        if (Number(query.since) % 2 ** 52 < this.ledger.floor && Number(query.since) > 0) this.isRestored = true;
    }

    after({ method }) {
        this.step('kills');
        if (this.happens('edits')) this.edit();
        if (method === 'POST') this.break('answers');
    }

    break(what) {
        if (!this.happens(what)) return;
        this.counts.lost++;
        throw new TypeError('the connection is lost');
    }

    /** What the server says to an upload; null if it applies it. */
    decide(request) {
        const { client_batch_id: batch, changes: { tasks } } = request.body;
        this.judge(request.body);
        if (this.ledger.answers.has(batch)) return null;
        if (this.happens('refused')) {
            this.counts.refused++;
            return problem(403, 'read_only_token');
        }
        const ids = tasks.updated.map(({ id }) => id);
        if (this.happens('kept')) return this.refuse(request, 'kept', ids, { rejected_ids: { tasks: ids } });
        if (!this.happens('undone')) return null;
        for (const id of ids) this.ledger.commits.set(id, ++this.ledger.head);
        return this.refuse(request, 'undone', ids);
    }

    refuse(request, what, ids, rest = {}) {
        this.counts[what]++;
        const rejected = { tasks: ids.map(id => ({ id, field: null, code: 'not_now', detail: 'Not now.' })) };
        const answer = accepted(request, { rejected, ...rest });
        this.ledger.answers.set(request.body.client_batch_id, answer);
        return answer;
    }

    judge(body) {
        const { client_batch_id: id, changes: { tasks } } = body;
        const text = JSON.stringify(body);
        try {
            assert.equal(this.batches.get(id) ?? text, text, 'A batch goes again as it was.');
            if (!this.batches.has(id)) for (const row of tasks.updated) this.judgeRow(row);
        } catch (error) {
            this.failure ??= error;
        }
        this.batches.set(id, text);
    }

    judgeRow(row) {
        const [changed, oldest, others = {}] = basesOf(row);
        const columns = changed.split(',');
        const bases = columns.map(column => others[column] ?? oldest);
        assert.deepEqual(Object.keys(others).filter(column => !columns.includes(column)), [], 'Only what is sent.');
        if (oldest) {
            assert.equal(Math.min(...bases), oldest, 'base_version is the oldest.');
            assert.ok(!Object.values(others).includes(oldest), 'base_versions are other versions.');
            if (Object.keys(others).length) this.counts.several++;
        }
        for (const [index, column] of columns.entries()) {
            const expected = this.bases.of(row.id, column);
            if (!expected) {
                this.counts.doubted++;
                continue;
            }
            const base = bases[index] ?? row.server_version;
            const what = `${row.id} ${changed}: ${column} is based on ${base} and not on ${expected}`;
            assert.ok(expected.includes(base), what);
            this.counts.sent++;
            if (expected[0] < row.server_version) this.counts.old++;
        }
    }
}
