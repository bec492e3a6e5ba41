// A server in memory with tasks of one project, for copies without a network. It keeps all versions of a row, so it
// knows what each edit was made on, and merges `hits` as a counter.
import { document, page, project } from './documents.js';

const PROJECT = 'p';

/** The schema: tasks with a counter. The server writes in `short_id` which version a row is. */
export const schema = () => document('v1', { hits: { type: 'integer', default: 0 } });

export class StandIn {
    head = 1;
    /** By id: all versions of a row, `{ version, at, device, values, sent }` each. `at` is the commit. */
    rows = new Map();
    _answers = new Map();

    /** Told of each row of an upload before it is judged: the element, the bucket and the device. */
    onRow = () => {};

    /** The last version of a row. */
    last(id) {
        return this.rows.get(id)?.at(-1);
    }

    /** Stores values as one more version. `sent` is what a device has sent, before it was merged. */
    write(id, values, { device = null, sent = values } = {}) {
        const versions = this.rows.get(id) ?? [];
        const version = versions.length + 1;
        const row = { name: id, notes: '', parent: null, hits: 0, ...versions.at(-1)?.values, ...values };
        versions.push({
            version, at: ++this.head, device, sent,
            values: { ...row, short_id: `v${version}` },
        });
        this.rows.set(id, versions);
        return version;
    }

    /** A page of a drain. The cursor says up to which commit the drain is, and which commit was the last on a page. */
    page({ since, cursor, page_size: size }) {
        const [until, after] = cursor?.split(' ').map(Number) ?? [this.head, since];
        const rows = [...this.rows].map(([id, versions]) => ({ id, ...versions.at(-1) }))
            .filter(({ at }) => at > after && at <= until).sort((one, other) => one.at - other.at);
        const some = rows.slice(0, size);
        const updated = some.map(({ id, version, values }) =>
            ({ id, project_id: PROJECT, server_version: version, ...values }));
        const isLast = some.length === rows.length;
        const projects = since === 0 && !cursor ? { updated: [project(PROJECT)] } : {};
        const rest = isLast ? { heads: { [PROJECT]: until } }
            : { has_more: true, next_cursor: `${until} ${some.at(-1).at}`, heads: undefined };
        return { page: page({ projects, tasks: { updated } }, until, rest), head: this.head };
    }

    /** Applies a batch, or repeats its answer. */
    upload({ client_batch_id: id, last_pulled_at: since, device_id: device, changes }) {
        const isReplayed = this._answers.has(id);
        if (!isReplayed) this._answers.set(id, this._applied(id, since, device, changes.tasks));
        return { json: this._answers.get(id), isReplayed };
    }

    _applied(id, since, device, buckets) {
        const applied = { created: [], updated: [], deleted: [] };
        for (const bucket of ['created', 'updated']) {
            for (const element of buckets[bucket]) {
                this.onRow(element, bucket, device);
                const version = this._row(element, since, device);
                applied[bucket].push({ id: element.id, server_version: version });
            }
        }
        return { client_batch_id: id, timestamps: { [PROJECT]: this.head }, applied: { tasks: applied } };
    }

    _row({ id, project_id, base_version: base, base_versions: bases = {}, _changed, ...sent }, since, device) {
        const values = { ...sent };
        if (this.rows.has(id) && 'hits' in sent) {
            values.hits = this.last(id).values.hits + sent.hits - this._known(id, bases.hits ?? base, since, device);
        }
        return this.write(id, values, { device, sent });
    }

    /** The counter that a device knew: what it has sent since the base, otherwise that of the base. */
    _known(id, base, since, device) {
        const isKnown = ({ version, at }) => (base === undefined ? at <= since : version <= base);
        const versions = this.rows.get(id);
        const own = versions.filter(each => !isKnown(each) && each.device === device && 'hits' in each.sent);
        return own.at(-1)?.sent.hits ?? versions.findLast(isKnown).values.hits;
    }
}
