import { listed } from '../online.js';

/**
 * The rows of a project that this browser has no copy of, as the server has them. It does for the page of members what
 * `ProjectRows` does, but follows nothing: `look` reads again.
 */
export class ServerRows {
    _maps = new Map();

    /** `memberships` is the name of that collection. `onChange` is called when rows are there, `fail` with errors. */
    constructor({ context, project, memberships, onChange, fail }) {
        Object.assign(this, { context, project, memberships, onChange, fail });
    }

    follow() {
        this.look();
    }

    rowsOf = name => this._maps.get(name);

    async look() {
        const path = `/projects/${encodeURIComponent(this.project)}/`;
        try {
            const [project, { results }] = await Promise.all([
                this.context.api('GET', path), listed(this.context, `${path}${this.memberships}/`, {}, Infinity),
            ]);
            if (this._isOver) return;
            this._maps.set('projects', new Map([[project.id, project]]));
            this._maps.set(this.memberships, new Map(results.map(row => [row.id, row])));
            this.onChange();
        } catch (error) {
            if (!this._isOver) this.fail(error);
        }
    }

    stop() {
        this._isOver = true;
    }
}
