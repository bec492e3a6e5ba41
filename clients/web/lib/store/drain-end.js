import { isDirty } from '../rows/record.js';
import { lostEdit, lostRow } from '../rows/restored.js';
import { Standing } from './batches.js';
import { dropFilesOf } from './files.js';
import { finishDeletions, forgetBatches } from './forget.js';
import { reset } from './state.js';

/**
 * The end of a drain, in the transaction of its last page.
 *
 * An answered batch is open when the drain can't contain it. All others are in the drain, unless the server's database
 * was replaced by one with another history. Two things show that: a drain that was requested after an answer ends below
 * that answer's commit; or a digest differs. Both void the watermark, and the replacement that follows compares all
 * rows (docs/decisions/0013-answers-of-another-history.md).
 *
 * `left` are projects that the user has lost, with the code, `outside` those that the filter does not have any more.
 *
 * Returns `{ differing, same, left, dropped }`: the rows to ask for again, `{ collections, projects }` or null; the
 * projects whose digests are equal; the lost projects; how many rows went because a replacement did not have them.
 */
export async function endDrain(unit, page, replacement, { left, outside }) {
    const end = new DrainEnd(unit, page, replacement, left);
    end.outside = outside;
    return end.run();
}

class DrainEnd {
    constructor(unit, page, replacement, left) {
        Object.assign(this, { unit, rows: unit.rows, page, replacement, left });
    }

    async run() {
        const { unit, replacement } = this;
        unit.state = { ...unit.state, compared: null, lastSync: unit.clock() };
        this.standing = new Standing(await this._adoptHeads(), unit.state.answersBefore);
        this.batches = await unit.batches();
        if (!replacement.isWhole && this.batches.all.some(this.standing.isLost)) return this._void();
        if (replacement.isWhole) await this._recover();
        const left = await this._leave();
        const holds = ({ collection, id }) =>
            this.batches.holds(collection, id, each => each.answer === null || this.standing.isOpen(each));
        await unit.outside?.leaveProjects(this.outside, holds);
        const dropped = await this._sweep();
        await finishDeletions(unit, this.standing.isTold);
        await unit.outside?.clear(holds);
        const { differing, same } = await this._compare();
        await this._forget(differing, same);
        return { differing, same, left, dropped };
    }

    async _adoptHeads() {
        const { unit, page, left, replacement } = this;
        const heads = { ...(replacement.isWhole ? {} : await unit.heads()) };
        const batches = await unit.batches();
        for (const project of Object.keys(left)) {
            delete heads[project];
            for (const batch of batches.all.filter(({ parts }) => Object.hasOwn(parts, project))) {
                batches.replace({ ...batch, parts: without(batch.parts, project) });
            }
        }
        Object.assign(heads, page.heads);
        await unit.setHeads(heads);
        return heads;
    }

    _void() {
        this.unit.state = reset(this.unit.state, true, true);
        return { differing: null, same: [], left: [], dropped: 0 };
    }

    /** At the end of a replacement: what the server answered and has lost since becomes unsent again. */
    async _recover() {
        const drain = this.unit.state.drainNumber;
        for (const batch of this.batches.all.filter(this.standing.isTold)) {
            const isDone = new Set();
            for (const sent of batch.rows.filter(({ version }) => version !== null)) {
                const record = await this.rows.get(sent.collection, sent.id);
                if (!record) continue;
                const isNamed = record._drain === drain;
                if (sent.bucket === 'deleted' && isNamed) isDone.add(sent);
                const lost = lostEdit(record, sent, isNamed);
                if (lost) this.rows.put(lost);
            }
            if (isDone.size > 0) {
                this.batches.replace({ ...batch, rows: batch.rows.filter(row => !isDone.has(row)) });
            }
        }
    }

    /** Removes the rows of lost projects that the drain did not name. Unsent edits go aside. */
    async _leave() {
        const lost = [];
        for (const [project, code] of Object.entries(this.left).sort()) {
            const name = (await this.rows.get('projects', project))?.values.name ?? null;
            const records = (await this.rows.ofProject(project)).filter(({ _drain }) => !this._isNamed(_drain));
            let setAside = 0;
            for (const record of records) {
                if (isDirty(record) && !this.batches.isDeletionAnswered(record)) {
                    await this.unit.setAside(record, code);
                    setAside++;
                }
                this.rows.remove(record);
            }
            await dropFilesOf(this.unit, project);
            lost.push({ id: project, name, code, setAside });
        }
        return lost;
    }

