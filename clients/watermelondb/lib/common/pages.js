import { TidemarkError, invalidAnswer } from './error.js';

const BUCKETS = ['created', 'updated', 'deleted'];
/** The lists of ids. `left` is only in answers of a part. */
const IDS = ['deleted', 'left'];

/**
 * Combines the pages of one drain. Two kinds of answers harm WatermelonDB. An id that occurs twice in one
 * pull blocks it until the app restarts. And it adopts the timestamp of an answer without `changes`. So this
 * class lets only valid pages pass.
 */
export class Pages {
    changes = {};
    timestamp = null;
    rows = 0;
    count = 0;
    _ids = new Map();
    _left = new Map();
    /** The projects of which this drain has something. */
    served = new Set();

    /**
     * Adds a page. Throws `invalid_answer` if its form is wrong, and `drain_broken` if it
     * contradicts the pages before it.
     */
    add(page) {
        check(page);
        if (this.count > 0 && page.timestamp !== this.timestamp) throw broken('the timestamp changed between pages');
        this.timestamp = page.timestamp;
        this.count++;
        for (const [name, bucket] of Object.entries(page.changes)) this._addBucket(name, bucket);
        for (const left of page.left_projects ?? []) this._left.set(left.project_id, left);
        for (const project of Object.keys({ ...page.heads, ...page.digest })) this.served.add(project);
    }

    /**
     * The projects that the user has lost, `{ project_id, code }`, without those that this drain brings back. A project
     * that only left the part is not lost.
     */
    get left() {
        const isLost = ({ project_id: project, code }) => code !== 'filtered' && !this.served.has(project);
        return [...this._left.values()].filter(isLost);
    }

    _addBucket(name, bucket) {
        if (!this._ids.has(name)) {
            this._ids.set(name, new Set());
            this.changes[name] = { created: [], updated: [], deleted: [] };
        }
        const target = this.changes[name];
        const seen = this._ids.get(name);
        if (bucket.left) target.left ??= [];
        for (const kind of Object.keys(target)) {
            for (const entry of bucket[kind] ?? []) {
                const id = IDS.includes(kind) ? entry : checkedID(name, entry);
                if (seen.has(id)) throw broken(`${name} ${id} came twice`);
                seen.add(id);
                target[kind].push(entry);
                if (entry.project_id) this.served.add(entry.project_id);
                this.rows++;
            }
        }
    }
}

function check(page) {
    promised(page !== null && typeof page === 'object', 'A page is not an object.');
    const { changes, timestamp, has_more: hasMore, next_cursor: cursor = null } = page;
    promised(changes !== null && typeof changes === 'object' && !Array.isArray(changes), 'A page has no changes.');
    promised(Number.isSafeInteger(timestamp) && timestamp > 0, `A page has the timestamp ${timestamp}.`);
    const { left_projects: left = [] } = page;
    promised(Array.isArray(left) && left.every(isLoss), 'A page does not say which projects are lost.');
    promised(hasMore === (cursor !== null), 'A page does not say whether there are more.');
    for (const [name, bucket] of Object.entries(changes)) {
        promised(BUCKETS.every(kind => Array.isArray(bucket?.[kind])), `${name} lacks one of its three lists.`);
        promised(bucket.deleted.every(isID), `${name} has a deleted id that is not a string.`);
        const { left: ids = [] } = bucket;
        promised(Array.isArray(ids) && ids.every(isID), `${name} does not say which rows left.`);
    }
}

function checkedID(name, row) {
    promised(row !== null && typeof row === 'object' && isID(row.id), `${name} has a row without an id.`);
    promised(!('_status' in row || '_changed' in row), `${name} ${row.id} has a column of WatermelonDB's own.`);
    return row.id;
}

function promised(isAsPromised, otherwise) {
    if (!isAsPromised) throw invalidAnswer(otherwise);
}

const isLoss = loss => isID(loss?.project_id) && isID(loss.code);

const isID = id => typeof id === 'string' && id !== '';

const broken = detail => new TidemarkError('drain_broken', `The pages are inconsistent: ${detail}.`, { status: 200 });
