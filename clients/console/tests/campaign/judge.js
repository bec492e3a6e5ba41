import assert from 'node:assert/strict';
import { candidates } from './ledger.js';
import { COLLECTIONS, FIELDS } from './rows.js';

/** The name of the browser's device, as the console gives it. */
const BROWSER = 'Console';

/** Compares what all have in the end, and follows each edit to the server or to where its author is told of it. */
export class Judge {
    /** `get(path)` asks the server, `rows` are its own, by collection and id. */
    constructor({ ledger, get, rows, label }) {
        Object.assign(this, { ledger, get, rows, label });
    }

    /** `aside` are the browser's copies, `given` the ids of rows that were refused, by whoever edited them. */
    async followEdits({ aside, given }) {
        Object.assign(this, { aside, given });
        for (const chain of this.ledger.chains()) await this._chain(chain);
        for (const deletion of this.ledger.deletions) this._deletion(deletion);
        const revived = this.ledger.revived.filter(({ outcome }) => outcome === 'stored');
        assert.deepEqual(revived.map(({ id }) => id), [], this.label('a redo under an id that is used up'));
    }

    async _chain(chain) {
        const { by, collection, id, field, edits } = chain;
        const row = this.rows.get(collection).get(id);
        const wanted = candidates(edits);
        if (this.given[by].has(id)) return;
        const told = by === 'phone' ? []
            : this.aside.filter(each => each.collection === collection && each.id === id);
        if (!row) {
            const isExplained = this.ledger.isDeletionOf(id) || told.length > 0 || wanted === null;
            assert.ok(isExplained, this.label(`${collection} ${id} is gone`));
            return;
        }
        const history = await this._history(collection, id);
        const entries = history.filter(({ changes }) => changes[field] !== undefined);
        const written = entries.map(({ changes }) => changes[field].after);
        // A task may be moved to and fro, and is made without a parent unless its history says so.
        if (field === 'parent' && history.at(-1)?.changes.parent === undefined) written.push(null);
        if (by === 'browser' && field !== 'parent') this._once(chain, written, told);
        if (by === 'browser' && field !== 'parent') this._ownOnly(chain, entries.reverse());
        // A place may yield, and nobody is told.
        if (field === 'rank') return;
        // Nothing is sent of an edit that was taken back before.
        if (wanted !== null && edits.some(({ isTurn, value }) => isTurn && wanted.includes(value) && value === row[field])) return;
        if (wanted === null || told.some(({ values }) => wanted.includes(values[field]))) return;
        const what = `${field} of ${collection} ${id} by ${by}: ${wanted} is not among ${JSON.stringify(written)}`;
        assert.ok(wanted.some(value => written.includes(value)), this.label(what));
        if (!FIELDS[collection][by].includes(field)) return;
        assert.ok(wanted.includes(row[field]), this.label(`${what}, and it is ${row[field]}`));
    }

    /** What undo or redo has written once more was written over the browser's own values. `entries`: the oldest first. */
    _ownOnly({ collection, id, field, edits }, entries) {
        const turned = new Set(edits.filter(({ isTurn }) => isTurn).map(({ value }) => value));
        const known = new Set();
        for (const [place, { changes, device }] of entries.entries()) {
            const { before, after } = changes[field];
            if (device === BROWSER && turned.has(after) && known.has(after)) {
                const what = `${after} was written once more over ${before} in ${field} of ${collection} ${id}`;
                assert.ok([BROWSER, null].includes(entries[place - 1].device), this.label(what));
            }
            known.add(after);
        }
    }

    /** No value of the browser was applied twice, but by undo or redo, and none was applied and set aside as well. */
    _once({ collection, id, field, edits }, written, told) {
        const turned = edits.filter(({ isTurn }) => isTurn).map(({ value }) => value);
        const values = new Set(edits.map(({ value }) => value).filter(value => !turned.includes(value)));
        const twice = written.filter((value, place) => values.has(value) && written.indexOf(value) !== place);
        assert.deepEqual(twice, [], this.label(`${field} of ${collection} ${id} was written twice`));
        const both = told.filter(({ values: copied, changed, status }) =>
            (status === 'created' || (status === 'updated' && changed.includes(field)))
            && written.includes(copied[field]) && values.has(copied[field]));
        assert.deepEqual(both, [], this.label(`${field} of ${collection} ${id} was written, and set aside`));
    }

    /** Some are refused, because the row is in use. */
    _deletion({ by, collection, id, outcome }) {
        if (outcome !== 'stored' || this.given[by].has(id)) return;
        const isTold = by === 'browser' && this.aside.some(each =>
            each.collection === collection && each.id === id && each.status === 'deleted');
        if (isTold) return;
        const isThere = this.rows.get(collection).has(id);
        assert.ok(!isThere, this.label(`${collection} ${id} was deleted by ${by}, and is there`));
    }

    async _history(collection, id) {
        this._known ??= new Map();
        const key = `${collection} ${id}`;
        if (!this._known.has(key)) this._known.set(key, this._wholeHistory(collection, id));
        return this._known.get(key);
    }

    async _wholeHistory(collection, id) {
        const { results, is_complete: isComplete, next } = await this.get(`/${collection}/${id}/history/?limit=500`);
        assert.ok(isComplete && next === null, this.label(`the history of ${id} is not complete`));
        return results;
    }
}

/** The rows of the copy that a window has, as the server would send them. `disk` is what `campaign.disk()` returns. */
export function fromDisk(disk) {
    const found = new Map(COLLECTIONS.map(name => [name, new Map()]));
    for (const { collection, id, project_id, server_version, values, _status } of disk.rows) {
        if (found.has(collection)) {
            found.get(collection).set(id, { ...values, id, project_id, server_version, _status });
        }
    }
    return found;
}

/** What differs between the server's rows and others, as sentences. */
export function differences(rows, others) {
    const found = [];
    for (const [collection, all] of rows) {
        const [here, there] = [others.get(collection), new Set(all.keys())];
        for (const id of here.keys()) if (!there.has(id)) found.push(`${collection} ${id} is not on the server`);
        for (const [id, row] of all) {
            const other = here.get(id);
            if (!other) found.push(`${collection} ${id} is missing`);
            else found.push(...differing(row, other).map(what => `${collection} ${id}: ${what}`));
        }
    }
    return found;
}

function differing(row, other) {
    const names = Object.keys(row).filter(name => Object.hasOwn(other, name));
    if (names.length < 5) return [`only ${names} are there`];
    return names.filter(name => JSON.stringify(row[name]) !== JSON.stringify(other[name]))
        .map(name => `${name} is ${JSON.stringify(other[name])}, not ${JSON.stringify(row[name])}`);
}
