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

    add(answer) {
        for (const list of LISTS) appendAll(this.news[list], answer[list], ({ code }) => !isNoNews(list, code));
        appendAll(this.rejectedIds, answer.rejected_ids);
    }

    /** Adds a row that is not sent with this push. */
    keep(collection, id) {
        if (!this.rejectedIds[collection]?.includes(id)) append(this.rejectedIds, collection, [id]);
    }

    /** Adds a single row that the server accepts in no batch. It stays unsent and does not hold up the others. */
    leaveOut({ collection, id }, { code, detail }) {
        append(this.news.rejected, collection, [{ id, field: null, code, detail }]);
        append(this.rejectedIds, collection, [id]);
    }
}

/** Deleting a row that was created and deleted offline is no news: the server never had it. */
const isNoNews = (list, code) => list === 'skipped' && code === 'not_found';

function appendAll(lists, more, isWanted = () => true) {
    for (const [name, entries] of Object.entries(more ?? {})) append(lists, name, entries.filter(isWanted));
}

function append(lists, name, entries) {
    if (entries.length) lists[name] = [...lists[name] ?? [], ...entries];
}
