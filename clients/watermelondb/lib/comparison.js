import { Digest } from './common/digest.js';
import { invalidAnswer } from './common/error.js';
import { EVERYTHING } from './common/filter-text.js';
import { peek } from './unsent.js';

/** Compares the rows of a local database with the server's, by their ids and versions. */
export class Comparison {
    constructor({ owner, scope, schemas, filter, coverage, outbox }, transport, device) {
        Object.assign(this, { owner, scope, schemas, filter, coverage, outbox, transport, device });
    }

    /**
     * `{ isSame, differing }`, or null if the two can't be compared now: the server has something newer, a batch has no
     * answer, a row that was deleted here is not sent, or the part is not known or too large for a digest.
     */
    async run(synchronize, database, signal) {
        await this.owner.check(signal);
        try {
            return await this.compared(synchronize, database, signal);
        } catch (error) {
            if (error.code !== 'unknown_collection') throw error;
        }
        // The server has removed a collection since the schema was requested.
        this.schemas.forget();
        return this.compared(synchronize, database, signal);
    }

    async compared(synchronize, database, signal) {
        const collections = await this.schemas.collections(signal);
        const isServed = name => collections.has(name) && (!this.filter.names || this.filter.names.includes(name));
        const local = await digests(database, isServed, await this.coverage.left());
        // Read after the rows: what was deleted meanwhile is in here.
        const { lastPulledAt, changes } = await peek(synchronize, database);
        const filter = await this.coverage.at(lastPulledAt);
        const hasDeleted = Object.keys(local).some(name => changes[name]?.deleted.length);
        if (!filter || !this.scope.gave(lastPulledAt) || hasDeleted || !await this.outbox.isEmpty()) return null;
        const theirs = await this.theirs(Object.keys(local), lastPulledAt, filter, signal);
        if (!theirs) return null;
        const differing = Object.keys(local).filter(name => !local[name].equals(theirs[name]));
        this.device.comparison = differing.length ? 'differs' : 'same';
        return { isSame: !differing.length, differing };
    }

    /** The server's digests of these collections, of all projects together; null unless they are of this watermark. */
    async theirs(names, lastPulledAt, filter, signal) {
        if (!names.length) return null;
        const isPart = filter !== EVERYTHING;
        const request = { query: { collections: names.join(','), filter: isPart ? filter : null }, signal };
        const { timestamp, digest } = await this.transport.json('GET', `${this.scope.path}digest/`, request) ?? {};
        if (timestamp !== lastPulledAt) return null;
        const parts = this.scope.isUserWide ? Object.values(digest ?? {}) : [digest];
        if (isPart && (!digest || parts.includes(null))) return null;
        const sums = Object.fromEntries(names.map(name => [name, new Digest()]));
        for (const part of parts) {
            for (const name of names) {
                if (typeof part?.[name]?.digest !== 'string') throw invalidAnswer('A digest is missing.');
                sums[name].add(part[name]);
            }
        }
        return sums;
    }
}

/**
 * The digests of the tables whose rows have a version. Without one, a table can't be compared. New rows that the server
 * does not have are left out, and so are rows in `left`.
 */
async function digests(database, isServed, left) {
    const found = {};
    for (const [name, collection] of Object.entries(database.collections.map).filter(([name]) => isServed(name))) {
        const rows = await collection.query().unsafeFetchRaw();
        if (rows.some(row => !('server_version' in row))) continue;
        found[name] = new Digest();
        const isOutside = new Set(left[name]);
        for (const { id, server_version: version, _status: status } of rows) {
            if ((status !== 'created' || version > 0) && !isOutside.has(id)) found[name].addRow(id, version);
        }
    }
    return found;
}
