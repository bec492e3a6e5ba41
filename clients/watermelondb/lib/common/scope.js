/** Timestamps of all projects begin here; those of one project stay below (docs/protocol.md). */
const USER_WIDE = 2 ** 52;

/** In the place of a project's id, which always begins with a letter or a digit. */
const ALL = '_all';

/** What a local database holds: one project, or all projects of the user. */
export class Scope {
    /** `project` is null for all projects. */
    constructor(project) {
        this.project = project;
    }

    static named(name) {
        return new Scope(name === ALL ? null : name);
    }

    get isUserWide() {
        return this.project === null;
    }

    get name() {
        return this.project ?? ALL;
    }

    /** Begins the keys in the app's storage. */
    get prefix() {
        return `tidemark:${this.name}:`;
    }

    get path() {
        return this.isUserWide ? '/sync/' : `/projects/${encodeURIComponent(this.project)}/sync/`;
    }

    /** Whether a database with this watermark can hold this. */
    gave(lastPulledAt) {
        return lastPulledAt > 0 && (lastPulledAt >= USER_WIDE) === this.isUserWide;
    }
}
