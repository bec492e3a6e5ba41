// Tasks of one or several projects that share a fixed number of points. Each batch moves some from one task to another,
// so they add up at every commit.
const EACH = 50;

export class Bank {
    ids = [];

    /** `token` is that of a user who may write. */
    constructor(server, token) {
        Object.assign(this, { server, token });
    }

    /** Opens accounts in a project: `project-0`, `project-1` and so on. */
    async open(project, count) {
        const created = Array.from({ length: count }, (_, index) =>
            ({ id: `${project}-${index}`, project_id: project, name: 'Account', percent_complete: EACH }));
        await this.upload({ created });
        this.ids.push(...created.map(({ id }) => id));
    }

    /** Moves points in one commit. */
    async move(from, to, points) {
        const rows = await Promise.all([from, to].map(id => this.server.api(this.token, 'GET', `/tasks/${id}/`)));
        const [less, more] = rows.map(row => row.percent_complete);
        const moved = Math.min(points, less, 100 - more);
        await this.upload({ updated: [
            { id: from, percent_complete: less - moved }, { id: to, percent_complete: more + moved },
        ] });
    }

    /** What a phone shows of it: `{ accounts, points }`. */
    shownBy({ database }) {
        const rows = [...database.rows('tasks').values()].filter(({ id }) => this.ids.includes(id));
        return { accounts: rows.length, points: rows.reduce((sum, row) => sum + row.percent_complete, 0) };
    }

    get whole() {
        return { accounts: this.ids.length, points: EACH * this.ids.length };
    }

    upload(tasks) {
        const body = { client_batch_id: crypto.randomUUID(), last_pulled_at: 0, changes: { tasks } };
        return this.server.api(this.token, 'POST', '/sync/', body);
    }
}
