import { Database } from '../../lib/store/database.js';
import { Replica } from '../../lib/store/replica.js';
import { readPage } from '../../lib/rows/page.js';
import { Answer } from '../../lib/rows/answer.js';
import { Browser } from './browser.js';
import * as documents from './documents.js';
import { entriesOf } from './entries.js';

/** A copy in a browser without a network, and a made-up server's pages and answers for it. */
export class Copy {
    /** `options` are the replica's. `adopts` is the server's schema; null before the first pull. */
    static async open(
        browser = new Browser(), { project = null, indexes = null, adopts = documents.schema(), ...options } = {},
    ) {
        const copy = new Copy();
        let ids = 0;
        copy.tab = browser.tab();
        const database = await Database.open(copy.tab.indexedDB, 'copy', indexes !== null);
        copy.replica = new Replica(database, { project, clock: () => 1000, newID: () => `id-${++ids}`, ...options });
        Object.assign(copy, { browser, database, project });
        await copy.replica.prepare();
        if (adopts) await copy.replica.adopt(adopts);
        if (indexes) await copy.name(indexes);
        return copy;
    }

    /** Names indexes, and waits until all rows have their entries. */
    async name(indexes) {
        const module = await this.replica.indexing();
        await module.name(this.replica, indexes, error => { throw error; });
        await this.replica.naming.isMade;
    }

    entries() {
        return entriesOf(this.replica);
    }

    /** Stores a page. Returns the receipt. Unless `head` says otherwise, nothing was written meanwhile. */
    async page(json, { asked = null, schema = documents.schema(), head = json.timestamp, mayAsk = true } = {}) {
        const page = readPage(json, schema, this.project, { head });
        return this.replica.apply(page, await this.replica.state(), asked, mayAsk);
    }

    next(limits = { rows: 100, bytes: 1e6 }) {
        return this.replica.nextBatch(limits);
    }

    /** Settles a batch as applied completely, but for what `rest` says. */
    async answer(batch, timestamps, rest = {}) {
        const applied = {};
        for (const { collection, id, bucket } of batch.rows) {
            applied[collection] ??= { created: [], updated: [], deleted: [] };
            applied[collection][bucket].push(bucket === 'deleted' ? id : { id, server_version: rest.version ?? 2 });
        }
        const answer = { client_batch_id: batch.id, timestamps, applied, ...rest };
        return this.replica.settle(batch, new Answer(answer, batch.id, null));
    }

    async ids(collection = 'tasks') {
        return (await this.replica.rows(collection)).map(({ id }) => id);
    }

    row(id, collection = 'tasks') {
        return this.replica.row(collection, id);
    }

    /** The first drain: two projects, each with a task that is named for it. */
    start() {
        return this.page(documents.page({
            projects: { updated: [documents.project('p'), documents.project('q')] },
            tasks: { updated: [documents.task('p-1', 'p'), documents.task('q-1', 'q')] },
        }, 100, { heads: { p: 5, q: 6 } }));
    }
}
