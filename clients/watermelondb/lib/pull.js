import { invalidAnswer } from './common/error.js';
import { Drains } from './drains.js';
import { Asked } from './part/asked.js';
import { Rounds } from './rounds.js';

/** Implements `pullChanges`, page by page or as one text for turbo. */
export class Pull {
    /**
     * `onLeft` is called with the id of each project that the user has lost, and with the reason; not for one that was
     * deleted from this device.
     */
    constructor({
        transport, scope, owner, schemas, filter, coverage, outbox, bases, files, pageSize, turboTimeout, onProgress,
        onLeft,
    }) {
        Object.assign(this, { transport, scope, owner, schemas, filter, coverage, outbox, bases, files });
        Object.assign(this, { pageSize, turboTimeout });
        Object.assign(this, { onProgress, onLeft });
        this.drains = new Drains({ transport, scope, streamTimeout: turboTimeout });
    }

    /**
     * Pulls. If an earlier push is not settled, the timestamp stays where it is: WatermelonDB treats the push's rows as
     * unsent and keeps its own values, so all changes must come again when these rows are synced.
     *
     * `args` has what WatermelonDB gives, and for a part what is `asked` and the `database`.
     */
    async run(args, signal) {
        const { asked = Asked.everything(args.lastPulledAt) } = args;
        const answer = await this.served(() => this.latest({ ...args, asked }, signal), signal);
        const isHeld = Boolean(args.lastPulledAt) && !await this.outbox.isEmpty();
        const handed = await this.coverage.handOver(answer, { ...args, asked, isHeld });
        return isHeld ? { ...handed, timestamp: args.lastPulledAt } : handed;
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

    /** Rounds up to a settled state. If the server refuses one of them, the rows that arrive then replace all others. */
    async latest(args, signal) {
        const rounds = new Rounds();
        for (const { asked } = args; ; asked.beginAgain()) {
            rounds.begin(asked.since);
            try {
                return await this.from(rounds, args, signal);
            } catch (error) {
                if (!error.isResync || (asked.since === 0 && rounds.isEmpty)) throw error;
                if (error.code === 'since_ahead') await this.bases.lose();
            }
        }
    }

    async from(rounds, { schemaVersion, migration, asked }, signal) {
        const { since } = rounds;
        const missing = await this.missing(since, signal);
        const wanted = await this.migration(migration, missing, since, signal);
        const answer = await this.changes(rounds, { schemaVersion, migration: wanted, asked }, signal);
        // A first sync may have been stored without its timestamp, and some of its rows deleted since. Unsent new rows
        // stay.
        if (since === 0) return { ...answer, experimentalStrategy: 'replacement' };
        return missing.length ? { ...answer, experimentalStrategy: replacing(missing) } : answer;
    }

    /** The first sync as one document that native code reads. Any other sync is pulled in pages. */
    async turbo(args, signal) {
        if (args.lastPulledAt) return this.run(args, signal);
        const request = () => {
            const query = { ...this.query(0, { ...args, asked: Asked.everything(0) }), stream: true, page_size: null };
            return this.transport.text('GET', this.scope.path, { query, signal, timeout: this.turboTimeout });
        };
        const syncJson = await this.served(request, signal);
        await this.filter.offer(0, 0);
        return { syncJson };
    }

    query(since, { schemaVersion, migration = null, asked }) {
        return {
            since, encoding: 'watermelondb', page_size: this.pageSize, schema_version: schemaVersion,
            collections: this.filter.asked?.join(',') ?? null,
            migration: since > 0 && migration ? JSON.stringify(migration) : null, ...asked.query(since),
        };
    }

    async changes(rounds, args, signal) {
        while (!rounds.isOver) {
            const drain = await this.round(rounds, args, signal);
            if (drain.timestamp < rounds.reached) {
                throw invalidAnswer(`The timestamp went back from ${rounds.reached} to ${drain.timestamp}.`);
            }
            rounds.add(drain);
        }
        await this.tell(rounds.lost);
        await this.filter.offer(rounds.since, rounds.reached);
        return rounds.answer;
    }

    /**
     * The next drain. Only the first one names the device: the server takes `since` for what the device has stored, and
     * could purge what it has not.
     */
    async round(rounds, args, signal) {
        const query = this.query(rounds.reached, rounds.isEmpty ? args : { ...args, migration: null });
        const onPage = (drain, page) => this.progress(rounds, drain, page);
        const options = { signal, isNameless: !rounds.isEmpty, onPage };
        const streamed = rounds.wantsStream ? await this.drains.streamed(query, options) : null;
        const drain = streamed ?? await this.drains.paged(query, options);
        args.asked.note(rounds.reached, drain.isFiltered);
        return drain;
    }

    progress(rounds, drain, page) {
        const total = page.progress?.total ?? null;
        this.onProgress?.({
            phase: 'pull', rows: rounds.rows + drain.rows, total: total === null ? null : rounds.rows + total,
            pages: rounds.pages + drain.count,
        });
    }

    /** Before the rows of the lost projects go. What is unsent in them is still there. */
    async tell(lost) {
        const deleted = lost.length ? await this.owner.deletedProjects() : [];
        for (const { project_id: project, code } of lost.filter(each => !deleted.includes(each.project_id))) {
            await this.onLeft?.(project, code);
        }
        for (const { project_id: project } of lost) await this.files.drop(project);
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
