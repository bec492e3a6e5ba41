// Tasks of one or several projects that share a fixed number of points. Each batch moves some from one task to another,
// so they add up at every commit.
const EACH = 50;

export class Bank {
    /** The points of each account. */
    points = new Map();
    _opened = 0;

    /** `token` is that of a user who may write. */
    constructor(server, token) {
        Object.assign(this, { server, token });
    }

    /** Opens accounts in a project. Their ids are the project's followed by a number that no other account has. */
    async open(project, count) {
        const created = Array.from({ length: count }, () =>
            ({ id: `${project}-${this._opened++}`, project_id: project, name: 'Account', percent_complete: EACH }));
        await this.upload({ created });
        for (const { id } of created) this.points.set(id, EACH);
    }

    async close(id) {
        await this.upload({ deleted: [id] });
        this.points.delete(id);
    }

    get ids() {
        return [...this.points.keys()];
    }

    /** Moves so many points in one commit, or as many as there are and fit. */
    async move(from, to, wanted) {
        const points = Math.min(wanted, this.points.get(from), 100 - this.points.get(to));
        this.points.set(from, this.points.get(from) - points).set(to, this.points.get(to) + points);
        await this.upload({ updated: [from, to].map(id => ({ id, percent_complete: this.points.get(id) })) });
    }

    /** What a phone shows of it: `{ accounts, points }`. */
    shownBy({ database }) {
        const rows = [...database.rows('tasks').values()].filter(({ id }) => this.points.has(id));
        return { accounts: rows.length, points: rows.reduce((sum, row) => sum + row.percent_complete, 0) };
    }

    get whole() {
        return { accounts: this.points.size, points: EACH * this.points.size };
    }

    upload(tasks) {
        const body = { client_batch_id: crypto.randomUUID(), last_pulled_at: 0, changes: { tasks } };
        return this.server.api(this.token, 'POST', '/sync/', body);
    }
}
