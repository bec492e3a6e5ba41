import { randomUUID } from 'node:crypto';

/** What each task has at first, and the most that one can have. */
const [POINTS, MOST] = [50, 100];

/**
 * Tasks of a bank. Points move between two of them in one batch, also from project to project; a task splits, or goes
 * into another one. The sum stays. Each row has in its notes the number of the write that it has last.
 */
export class Bank {
    /** By write: how many tasks have it. */
    sizes = [];

    /** Makes so many projects with so many tasks each. `random` returns numbers from 0 to 1. */
    static async open(server, token, { projects = 1, tasks = 12, random = Math.random } = {}) {
        const bank = new Bank();
        Object.assign(bank, { server, token, random, projects: [], points: new Map(), total: projects * tasks * POINTS });
        for (let number = 0; number < projects; number++) bank.projects.push(await server.project(token, 'Bank'));
        const created = bank.projects.flatMap(project => Array.from({ length: tasks }, () => bank._made(project)));
        bank.sizes.push(created.length);
        await bank._send({ created });
        return bank;
    }

    get isOfOne() {
        return this.projects.length === 1;
    }

    get writes() {
        return this.sizes.length - 1;
    }

    /** Writes once, after what was begun before: `move`, `split` or `join`. */
    write(kind) {
        this._writing = (this._writing ?? Promise.resolve()).then(() => this[`_${kind}`]());
        return this._writing;
    }

    /** Resolves when nothing is being written. */
    get idle() {
        return this._writing;
    }

    /** Moves points between two tasks. */
    move() {
        return this.write('move');
    }

    async _move() {
        const from = this._pick(points => points > 0);
        const to = this._pick((points, id) => points < MOST && id !== from);
        if (!from || !to) return this._split();
        const amount = Math.min(1 + this._below(10), this.points.get(from), MOST - this.points.get(to));
        this._add(from, -amount);
        this._add(to, amount);
        return this._store({ updated: [from, to] });
    }

    /** A new task gets points of another one. */
    async _split() {
        const from = this._pick(points => points > 1);
        const { id } = this._made(this.projects[this._below(this.projects.length)]);
        this.points.set(id, 1);
        this._add(from, -1);
        await this._store({ updated: [from], created: [id] });
    }

    /** A task goes, and another one gets what it had. */
    async _join() {
        const from = this._pick(points => points < POINTS);
        const to = this._pick((points, id) => from && id !== from && points + this.points.get(from) <= MOST);
        if (!to || this.points.size < 6) return this._move();
        this._add(to, this.points.get(from));
        this.points.delete(from);
        return this._store({ updated: [to], deleted: [from] });
    }

    /** What is wrong with rows that are shown; null if they can be what the bank was at some time. */
    wrong(rows) {
        const own = this.own(rows);
        const sum = own.reduce((total, row) => total + row.percent_complete, 0);
        if (sum !== this.total) return `the sum of ${own.length} tasks is ${sum}, not ${this.total}`;
        const newest = this.newest(rows);
        const halves = own.filter(({ notes }) => Number(notes) === newest).length;
        return newest > 0 && halves !== this.sizes[newest] ? `write ${newest} is in ${halves} tasks` : null;
    }

    /** The newest write that rows show. */
    newest(rows) {
        return Math.max(...this.own(rows).map(({ notes }) => Number(notes)));
    }

    own(rows) {
        return rows.filter(({ project_id: project }) => this.projects.includes(project));
    }

    _made(project_id) {
        this._next = (this._next ?? 0) + 1;
        const id = `${project_id.slice(0, 8)}-${this._next}`;
        this.points.set(id, POINTS);
        this._homes ??= new Map();
        this._homes.set(id, project_id);
        return { id, project_id, name: id, percent_complete: POINTS, notes: '0' };
    }

    _add(id, amount) {
        this.points.set(id, this.points.get(id) + amount);
    }

    _below(limit) {
        return Math.floor(this.random() * limit);
    }

    _pick(fits) {
        const ids = [...this.points.keys()].filter(id => fits(this.points.get(id), id));
        return ids[this._below(ids.length)];
    }

    _store({ updated, created = [], deleted = [] }) {
        const notes = `${this.sizes.push(updated.length + created.length) - 1}`;
        const row = id => ({ id, percent_complete: this.points.get(id), notes });
        const added = id => ({ ...row(id), project_id: this._homes.get(id), name: id });
        return this._send({ updated: updated.map(row), created: created.map(added), deleted });
    }

    _send(tasks) {
        const path = this.isOfOne ? `/projects/${this.projects[0]}/sync/` : '/sync/';
        return this.server.api(this.token, 'POST', path,
            { client_batch_id: randomUUID(), last_pulled_at: 0, changes: { tasks } });
    }
}
