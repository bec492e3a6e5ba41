import { Batches } from './batches.js';
import { Change } from './change.js';
import { Rows } from './rows.js';

/** What one transaction on a copy reads and writes. Everything that it changes is stored by `end`, or nothing. */
export class Unit {
    _batches = null;
    _heads = null;
    /** See `Outside`. Null if the copy has no parts, or as long as this window has not loaded what they need. */
    outside = null;
    /** Whether the copy has the stores for files. */
    hasFiles = false;

    constructor(transaction, state, schema, clock) {
        Object.assign(this, { transaction, state, schema, clock });
        this._stored = state;
        this.rows = new Rows(transaction, schema);
    }

    /** The parts that the copy holds: see `Parts`. */
    async parts() {
        return await this.transaction.get('meta', 'parts') ?? [];
    }

    /** The batches that were sent and not forgotten. */
    async batches() {
        this._batches ??= new Batches(await this.transaction.all('batches'));
        return this._batches;
    }

    /** The projects that the user was a member of at the watermark, and the head that was reached in each. */
    async heads() {
        this._heads ??= await this.transaction.get('meta', 'heads') ?? {};
        return this._heads;
    }

    setHeads(heads) {
        this._heads = heads;
        return this.transaction.put('meta', heads, 'heads');
    }

    /** Keeps a copy of a row that is not going to reach the server, with the reason. */
    setAside({ collection, id, project_id, values, _status, _changed, _base }, reason, reasons = []) {
        return this.transaction.put('aside', {
            collection, id, project_id, values, status: _status, changed: _changed, base: _base?.values ?? null,
            reason, reasons, at: new Date(this.clock()).toISOString(),
        });
    }

    /** Holds a row back from batches, with the reasons. */
    async hold({ collection, id }, reasons) {
        if (reasons.length === 0) return;
        const known = await this.transaction.get('refused', [collection, id]);
        await this.transaction.put('refused', { collection, id, reasons: [...known?.reasons ?? [], ...reasons] });
    }

    /** Lets refused rows go into batches again. */
    release() {
        this._released ??= this.transaction.clear('refused');
        return this._released;
    }

    /** Returns what was changed. */
    async end() {
        await this.rows.flush();
        const { changed } = this.rows;
        if (changed.size > 0) this.state = { ...this.state, revision: this.state.revision + 1 };
        await this._batches?.save(this.transaction);
        if (this.state !== this._stored) await this.transaction.put('meta', this.state, 'state');
        return new Change(this.state, changed);
    }
}
