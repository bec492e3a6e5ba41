import { invalidAnswer } from './common/error.js';
import { Pages } from './common/pages.js';

/** How often a drain restarts before the pull fails. A change of role or of the server's schema causes a restart. */
const RESTARTS = 3;

/** Implements `pullChanges`, page by page or as one text for turbo. */
export class Pull {
    /**
     * `onLeft` is called with the id of each project that the user has lost, and with the reason; not for one that was
     * deleted from this device.
     */
    constructor({ transport, scope, owner, schemas, filter, outbox, pageSize, onProgress, onLeft }) {
        Object.assign(this, { transport, scope, owner, schemas, filter, outbox, pageSize, onProgress, onLeft });
    }

    /**
     * Pulls. If an earlier push is not settled, the timestamp stays where it is: WatermelonDB treats the push's rows as
     * unsent and keeps its own values, so all changes must come again when these rows are synced.
     */
    async run(args, signal) {
        const answer = await this.served(() => this.latest(args, signal), signal);
        if (!args.lastPulledAt || await this.outbox.isEmpty()) return answer;
        return { ...answer, timestamp: args.lastPulledAt };
    }

    /** Runs a pull, and once more if the app names a collection that the server does not have, or not any more. */
    async served(pull, signal) {
        try {
            return await pull();
        } catch (error) {
            if (error.code !== 'unknown_collection') throw error;
            this.schemas.forget();
            const isOther = this.filter.leaveOut(await this.schemas.collections(signal));
            if (!isOther || !this.filter.asked?.length) throw error;
        }
        return pull();
    }

    async latest({ lastPulledAt, schemaVersion, migration }, signal) {
        const since = lastPulledAt || 0;
        try {
            const missing = await this.missing(since, signal);
            const wanted = await this.migration(migration, missing, since, signal);
            const answer = await this.changes(since, { schemaVersion, migration: wanted }, signal);
            // A first sync may have been stored without its timestamp, and some of its rows deleted since.
            if (since === 0) return { ...answer, experimentalStrategy: 'replacement' };
            return missing.length ? { ...answer, experimentalStrategy: replacing(missing) } : answer;
        } catch (error) {
            if (!error.isResync) throw error;
        }
        // The rows that arrive now replace all others. Unsent new rows stay.
        return { ...await this.changes(0, { schemaVersion }, signal), experimentalStrategy: 'replacement' };
    }

    /** The first sync as one document that native code reads. Any other sync is pulled in pages. */
    async turbo(args, signal, timeout) {
        if (args.lastPulledAt) return this.run(args, signal);
        const request = () => {
            const query = { ...this.query(0, args), stream: true, page_size: null };
            return this.transport.text('GET', this.scope.path, { query, signal, timeout });
        };
        const syncJson = await this.served(request, signal);
        await this.filter.offer(0, 0);
        return { syncJson };
    }

    query(since, { schemaVersion, migration = null }) {
        return {
            since, encoding: 'watermelondb', page_size: this.pageSize, schema_version: schemaVersion,
            collections: this.filter.asked?.join(',') ?? null,
            migration: since > 0 && migration ? JSON.stringify(migration) : null,
        };
    }

    async changes(since, args, signal) {
        const { changes, timestamp, left } = await this.drain(this.query(since, args), signal);
        if (timestamp < since) throw invalidAnswer(`The timestamp went back from ${since} to ${timestamp}.`);
        const deleted = left.length ? await this.owner.deletedProjects() : [];
        for (const { project_id: project, code } of left.filter(each => !deleted.includes(each.project_id))) {
            // Before the rows of the project go. What is unsent in it is still there.
            await this.onLeft?.(project, code);
        }
        await this.filter.offer(since, timestamp);
        return { changes, timestamp };
    }

    /** All pages. Starts again from page 1 if the server no longer knows the cursor. */
    async drain(query, signal) {
        for (let restarts = 0; ; restarts++) {
            try {
                return await this.pages(query, signal);
            } catch (error) {
                if (!['invalid_cursor', 'drain_broken'].includes(error.code) || restarts === RESTARTS) throw error;
            }
        }
    }

    async pages(query, signal) {
        const pages = new Pages();
        for (let cursor = null; ;) {
            const page = await this.transport.json('GET', this.scope.path, { query: { ...query, cursor }, signal });
            pages.add(page);
            const total = page.progress?.total ?? null;
            this.onProgress?.({ phase: 'pull', rows: pages.rows, total, pages: pages.count });
            if (!page.has_more) return pages;
            if (page.next_cursor === cursor) throw invalidAnswer('A page leads to itself.');
            cursor = page.next_cursor;
        }
    }

    /** The collections that are new in the filter and that the server has. */
    async missing(since, signal) {
        const known = async () => [...(await this.schemas.collections(signal)).keys()];
        const missing = await this.filter.missing(since, known);
        if (!missing.length) return [];
        const collections = await known();
        return missing.filter(name => collections.includes(name));
    }

    /**
     * WatermelonDB's migration without tables and columns that only the app has, and with the collections in
     * `missing`. Null if nothing is left.
     */
    async migration(migration, missing, since, signal) {
        if (since === 0 || (!migration && !missing.length)) return null;
        const collections = await this.schemas.collections(signal);
        const isServed = name => collections.has(name) && (this.filter.asked?.includes(name) ?? true);
        const has = (table, column) => column === 'server_version' || collections.get(table).fields.has(column);
        // The server does not know this column as one that rows may lack: all rows are needed.
        const unfilled = (migration?.columns ?? []).filter(({ columns }) => columns.includes('project_id'));
        const tables = [...new Set([...migration?.tables ?? [], ...unfilled.map(({ table }) => table), ...missing])]
            .filter(isServed);
        const columns = (migration?.columns ?? []).filter(({ table }) => isServed(table))
            .map(({ table, columns }) => ({ table, columns: columns.filter(column => has(table, column)) }))
            .filter(({ columns }) => columns.length);
        return tables.length || columns.length ? { from: migration?.from ?? null, tables, columns } : null;
    }
}

/**
 * The pull strategy that replaces these collections. They may have rows from an earlier time when they were pulled, and
 * the server may have deleted those since.
 */
function replacing(collections) {
    return { default: 'incremental', override: Object.fromEntries(collections.map(name => [name, 'replacement'])) };
}
