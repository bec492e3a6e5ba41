/** Drains of one pull. A server that is written to all the time must not keep a phone from ever getting anything. */
const MOST_ROUNDS = 8;
/** Drains that did not count, before a stream is asked for. */
const PAGED_ROUNDS = 3;

const KINDS = ['created', 'updated', 'deleted', 'left'];

/**
 * The drains of one pull, each of which goes on from the one before, and what they have together. Each row is in here
 * once, however often it came: an id that occurs twice in one pull blocks WatermelonDB.
 */
export class Rounds {
    /** How many there were, dropped ones included. */
    count = 0;

    /** Drops everything and begins after this number. */
    begin(since) {
        Object.assign(this, { since, reached: since, isEmpty: true, isSettled: false, changes: {}, rows: 0, pages: 0 });
        this._lost = new Map();
    }

    /** Adds the drain that was asked for from `reached` on. */
    add(drain) {
        this.count++;
        Object.assign(this, { reached: drain.timestamp, isEmpty: false, isSettled: drain.counts });
        this.rows += drain.rows;
        this.pages += drain.count;
        for (const [name, bucket] of Object.entries(drain.changes)) this._merge(name, bucket);
        for (const project of drain.served) this._lost.delete(project);
        for (const loss of drain.left) this._lost.set(loss.project_id, loss);
    }

    get isOver() {
        return this.isSettled || (this.count >= MOST_ROUNDS && !this.isEmpty);
    }

    /** A stream from 0 would be everything in one text. */
    get wantsStream() {
        return this.count >= PAGED_ROUNDS && this.reached > 0;
    }

    /** The projects that the user had at some time, and has lost in the end: `{ project_id, code }`. */
    get lost() {
        return [...this._lost.values()];
    }

    /** What the app gets. */
    get answer() {
        const answer = { changes: this.changes, timestamp: this.reached };
        return this.isSettled ? answer : { ...answer, settled: false };
    }

    _merge(name, later) {
        const { changes } = this;
        changes[name] = changes[name] ? merged(changes[name], later) : { ...later };
        // In an answer from 0, what is gone was never there.
        if (this.since === 0) for (const kind of ['deleted', 'left']) if (changes[name][kind]) changes[name][kind] = [];
    }
}

/** Of each id the last word counts. */
function merged(earlier, later) {
    const kinds = KINDS.filter(kind => earlier[kind] || later[kind]);
    const ids = new Set(kinds.flatMap(kind => (later[kind] ?? []).map(idOf)));
    if (!ids.size) return earlier;
    return Object.fromEntries(kinds.map(kind =>
        [kind, [...(earlier[kind] ?? []).filter(entry => !ids.has(idOf(entry))), ...later[kind] ?? []]]));
}

const idOf = entry => entry.id ?? entry;
