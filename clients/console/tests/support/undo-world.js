// A window that edits, goes back and forth, and another writer, who edits and deletes the same rows.
import assert from 'node:assert/strict';
import { Browser } from '../../../web/tests/support/browser.js';
import { openIn, until } from '../../../web/tests/support/open.js';
import { generator } from '../../../web/tests/support/random.js';
import { Edits } from '../../lib/edit/edits.js';

const FIELDS = ['name', 'notes'];
/**
 * How often what happens: edits, undo, redo, syncs, what the other writer does, an undo of what that has overwritten,
 * and ten seconds that pass.
 */
const STEPS = 'eeeeeuuurrssooocp';

export class UndoWorld {
    counts = { steps: 0, undone: 0, redone: 0, made: 0, waited: 0, kept: 0, left: 0, aside: 0, theirs: 0, gone: 0 };
    /** Rows that were deleted by the other writer, or in the end by the window, with those that went along. */
    _gone = new Set();
    /** The id of each row that a turn has made or deleted: none comes back. */
    _used = new Set();
    _waits = [];
    _numbers = 0;

    constructor(seed, { server, alice, bob }) {
        Object.assign(this, { seed, server, alice, bob, random: generator(seed) });
    }

    label = what => `${what}, seed ${this.seed}, ${JSON.stringify(this.counts)}`;

    async run(steps) {
        await this.begin();
        for (let step = 0; step < steps; step += 1) await this.step();
        await this.end();
    }

    async begin() {
        const { server, alice } = this;
        this.project = await server.project(alice, 'Boat');
        await server.member(this.project, 'bob', 'member');
        for (let task = 0; task < 5; task += 1) {
            await server.task(alice, this.project, { id: this.id(), name: this.value('start') });
        }
        this.client = await openIn(new Browser().tab(), server, { onConflict: 'merge' });
        await this.client.signIn({ token: alice });
        await this.client.sync();
        this.edits = new Edits(this.client, { wait: (work, milliseconds) => this.wait(work, milliseconds) });
    }

    /** Only deletions wait; questions to the server are answered before anybody is tired of them. */
    wait(work, milliseconds) {
        if (milliseconds !== 10_000) return () => {};
        this._waits.push(work);
        return () => { this._waits = this._waits.filter(each => each !== work); };
    }

    below(limit) {
        return Math.floor(this.random() * limit);
    }

    pick(list) {
        return list[this.below(list.length)];
    }

    id() {
        return `${this.project}-r${++this._numbers}`;
    }

    /** A value that nobody has written before. */
    value(who) {
        return `${who} ${++this._numbers}`;
    }

    async rows() {
        return (await this.client.rows('tasks', { project: this.project })).filter(({ id }) => !this.edits.waiting.isHidden('tasks', id));
    }

    async step() {
        switch (this.pick(STEPS)) {
            case 'e': return this.edit();
            case 'u': return this.turn('undo');
            case 'r': return this.turn('redo');
            case 's': return this.client.sync();
            case 'c': return this.cross();
            case 'p': return this.pass();
            default: return this.other();
        }
    }

    async edit() {
        const rows = await this.rows();
        const changes = Array.from({ length: 1 + this.below(4) }, () => this.change(rows));
        const name = `Step ${++this.counts.steps}`;
        if (this.below(8) === 0 && rows.length > 3) changes.push({ collection: 'tasks', id: this.pick(rows).id, delete: true });
        await this.edits.apply({ name, changes }).catch(error => assert.equal(error.code, 'deleted', this.label(error.stack)));
    }

    change(rows) {
        const value = this.value('alice');
        const parent = rows.length > 0 && this.below(2) === 0 ? this.pick(rows).id : null;
        if (rows.length === 0 || this.below(4) === 0) {
            return { collection: 'tasks', id: this.id(), insert: { project_id: this.project, name: value, parent } };
        }
        const row = this.pick(rows);
        const field = this.pick(FIELDS);
        this._touched = { id: row.id, field };
        return { collection: 'tasks', id: row.id, update: { [field]: value }, expected: { [field]: row[field] } };
    }

    async turn(kind) {
        const step = kind === 'undo' ? this.edits._done.at(-1) : this.edits._undone.at(-1);
        const report = await this.edits[kind]();
        assert.equal(report === null, step === undefined, this.label(kind));
        if (report === null) return;
        this.counts[kind === 'undo' ? 'undone' : 'redone'] += 1;
        this.counts.left += report.left.length;
        const isTold = report.left.every(({ why }) =>
            ['changed', 'gone', 'refused', 'used', 'hidden', 'deleted'].includes(why));
        assert.ok(isTold, this.label(JSON.stringify(report.left)));
        if (kind === 'redo') this.redone(step, report);
        else for (const { id, isGone } of report.rows) if (isGone) this._used.add(id);
    }

