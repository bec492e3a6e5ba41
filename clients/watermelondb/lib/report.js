const LISTS = ['skipped', 'conflicts', 'rejected', 'repaired'];

/** What the answers to the batches of a push say about rows that were not applied as they were sent. */
export class Report {
    news = { skipped: {}, conflicts: {}, rejected: {}, repaired: {} };

    /** Begins with the ids that were not sent at all. */
    constructor(kept = {}) {
        /** What WatermelonDB is to keep as unsent: `{ table: [id] }`. */
        this.rejectedIds = { ...kept };
    }

    get hasNews() {
        return LISTS.some(list => Object.keys(this.news[list]).length > 0);
    }

    add(answer) {
        for (const list of LISTS) appendAll(this.news[list], answer[list], ({ code }) => !isNoNews(list, code));
        appendAll(this.rejectedIds, answer.rejected_ids);
    }

    /** A row that is not sent with this push. */
    keep(collection, id) {
        if (!this.rejectedIds[collection]?.includes(id)) append(this.rejectedIds, collection, [id]);
    }

    /** A single row that the server takes in no batch. It stays unsent, and must not hold up the others. */
    leaveOut({ collection, id }, { code, detail }) {
        append(this.news.rejected, collection, [{ id, field: null, code, detail }]);
        append(this.rejectedIds, collection, [id]);
    }
}

/** A row that was made and deleted offline is deleted as one that the server never saw. */
const isNoNews = (list, code) => list === 'skipped' && code === 'not_found';

function appendAll(lists, more, isWanted = () => true) {
    for (const [name, entries] of Object.entries(more ?? {})) append(lists, name, entries.filter(isWanted));
}

function append(lists, name, entries) {
    if (entries.length) lists[name] = [...lists[name] ?? [], ...entries];
}
