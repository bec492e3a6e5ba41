/** Changes of members. They go to the server at once, since it judges them by who is a member now. */
export class MemberCalls {
    /** `collection` is the name of the collection of memberships. */
    constructor(tidemark, collection, project) {
        Object.assign(this, { tidemark, collection, project });
    }

    /** The user with exactly this name; null if there is none that the caller may find. */
    async find(username) {
        const { results } = await this.tidemark.request('GET', '/users/', { query: { username } });
        return results[0] ?? null;
    }

    /** The users that the caller knows from any project, by name. */
    async known() {
        const users = [];
        for (let after = null; ;) {
            const { results, next } = await this.tidemark.request('GET', '/users/', { query: { after, limit: 500 } });
            users.push(...results);
            if (next === null) return users.sort((one, other) => (one.username < other.username ? -1 : 1));
            after = next;
        }
    }

    add(user, role) {
        const path = `/projects/${encodeURIComponent(this.project)}/${this.collection}/`;
        return this.tidemark.request('POST', path, { body: { user, role } });
    }

    /** Both change only the version that is shown, and throw `stale_version` if somebody else was there. */
    setRole(row, role) {
        return this.tidemark.request('PATCH', this._path(row), { body: { role }, headers: ifMatch(row) });
    }

    remove(row) {
        return this.tidemark.request('DELETE', this._path(row), { headers: ifMatch(row) });
    }

    _path({ id }) {
        return `/${this.collection}/${encodeURIComponent(id)}/`;
    }
}

const ifMatch = ({ server_version: version }) => ({ 'If-Match': `"${version}"` });
