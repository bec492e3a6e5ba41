// A world in which each browser holds parts that change. In the end a copy holds what a fresh one with the same parts
// holds, its digests are the server's, and nothing that was edited is lost.
import assert from 'node:assert/strict';
import { filterOf } from '../../lib/store/state.js';
import { Browser } from './browser.js';
import { World } from './world.js';

const MIX = { steps: 'eesssssooo', others: 'rtpadeeeeeeeee', kill: 3, within: 200, cuts: 8 };
const STATUSES = ['BACKLOG', 'REVIEW'];
const DAYS = ['2026-11-02', '2026-11-16', '2026-12-01', '2026-12-20'];

export class PartWorld extends World {
    /** `isUserWide`: copies of all projects; otherwise of the first one. `mostKept`: see `MOST_KEPT`. */
    constructor(seed, { isUserWide = true, mix = {}, ...options }) {
        super(seed, { ...options, mix: { ...MIX, ...mix } });
        this.isUserWide = isUserWide;
        Object.assign(this.counts, { filters: 0, inPlace: 0, pending: 0 });
        /** What a digest found. A difference is read again, so the rows alone do not show it. */
        this.differing = [];
    }

    options() {
        return { pageSize: this.pick([1, 7, 1000]), project: this.isUserWide ? null : this.projects[0] };
    }

    /** Pages are stored in place if there are too many to keep: then a filter may be pending. */
    async window(browser) {
        const window = await super.window(browser);
        if (!window.client) return window;
        const replica = window.client._replica;
        replica.mostKept = this.pick([0, 0, 4, 20_000]);
        const { apply } = replica;
        replica.apply = async (...args) => {
            const receipt = await apply.apply(replica, args);
            if (receipt?.differing) this.differing.push(JSON.stringify(receipt.differing));
            return receipt;
        };
        return window;
    }

    async step() {
        const window = this.pick(this.windows);
        await this.note(window);
        const act = this.below(this.mix.cuts);
        return act === 0 ? this.cut(window) : act < 3 ? this.changeParts(window) : super.step();
    }

    /** A tab dies in a pull to other parts, and then others are wanted. */
    async cut(window) {
        await this.changeParts(window);
        const next = this.pick(this.windows);
        if (next.client) next.client._replica.mostKept = 0;
        next.tab.killAt(20 + this.below(150));
        await this.sync(next);
        await this.note(this.windows[0]);
        await this.changeParts(this.pick(this.windows));
        if (this.below(2) === 0) await this.change();
    }

    /** A part is named, gets another filter, or is removed. A drain may be under way in this or another window. */
    async changeParts(window) {
        this.counts.filters++;
        const name = this.pick(['one', 'two', 'three']);
        const filter = this.filter();
        const act = this.below(4);
        if (this.below(8) === 0) window.tab.killAt(1 + this.below(20));
        return this.in(window, async ({ parts }) => {
            const isThere = (await parts.list()).some(part => part.name === name);
            if (act === 0 && isThere) await parts.remove(name);
            else await parts.add(name, this.below(3) === 0 ? () => filter : filter);
        });
    }

    filter() {
        const [from, until] = [this.below(DAYS.length), this.below(DAYS.length)].sort().map(each => DAYS[each]);
        const alternatives = [
            { assignee: '@me' }, { assignee: null }, { status: this.pick(STATUSES) }, { planned_start: { from, until } },
            { sprint: this.pick(this.sprints) }, { status: { not: 'BACKLOG' }, assignee: '@me' },
        ];
        const filter = {};
        if (this.below(5) > 0) filter.tasks = [this.pick(alternatives), this.pick(alternatives)].slice(this.below(3));
        if (this.below(5) === 0) filter.time_entries = [{ entry_date: '2026-03-01' }].slice(this.below(2));
        if (!this.isUserWide || this.below(2) === 0) return filter;
        const some = this.projects.filter(() => this.below(2) === 0);
        return { ...filter, projects: this.byID ? some : [{ is_archived: this.below(3) === 0 }] };
    }

    // What is edited.

    moved() {
        return this.pick([
            () => ({ assignee: this.pick([this.bob, this.alices, null]) }), () => ({ status: this.pick(STATUSES) }),
            () => ({ planned_start: this.pick([...DAYS, null]) }), () => ({ is_milestone: this.below(2) === 0 }),
        ])();
    }

    /** As in any world, and sometimes the device moves a row in or out of its own part. */
    async _edit(window, client) {
        if (this.below(3) > 0) return super._edit(window, client);
        const tasks = await client.rows('tasks');
        if (tasks.length > 0) await client.update('tasks', this.pick(tasks).id, this.moved());
        return undefined;
    }

    /** Somebody else moves rows in and out of parts. */
    async write(project, isDelete) {
        if (isDelete || this.below(4) === 0) return super.write(project, isDelete);
        const { results } = await this.server.api(this.alice, 'GET', `/projects/${project}/tasks/?limit=50`);
        if (results.length === 0) return undefined;
        const values = this.below(4) === 0 ? this.sprintOf(project) : this.moved();
        return this.server.api(this.alice, 'PATCH', `/tasks/${this.pick(results).id}/`, values)
            .catch(error => assert.match(`${error}`, /project_archived|not_found|unknown_user/));
    }

