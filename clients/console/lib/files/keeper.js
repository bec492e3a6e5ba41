import { catalogOf } from '../data/catalog.js';

/** So many files are watched, and so many that were taken out can come back with a redo. */
const MOST = 200;
const COLLECTION = 'attachments';
const keepers = new WeakMap();

/** What keeps the queue of files in this window: one for all pages. */
export function keeperOf(context) {
    if (!keepers.has(context)) keepers.set(context, new Keeper(context));
    return keepers.get(context);
}

/**
 * Takes files out of the queue when their last row has gone before they were sent: by a deletion, by that of a task, or
 * by an undo. A redo puts them back. A deletion may be refused, so nothing is taken out before the row is really gone.
 */
class Keeper {
    /** The files of rows that go, by project and digest: `{ digest, project, name, ids }`. */
    _going = new Map();
    /** What was taken out, by project and digest: its Blob and name. */
    _taken = new Map();
    /** Deletions that wait, with the rows that they take along. */
    _waiting = new Map();
    _last = Promise.resolve();

    constructor({ edits }) {
        // As it is: rows whose deletion waits are still there.
        this.tidemark = edits.tidemark;
        this.tidemark.onState(({ user }) => {
            if (user?.id !== this._user) [this._going, this._taken].forEach(each => each.clear());
            this._user = user?.id;
            if (this._going.size > 0) this._then(() => this._look());
        });
        const watch = () => edits.waiting.all.forEach(each => this._watch(each));
        edits.waiting.onChange(watch);
        edits.onReport(report => this._heard(report));
        watch();
    }

    /** A deletion hides at first its own rows, and then what goes along. */
    _watch(deletion) {
        if (!this._waiting.has(deletion)) {
            this._waiting.set(deletion, new Map());
            deletion.over.then(isDone => {
                const rows = [...this._waiting.get(deletion).values()];
                this._waiting.delete(deletion);
                if (isDone) this._then(async () => this._go(await Promise.all(rows)));
            });
        }
        const rows = this._waiting.get(deletion);
        const begin = `${COLLECTION} `;
        for (const key of deletion.hidden) {
            if (!key.startsWith(begin) || rows.has(key)) continue;
            rows.set(key, this.tidemark.row(COLLECTION, key.slice(begin.length)).catch(() => null));
        }
    }

    _heard({ rows }) {
        const own = rows.filter(({ collection, row }) => collection === COLLECTION && row?.file);
        this._then(() => this._go(own.filter(({ isGone }) => isGone).map(({ row }) => row)));
        this._then(() => this._putBack(own.filter(({ isGone }) => !isGone).map(({ row }) => row)));
    }

    /** These rows go: as soon as they have, nobody needs their files. */
    _go(rows) {
        for (const { id, file: digest, project_id: project, name } of rows.filter(row => row?.file)) {
            const key = `${project} ${digest}`;
            const { ids = [] } = this._going.get(key) ?? {};
            keep(this._going, key, { digest, project, name, ids: [...ids, id] });
        }
        return this._look();
    }

    async _look() {
        if (this._going.size === 0) return;
        const edited = await this.tidemark.unsent();
        const unsent = new Set(edited.filter(({ collection }) => collection === COLLECTION).map(({ id }) => id));
        for (const [key, file] of [...this._going]) {
            const rows = await Promise.all(file.ids.map(id => unsent.has(id) || this.tidemark.row(COLLECTION, id)));
            if (rows.some(Boolean)) continue;
            this._going.delete(key);
            await this._takeOut(key, file);
        }
    }

    async _takeOut(key, { digest, project, name }) {
        const { files } = this.tidemark;
        const entry = await files.state(digest, { project });
        if (!entry || entry.state === 'stored' || await this._isNamed(digest, project)) return;
        const blob = await files.open(digest, { project }).catch(() => null);
        await files.remove(digest, { project });
        if (blob) keep(this._taken, key, { blob, name });
    }

    async _putBack(rows) {
        const { files } = this.tidemark;
        for (const { file: digest, project_id: project } of rows) {
            const taken = this._taken.get(`${project} ${digest}`);
            if (taken && await files.state(digest, { project }) === null) {
                await files.add(taken.blob, { project, name: taken.name });
            }
        }
    }

    /** Whether a row of the project names the file, in whichever collection. */
    async _isNamed(digest, project) {
        const { collections = [] } = await catalogOf(this.tidemark) ?? {};
        for (const { name, fields } of collections) {
            const blobs = fields.filter(({ document }) => document.format === 'blob').map(field => field.name);
            if (blobs.length === 0) continue;
            const rows = await this.tidemark.rows(name, { project });
            if (rows.some(row => blobs.some(field => row[field] === digest))) return true;
        }
        return false;
    }

    /** One after the other. What can't be taken out is sent, and swept by the server: no reason to trouble anybody. */
    _then(work) {
        this._last = this._last.then(work).catch(() => {});
    }
}

/** Keeps at most so many: the oldest one goes. */
function keep(map, key, value) {
    map.delete(key);
    map.set(key, value);
    if (map.size > MOST) map.delete(map.keys().next().value);
}
