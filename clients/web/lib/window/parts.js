/** The named parts of the copy as the app sees them: see index.d.ts. What they take is loaded when somebody names one. */
export class Parts {
    _named = null;

    /** See `NamedParts`. */
    constructor(replica, onChanged) {
        Object.assign(this, { replica, onChanged });
    }

    async add(...given) {
        return (await this._load()).add(...given);
    }

    async update(...given) {
        return (await this._load()).update(...given);
    }

    async remove(name) {
        return (await this._load()).remove(name);
    }

    list() {
        return this.replica.parts();
    }

    values() {
        return this._named?.values() ?? { values: {}, error: null };
    }

    look() {
        this._named?.look();
    }

    end() {
        this._named?.end();
    }

    async _load() {
        const { NamedParts } = await this.replica.loadParts();
        this._named ??= new NamedParts(this.replica, this.onChanged);
        return this._named;
    }
}
