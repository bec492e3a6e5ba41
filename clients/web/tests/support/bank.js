import { randomUUID } from 'node:crypto';

/** What each task has at first. */
const POINTS = 50;

/**
 * Tasks of a bank: points move between two of them in one batch, also from project to project, so their sum stays. Each
 * row has in its notes the number of the write that it has last.
 */
export class Bank {
    writes = 0;

    /** Makes so many projects with so many tasks each. `random` returns numbers from 0 to 1. */
    static async open(server, token, { projects = 1, tasks = 12, random = Math.random } = {}) {
        const bank = new Bank();
        Object.assign(bank, { server, token, random, projects: [], points: new Map(), last: new Map() });
        for (let number = 0; number < projects; number++) bank.projects.push(await server.project(token, 'Bank'));
        const created = bank.projects.flatMap(project => Array.from({ length: tasks }, (_, number) => {
            const id = `${project.slice(0, 8)}-${number}`;
            bank.points.set(id, POINTS);
            return { id, project_id: project, name: id, percent_complete: POINTS, notes: '0' };
        }));
        await bank._send({ created });
        return bank;
    }

    get isOfOne() {
        return this.projects.length === 1;
    }

    /** Moves points between two tasks. */
    async move() {
        const from = this._pick(points => points > 0);
        const to = this._pick((points, id) => points < 100 && id !== from);
        const amount = Math.min(1 + Math.floor(this.random() * 10), this.points.get(from), 100 - this.points.get(to));
        const notes = `${++this.writes}`;
        this.points.set(from, this.points.get(from) - amount);
        this.points.set(to, this.points.get(to) + amount);
        await this._send({ updated: [from, to].map(id => ({ id, percent_complete: this.points.get(id), notes })) });
    }

    /** What is wrong with rows that are shown; null if they can be what the bank was at some time. */
    wrong(rows) {
        const own = rows.filter(({ id }) => this.points.has(id));
        if (own.length !== this.points.size) return `${own.length} of ${this.points.size} tasks`;
        const sum = own.reduce((total, row) => total + row.percent_complete, 0);
        if (sum !== POINTS * own.length) return `the sum is ${sum}`;
        const newest = Math.max(...own.map(({ notes }) => Number(notes)));
        const halves = own.filter(({ notes }) => Number(notes) === newest).length;
        return newest > 0 && halves !== 2 ? `write ${newest} is in ${halves} tasks` : null;
    }

    /** The newest write that rows show. */
    newest(rows) {
        return Math.max(...rows.filter(({ id }) => this.points.has(id)).map(({ notes }) => Number(notes)));
    }

    _pick(fits) {
        const ids = [...this.points.keys()].filter(id => fits(this.points.get(id), id));
        return ids[Math.floor(this.random() * ids.length)];
    }

    _send(tasks) {
        const path = this.isOfOne ? `/projects/${this.projects[0]}/sync/` : '/sync/';
        return this.server.api(this.token, 'POST', path,
            { client_batch_id: randomUUID(), last_pulled_at: 0, changes: { tasks } });
    }
}