    sprintOf(project) {
        return { sprint: this.pick([this.sprints[this.projects.indexOf(project)], null]) };
    }

    /** What happened in the copy, for the counts. */
    async note({ client, tab }) {
        if (tab.isDead) return;
        const state = await Promise.race([client._replica.state(), tab.died]);
        if (!state) return;
        if (state.drain) this.counts.inPlace++;
        if (state.target && state.target !== filterOf(state)) this.counts.pending++;
    }

    async begin() {
        const { server, alice } = this;
        this.alices = (await server.api(alice, 'GET', '/auth/me/')).id;
        this.byID = this.below(2) === 0;
        await this.makeProjects();
        for (const browser of [0, 0, 1]) this.windows.push(await this.window(browser));
        for (const window of [...this.windows]) await this.changeParts(window);
        for (const window of [...this.windows]) await this.sync(window);
    }

    async makeProjects() {
        const { server, alice } = this;
        this.token = await server.user(this.name);
        this.bob = (await server.api(this.token, 'GET', '/auth/me/')).id;
        [this.projects, this.sprints] = [[], []];
        for (const name of ['Boat', 'Shed', 'Pier']) {
            const id = await server.project(alice, name);
            await server.member(id, this.name, 'member');
            const dates = { start_date: '2026-11-02', finish_date: '2026-11-13' };
            const sprint = await server.api(alice, 'POST', `/projects/${id}/sprints/`, { name, ...dates });
            this.projects.push(id);
            this.sprints.push(sprint.id);
            for (let task = 0; task < 5; task++) await server.task(alice, id, { id: `${id}-${task}`, name, ...this.moved() });
        }
    }

    // The end.

    async heal() {
        await super.heal();
        // Bob is in all projects but one by now, so that he can lose it.
        for (const window of [...this.windows]) assert.ok(await this.settled(window), this.label('does not sync'));
    }

    /** Bob does not lose the project that a copy of one project is of. */
    async member(project, role) {
        if (!this.isUserWide && project === this.projects[0] && role === null) return undefined;
        return super.member(project, role);
    }

    async check() {
        assert.deepEqual(this.network.wrong, [], this.label('an upload without an answer was not repeated'));
        assert.deepEqual(this.differing, [], this.label('a digest differed'));
        const { collections } = await this.server.api(this.alice, 'GET', '/schemas/');
        for (const window of [...this.windows]) {
            const label = this.label(`window ${this.windows.indexOf(window)}`);
            const parts = await window.client.parts.list();
            const fresh = await this.fresh(parts);
            for (const { title } of collections) {
                const [held, due] = [await window.client.rows(title), await fresh.rows(title)];
                assert.deepEqual(held, due, `${title} of ${label}, ${JSON.stringify(parts)}`);
            }
            await this.checkState(window.client, label, parts);
            await this.checkDigests(window.client, label);
            await this.checkShown(window, label);
        }
        await this.checkLedger();
    }

    async fresh(parts) {
        const window = await this.window(this.browsers.push(new Browser()) - 1);
        for (const { name, filter } of parts) await window.client.parts.add(name, filter);
        await this.signIn(window.client);
        await window.client.sync();
        this.freshOnes = [...this.freshOnes ?? [], window];
        return window.client;
    }

    async checkState(client, label, parts) {
        const { unsent, refused } = client.state;
        assert.deepEqual([unsent, refused], [0, []], label);
        assert.ok(parts.every(({ isReady }) => isReady), `${JSON.stringify(parts)} of ${label}`);
        await client._replica.database.read(async transaction => {
            const { rows } = await client._replica._unit(transaction);
            assert.deepEqual(await rows.outside(), [], `rows outside of ${label}`);
            assert.equal((await transaction.get('meta', 'state')).target, null, `a pending filter of ${label}`);
        });
    }

    /** The digests of what the copy holds are the server's. */
    async checkDigests(client, label) {
        const filter = filterOf(await client._replica.state());
        const path = this.isUserWide ? '/sync/digest/' : `/projects/${this.projects[0]}/sync/digest/`;
        const { digest } = await this.server.api(this.token, 'GET', `${path}?filter=${encodeURIComponent(filter)}`);
        const byProject = this.isUserWide ? digest : { [this.projects[0]]: digest };
        const stored = await client._replica.database.read(transaction => transaction.all('digests'));
        const found = stored.map(({ project_id, collection, count, digest }) => [project_id, collection, count, digest]);
        const due = Object.entries(byProject).flatMap(([project, digests]) => Object.entries(digests)
            .filter(([, { count }]) => count > 0).map(([name, each]) => [project, name, each.count, each.digest]));
        assert.deepEqual(found.map(String).sort(), due.map(String).sort(), `digests of ${label}`);
    }

    /** Rows may be in no copy, so the server is asked. */
    async checkLedger() {
        const rows = [];
        for (const project of this.projects) {
            rows.push(...(await this.server.api(this.alice, 'GET', `/projects/${project}/tasks/?limit=500`)).results);
        }
        await super.checkLedger({ rows: async () => rows });
    }

    async end() {
        await super.end();
        for (const { client } of this.freshOnes ?? []) await client.close();
    }
}
