import { TidemarkError } from '../common/error.js';
import { EVERYTHING, isSameFilter } from '../common/filter-text.js';
import { cleaned, inside, isDirty, merged, newRecord, seen, seenAt, underAnswer } from '../rows/record.js';
import { counts } from '../rows/page.js';
import { lostValues } from '../rows/restored.js';
import { endDrain } from './drain-end.js';
import { advanced, filterOf } from './state.js';

/**
 * Stores a page, and in the same transaction its cursor, or the watermark if it is the drain's last page.
 *
 * A drain from 0 replaces everything. Any other drain replaces what `asked` names, and projects that the server serves
 * as a whole. The end of a drain that is not from 0 may show that the server has lost the history that the watermark
 * belongs to: the new state has no watermark then.
 *
 * `answersBefore` is for a page that was kept: how many answers there were before its drain was requested.
 *
 * Throws `drain_broken`, and stores nothing, if the drain had one of the rows already.
 */
export async function applyPage(unit, page, asked, answersBefore = unit.state.answers) {
    const isFirst = unit.state.drain === null;
    const isWhole = unit.state.since === 0;
    const isOther = !isSameFilter(filterOf(unit.state), page.filter);
    const projects = await notedProjects(unit, page, isFirst);
    unit.state = advanced(unit.state, page, answersBefore);
    const kind = { isWhole, asked, isOther, isPart: page.filter !== EVERYTHING };
    const replacement = new Replacement({ ...kind, projects: projects.replaced });
    for (const changes of page.changes) await new Changes(unit, replacement, projects.left).apply(changes);
    if (unit.state.drain !== null) return { differing: null, left: [], dropped: 0 };
    await unit.transaction.delete('meta', 'drain');
    unit.state = { ...unit.state, unsettled: counts(page, isFirst) ? null : page.timestamp };
    const settled = settledProjects(projects, page.heads);
    const end = new Replacement({ ...kind, projects: settled.replaced });
    return endDrain(unit, page, end, settled);
}

/** Older servers name in `left` also projects that the user has again, and serve all of their rows. */
function settledProjects({ left, replaced, outside = [] }, heads) {
    const isLost = ([project]) => !Object.hasOwn(heads, project);
    const returned = Object.keys(left).filter(project => Object.hasOwn(heads, project));
    const lost = Object.fromEntries(Object.entries(left).filter(isLost));
    return { left: lost, replaced: [...replaced, ...returned], outside };
}

/** What the drain's pages have said of projects. It is stored, because a drain can outlive the window that began it. */
async function notedProjects({ transaction }, { left, replaced, outside }, isFirst) {
    const known = (isFirst ? null : await transaction.get('meta', 'drain')) ?? { left: {}, replaced: [] };
    const projects = {
        left: { ...left, ...known.left }, replaced: [...known.replaced, ...replaced],
        outside: [...known.outside ?? [], ...outside],
    };
    await transaction.put('meta', projects, 'drain');
    return projects;
}

/** Writes one page's changes to one collection. */
class Changes {
    constructor(unit, replacement, left) {
        Object.assign(this, { unit, rows: unit.rows, replacement, left, drain: unit.state.drainNumber });
    }

    async apply({ collection, created, updated, deleted, left }) {
        const work = [
            ...created.map(row => this._row(collection, row, 'created')),
            ...updated.map(row => this._row(collection, row, 'updated')),
            ...deleted.map(id => this._delete(collection, id)),
            ...left.map(id => this._leave(collection, id)),
        ];
        await Promise.all(work);
    }

    async _row(collection, row, bucket) {
        const record = await this.rows.get(collection.name, row.id);
        if (record?._drain === this.drain) throw twice(collection.name, row.id);
        if (record && this.unit.state.isRestored && this.replacement.isWhole) await this._keepLost(record, row);
        const after = inside(await this._after(record, row, bucket, collection));
        this.rows.put(seenAt(after, seen(after), this.drain));
    }

    /**
     * A drain that began before a batch was answered may bring an older state of a row than the answer did. The row's
     * version shows this. Only a replacement may bring older versions: the server may have been restored. So may a row
     * of another project: it is another row, with the id of one that was purged.
     */
    async _after(record, row, bucket, collection) {
        if (record === null) return fresh(collection, row);
        const isOther = record.project_id !== row.project_id;
        if (isOther && isDirty(record)) {
            await this.unit.setAside(record, record._status === 'created' ? 'id_unavailable' : 'deleted');
        }
        if (isOther) return fresh(collection, row);
        const isReplaced = this.replacement.covers(row.project_id, collection.name);
        if (!isReplaced && record.server_version > row.server_version) {
            return underAnswer(record, row, (await this.unit.batches()).sentOf(record));
        }
        const after = merged(record, row, bucket);
        return isDirty(record) ? after : cleaned(after);
    }

    /** What is in a batch is sent again at the drain's end, without a person. */
    async _keepLost(record, row) {
        const lost = record.project_id === row.project_id && lostValues(record, row);
        if (!lost || (await this.unit.batches()).holds(record.collection, record.id)) return;
        await this.unit.setAside(lost, 'restored');
    }

    /** The server's deletion wins over anything local. What becomes of lost projects is decided at the drain's end. */
    async _delete(collection, id) {
        const record = await this.rows.get(collection.name, id);
        if (record === null || Object.hasOwn(this.left, record.project_id)) return;
        if (record._drain === this.drain) throw twice(collection.name, id);
        if (isDirty(record) && record._status !== 'deleted') await this.unit.setAside(record, 'deleted');
        this.rows.remove(record);
    }

    async _leave(collection, id) {
        const record = await this.rows.get(collection.name, id);
        if (record === null || Object.hasOwn(this.left, record.project_id)) return;
        if (record._drain === this.drain) throw twice(collection.name, id);
        await this.unit.outside?.leave(record);
    }
}

/** What a drain replaces. Of these rows it names all that there are, and its versions count even if they are lower. */
export class Replacement {
    /**
     * `isWhole`: the drain began at 0. `asked`: `{ collections, projects }` that this client asked for again, or null.
     * `projects`: those that the server serves as a whole. `isPart`: a row that it does not name may be outside of the
     * part. `isOther`: the filter is another one than the watermark's.
     */
    constructor({ isWhole = false, asked = null, projects = [], isPart = false, isOther = false }) {
        Object.assign(this, { isWhole, asked, projects, isPart, isOther });
    }

    covers(project, collection) {
        return this.isWhole || this.projects.includes(project)
            || (this.asked?.collections.includes(collection) && this.asked.projects.includes(project)) === true;
    }

    /** The stored rows that it covers. */
    async rows(rows, schema) {
        if (this.isWhole) return (await Promise.all(schema.collections.map(({ name }) => rows.of(name)))).flat();
        const lists = this.projects.map(project => rows.ofProject(project));
        for (const project of this.asked?.projects ?? []) {
            if (this.projects.includes(project)) continue;
            lists.push(...this.asked.collections.map(collection => rows.of(collection, project)));
        }
        return (await Promise.all(lists)).flat();
    }
}

/** A row as the server has it. */
function fresh(collection, row) {
    const standard = Object.fromEntries(collection.fields.map(field => [field.name, field.standard]));
    return newRecord(collection.name, { ...row, values: { ...standard, ...row.values } });
}

const twice = (name, id) =>
    new TidemarkError('drain_broken', `In ${name}: row ${id} came twice in one drain.`, { status: 200 });