    /** New rows have come again, each under an id that was never there. */
    redone(step, report) {
        const made = report.rows.filter(({ fields, row, isGone }) => !isGone && fields.length === 0 && row?._status === 'created');
        const wanted = step.acts.filter(({ insert }) => insert).length;
        assert.equal(made.length, wanted, this.label(`of ${wanted} new rows ${made.length} came again`));
        for (const { id } of made) assert.ok(!this._used.has(id), this.label(`${id} was used up`));
        this.counts.made += made.length;
    }

    async pass() {
        this.counts.waited += this._waits.length;
        const rows = await this.client.rows('tasks', { project: this.project });
        for (const { rows: [{ id }] } of this.edits.waiting.all) below(id, rows).forEach(each => this._gone.add(each));
        this._waits.splice(0).forEach(work => work());
        await until(() => this.edits.waiting.all.every(({ isOver }) => !isOver), 'it is deleted');
    }

    /** Edits, deletes and adds rows, whatever the window knows. */
    async other() {
        const { server, bob } = this;
        const { results } = await server.api(bob, 'GET', `/projects/${this.project}/tasks/?limit=500`);
        const row = this.pick(results);
        this.counts.theirs += 1;
        if (!row) return;
        const act = this.below(8);
        if (act === 0) {
            this.counts.gone += 1;
            below(row.id, results).forEach(id => this._gone.add(id));
            await server.api(bob, 'DELETE', `/tasks/${row.id}/`);
        } else if (act === 1) {
            await server.task(bob, this.project, { id: this.id(), name: this.value('bob'), parent: row.id });
        } else if (act === 2) {
            const entry = { task: row.id, minutes: 30, entry_date: '2026-03-01' };
            await server.api(bob, 'POST', `/projects/${this.project}/time_entries/`, entry);
        } else await this.overwrite(row.id, this.pick(FIELDS));
    }

    /** The other writer is the last one, and the window knows or does not. */
    async cross() {
        await this.edit();
        await this.client.sync();
        const { id, field } = this._touched ?? {};
        if (id && await this.client.row('tasks', id)) await this.overwrite(id, field).catch(() => {});
        if (this.below(3) > 0) await this.client.sync();
        await this.turn('undo');
        await this.client.sync();
    }

    overwrite(id, field) {
        return this.server.api(this.bob, 'PATCH', `/tasks/${id}/`, { [field]: this.value('bob') });
    }

    async end() {
        const { client, server, alice } = this;
        await this.pass();
        for (let round = 0; round < 3; round += 1) await client.sync();
        assert.deepEqual([client.state.unsent, client.state.refused], [0, []], this.label('unsent'));
        const { results } = await server.api(alice, 'GET', `/projects/${this.project}/tasks/?limit=500`);
        const shown = await client.rows('tasks', { project: this.project });
        const plain = rows => rows.map(({ id, name, notes, wbs_path, parent }) => ({ id, name, notes, wbs_path, parent }))
            .sort((one, other) => (one.id < other.id ? -1 : 1));
        assert.deepEqual(plain(shown), plain(results), this.label('the rows'));
        await this.checkAside();
        for (const { id } of results) await this.checkHistory(id);
        await client.close();
    }

    /** An edit is lost only with a row that was deleted, never with one that undo has taken back. */
    async checkAside() {
        const aside = await this.client.setAside();
        this.counts.aside += aside.length;
        for (const { id, reason, values, status } of aside.filter(each => each.reason !== 'conflict')) {
            const isTheirs = [id, values.parent].some(each => this._gone.has(each));
            assert.ok(isTheirs, this.label(`${status} ${id} was set aside: ${reason}`));
        }
    }

    /** What undo and redo write once more, they write over what the window has written itself. */
    async checkHistory(id) {
        const { results } = await this.server.api(this.alice, 'GET', `/tasks/${id}/history/?limit=500`);
        const known = new Map();
        for (const { user, changes } of results.reverse()) {
            for (const [field, { before, after }] of Object.entries(changes)) {
                const former = known.get(field);
                const isTurn = former?.values.has(after);
                if (isTurn) this.counts.kept += 1;
                if (isTurn && user.username === 'alice') {
                    assert.equal(former.by, 'alice', this.label(`${field} of ${id}: ${after} over ${before}`));
                }
                known.set(field, { by: user.username, values: new Set([...former?.values ?? [], after]) });
            }
        }
    }
}

/** The ids of a row and of those below it. */
const below = (id, rows) => [id, ...rows.filter(({ parent }) => parent === id).flatMap(each => below(each.id, rows))];
