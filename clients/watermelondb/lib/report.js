const LISTS = ['skipped', 'conflicts', 'rejected', 'repaired'];

/** Collects what the answers to a push say about rows that were not applied as sent. */
export class Report {
    news = { skipped: {}, conflicts: {}, rejected: {}, repaired: {} };

    /** `kept` has the ids that were not sent at all. */
    constructor(kept = {}) {
        /** The ids that WatermelonDB must keep as unsent: `{ table: [id] }`. */
        this.rejectedIds = { ...kept };
    }

    get hasNews() {
        return LISTS.some(list => Object.keys(this.news[list]).length > 0);
    }

    /**
     * Adds an answer. `deletedLater` has the ids that a later part of the push deletes: a row that wants the unique key
     * of one of these is no news and stays unsent.
     */
    add(answer, deletedLater = {}) {
        const waits = (name, { code, existing }) => code === 'not_unique' && deletedLater[name]?.includes(existing);
        for (const list of LISTS) {
            appendAll(this.news[list], answer[list], (name, entry) => !isNoNews(list, entry) && !waits(name, entry));
        }
        for (const [name, ids] of Object.entries(answer.rejected_ids ?? {})) for (const id of ids) this.keep(name, id);
        for (const [name, entries] of Object.entries(answer.rejected ?? {})) {
            for (const entry of entries) if (waits(name, entry)) this.keep(name, entry.id);
        }
    }

    /** Adds a row that is not sent with this push. */
    keep(collection, id) {
        if (!this.rejectedIds[collection]?.includes(id)) append(this.rejectedIds, collection, [id]);
    }

    /** Tells of rows, kept already, whose collection the server has no more. */
    tellRemoved(collection, ids) {
        const detail = `The server does not have the collection ${collection} any more.`;
        const entries = ids.map(id => ({ id, field: null, code: 'collection_removed', detail }));
        append(this.news.rejected, collection, entries);
    }

    /** Adds a single row that the server accepts in no batch. It stays unsent and does not hold up the others. */
    leaveOut({ collection, id }, { code, detail }) {
        append(this.news.rejected, collection, [{ id, field: null, code, detail }]);
        append(this.rejectedIds, collection, [id]);
    }
}

/**
 * Deleting a row that was created and deleted offline is no news: the server never had it. Nor is a column that nobody
 * has set, which WatermelonDB fills with an empty text.
 */
const isNoNews = (list, { code, from }) =>
    (list === 'skipped' && code === 'not_found') || (list === 'repaired' && from === '');

function appendAll(lists, more, isWanted) {
    for (const [name, entries] of Object.entries(more ?? {})) {
        append(lists, name, entries.filter(entry => isWanted(name, entry)));
    }
}

function append(lists, name, entries) {
    if (entries.length) lists[name] = [...lists[name] ?? [], ...entries];
}