    /**
     * Removes what a replacement did not have. Rows that were made here stay, and so do those of open batches. What is
     * edited of a row may have to be sent if the row is only outside of the part. Nobody knows whether a server that
     * was restored has lost a row, if the filter is another one by now.
     */
    async _sweep() {
        const { outside } = this.unit;
        const { isWhole, isPart, isOther } = this.replacement;
        const isRestored = isWhole && !(isPart && isOther) && this.unit.state.isRestored;
        let dropped = 0;
        for (const record of await this.replacement.rows(this.rows, this.unit.schema)) {
            const { collection, id, _status, _drain, server_version } = record;
            if (this._isNamed(_drain) || this.batches.holds(collection, id, this.standing.isOpen)) continue;
            if (_status === 'created') {
                // It counts as never sent again: a restored server may have lost it.
                const fresh = server_version > 0 ? { ...record, server_version: 0, _base: null, _seen: 0 } : record;
                if (isPart) outside.keep(fresh);
                else if (fresh !== record) this.rows.put(fresh);
                continue;
            }
            if (isPart && isDirty(record)) {
                outside.keep(record);
                continue;
            }
            if (_status === 'updated') await this.unit.setAside(record, 'not_found');
            else if (_status === 'synced' && isRestored) await this.unit.setAside(lostRow(record), 'restored');
            this.rows.remove(record);
            dropped++;
        }
        if (this.replacement.isWhole || this.replacement.asked) await this.rows.recount(this.unit.schema.collections);
        if (this.replacement.isWhole) this.unit.state = { ...this.unit.state, isRestored: false };
        return dropped;
    }

    /** The answer to an open batch is newer than the drain, so the digests of its projects say nothing. */
    async _compare() {
        const open = this.standing.openProjects(this.batches.all);
        const [collections, projects, same] = [new Set(), [], []];
        for (const [project, digests] of Object.entries(this.page.digests)) {
            if (open.has(project)) continue;
            const found = await this._differing(project, digests);
            (found.length > 0 ? projects : same).push(project);
            for (const name of found) collections.add(name);
        }
        if (projects.length + same.length > 0) {
            this.unit.state = { ...this.unit.state, compared: projects.length > 0 ? 'differs' : 'same' };
        }
        return { same, differing: projects.length > 0 ? { collections: [...collections], projects } : null };
    }

    async _differing(project, digests) {
        const names = this.unit.schema.collections.map(({ name }) => name).filter(name => digests[name]);
        const own = await Promise.all(names.map(name => this.rows.digest(project, name)));
        return names.filter((name, index) =>
            own[index].count !== digests[name].count || own[index].text !== digests[name].digest);
    }

    /** Forgets the batches that the comparison confirms. If it differs, the server may have lost one. */
    async _forget(differing, same) {
        const { isTold } = this.standing;
        if (this.replacement.isWhole) return forgetBatches(this.unit, isTold);
        if (differing) {
            if (this.batches.all.some(isTold)) this.unit.state = reset(this.unit.state, true, true);
            return undefined;
        }
        for (const batch of this.batches.all.filter(isTold)) {
            const settled = [...same, ...Object.keys(batch.parts).filter(this._isNeverCompared)];
            this.batches.replace({ ...batch, parts: without(batch.parts, ...settled) });
        }
        return forgetBatches(this.unit, batch => isTold(batch) && Object.keys(batch.parts).length === 0);
    }

    /**
     * Whether no digest is going to tell of the project: it is too large a part, or outside. Nothing was written while
     * the drain ran, or else there might be one the next time.
     */
    _isNeverCompared = project => {
        const { digest, digests } = this.page;
        return digest && (this.unit.state.unsettled ?? null) === null && !Object.hasOwn(digests, project);
    };

    _isNamed(drain) {
        return drain === this.unit.state.drainNumber;
    }
}

const without = (parts, ...projects) =>
    Object.fromEntries(Object.entries(parts).filter(([project]) => !projects.includes(project)));
