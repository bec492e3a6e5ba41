import { memoryStorage } from '../../index.js';
import { accepted, bucket, fakeSync, page, problem } from './fakes.js';
import { Database } from './standin.js';
import { synchronize } from './synchronize.js';

const FIELDS = ['title', 'hits', 'tags'];
const WIDE = 2 ** 52;

/** A server with versioned tasks that takes what `_changed` names, and an app with the adapter. */
export class Ledger {
    storage = memoryStorage();
    database = new Database();
    /** The rows by id, and the commit of the last change of each. */
    rows = new Map();
    commits = new Map();
    gone = new Map();
    head = 1;
    /** Watermarks below it are refused. */
    floor = 0;
    refusal = [409, 'since_ahead'];
    /** The bodies of all uploads, in the order in which they came. */
    bodies = [];
    answers = new Map();
    /** What answers an upload instead, if it returns something. */
    instead = () => null;
    /** Called before and after each request. An error is a broken connection. */
    onRequest = () => {};
    onAnswer = () => {};

    /** Without `project` the app has all projects. */
    constructor({ project = 'p-1', ...options } = {}) {
        this.options = { project, ...options };
        this.isUserWide = project === null;
        this.put('t', { title: 'Dig', hits: 5, tags: '["a"]' });
        this.start();
    }

    start(storage = this.storage) {
        const handler = async request => {
            await this.onRequest(request);
            const answer = this.answer(request);
            await this.onAnswer(request, answer);
            return answer;
        };
        this.adapter = fakeSync(handler, { storage, retry: { attempts: 1 }, ...this.options }).sync;
    }

    sync(args = {}) {
        return this.adapter.sync({ synchronize, database: this.database, ...args });
    }

    /** As an app that calls `synchronize()` itself. */
    stock({ conflictResolver = this.adapter.conflictResolver } = {}) {
        const { pullChanges, pushChanges } = this.adapter;
        const args = { database: this.database, sendCreatedAsUpdated: true, pullChanges, pushChanges };
        return synchronize({ ...args, conflictResolver });
    }

    edit(values, id = 't') {
        this.database.update('tasks', id, values);
    }

    /** Somebody writes a row. */
    put(id, values) {
        const { server_version: version = 0, ...row } = this.rows.get(id) ?? { id };
        if (this.isUserWide) row.project_id = 'p-1';
        this.rows.set(id, { ...row, ...values, server_version: version + 1 });
        this.commits.set(id, ++this.head);
    }

    /** Somebody writes until the row has this version. */
    raise(version, values, id = 't') {
        while (!(this.rows.get(id)?.server_version >= version)) this.put(id, values);
    }

    take(id) {
        this.rows.delete(id);
        this.gone.set(id, ++this.head);
    }

    /** The server is restored: rows have the versions of a backup. */
    restore() {
        const older = ({ server_version: version, ...row }) => ({ ...row, server_version: Math.max(1, version - 2) });
        for (const [id, row] of this.rows) this.rows.set(id, older(row));
        this.head += 1000;
        this.floor = this.head;
    }

    answer(request) {
        if (request.path.endsWith('/schemas/')) return { body: { collections: [this.schema()] } };
        const since = Number(request.query.since ?? request.body.last_pulled_at) % WIDE;
        if (since > 0 && since < this.floor) return problem(...this.refusal);
        if (request.method === 'POST') return this.upload(request);
        const changed = [...this.rows.values()].filter(({ id }) => this.commits.get(id) > since);
        const deleted = since > 0 ? [...this.gone].filter(([, commit]) => commit > since).map(([id]) => id) : [];
        return this.page(bucket(changed, deleted));
    }

    page(tasks) {
        return page({ tasks }, this.isUserWide ? WIDE + this.head : this.head);
    }

    schema() {
        const properties = Object.fromEntries(FIELDS.map(name => [name, { type: 'string' }]));
        return { title: 'tasks', 'x-uploadable': true, 'x-uploadable-user-wide': true, properties };
    }

    upload(request) {
        const { client_batch_id: id, changes } = request.body;
        this.bodies.push(request.body);
        const other = this.instead(request);
        if (other) return other;
        if (!this.answers.has(id)) this.answers.set(id, this.apply(request, changes.tasks));
        return this.answers.get(id);
    }

    apply(request, { created, updated }) {
        const skipped = [];
        for (const row of [...created, ...updated]) {
            const columns = (row._changed || FIELDS.join()).split(',');
            const isKnown = column => FIELDS.includes(column);
            for (const field of columns.filter(column => !isKnown(column))) {
                skipped.push({ id: row.id, field, code: 'unknown_field' });
            }
            this.put(row.id, Object.fromEntries(columns.filter(isKnown).map(column => [column, row[column]])));
        }
        return accepted(request, { skipped: skipped.length ? { tasks: skipped } : {} });
    }

    /** The rows of the last upload: `[_changed, base_version, base_versions]`. */
    get sent() {
        const { created, updated } = this.bodies.at(-1).changes.tasks;
        return [...created, ...updated].map(basesOf);
    }

    get shown() {
        return this.database.table('tasks').get('t');
    }

    /** What the adapter keeps of bases. */
    get noted() {
        const text = this.storage.get(`tidemark:${this.isUserWide ? '_all' : 'p-1'}:bases`);
        return text === null ? null : JSON.parse(text);
    }
}

/** What an element of an upload says about its bases; shorter if it says nothing. */
export function basesOf(row) {
    const members = ['base_version', 'base_versions'].filter(name => name in row);
    return [row._changed, ...members.map(name => row[name])];
}
