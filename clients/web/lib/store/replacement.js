/** What a drain replaces. Of these rows it names all that there are, and its versions count even if they are lower. */
export class Replacement {
    /**
     * `isWhole`: the drain began at 0. `asked`: `{ collections, projects }` that this client asked for again, or null.
     * `projects`: those that the server serves as a whole.
     */
    constructor({ isWhole = false, asked = null, projects = [] }) {
        Object.assign(this, { isWhole, asked, projects });
    }

    covers(project, collection) {
        return this.isWhole || this.projects.includes(project)
            || (this.asked?.collections.includes(collection) && this.asked.projects.includes(project)) === true;
    }

    /** The stored rows that it covers. */
    async rows(rows, schema) {
        if (this.isWhole) return (await Promise.all(schema.collections.map(({ name }) => rows.of(name)))).flat();
        const lists = this.projects.map(project => rows.ofProject(project));
        for (const project of this.asked?.projects ?? []) {
            if (this.projects.includes(project)) continue;
            lists.push(...this.asked.collections.map(collection => rows.of(collection, project)));
        }
        return (await Promise.all(lists)).flat();
    }
}
