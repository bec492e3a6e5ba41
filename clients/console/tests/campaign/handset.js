import { TidemarkError } from '../../../watermelondb/index.js';
import { Phone } from '../../../watermelondb/tests/support/phone.js';
import { COLLECTIONS, FIELDS, newRow, valueOf } from './rows.js';

/** The phone of the campaign: the adapter for WatermelonDB, on a bad connection of its own. */
export class Handset {
    isNoisy = true;
    lost = 0;
    /** Rows of which the server has not taken something, as the adapter has told. */
    refused = new Set();

    constructor({ server, project, token, schema, ledger, random, nextID }) {
        Object.assign(this, { ledger, random, nextID });
        this.phone = new Phone(server, project, token, {
            schema, pageSize: 5, batchRows: 4, retry: { attempts: 2 }, deviceId: 'phone',
            onConflict: this._pick(['overwrite', 'merge', 'reject']), onReport: report => this._note(report),
        });
        this.phone.onRequest = () => this._lose(.06);
        this.phone.onAnswer = () => this._lose(.1);
    }

    get database() {
        return this.phone.database;
    }

    async sync() {
        try {
            await this.phone.sync();
        } catch (error) {
            if (!this.isNoisy || !(error instanceof TidemarkError)) throw error;
        }
    }

    edit() {
        const collection = this._pick(COLLECTIONS);
        const ids = [...this.database.rows(collection).keys()].sort();
        const act = this.random();
        if (act < .25 || ids.length === 0) return this._insert(collection);
        const id = this._pick(ids);
        const edit = { collection, id };
        if (act < .33) return this._do({ ...edit, do: 'delete' }, () => this.database.remove(collection, id));
        const field = this._pick([...FIELDS[collection].both, ...FIELDS[collection].phone]);
        const values = { [field]: valueOf(field, 'phone', this.ledger.edits.length) };
        return this._do({ ...edit, do: 'save', values }, () => this.database.update(collection, id, values));
    }

    /** Writes over a field of a row, if the row is here. */
    overwrite(collection, id, field) {
        if (!this.database.rows(collection).has(id)) return;
        const values = { [field]: valueOf(field, 'phone', this.ledger.edits.length) };
        this._do({ collection, id, do: 'save', values }, () => this.database.update(collection, id, values));
    }

    /** The user gives up new rows that the server does not take. */
    giveUp() {
        for (const collection of COLLECTIONS) {
            for (const [id, row] of this.database.rows(collection)) {
                if (row._status === 'created' && this.refused.has(id)) this.database.remove(collection, id);
            }
        }
    }

    _insert(collection) {
        const [id, tasks] = [this.nextID(), [...this.database.rows('tasks').keys()].sort()];
        const value = valueOf(FIELDS[collection].both[0], 'phone', this.ledger.edits.length);
        const made = newRow(collection, { id, tasks, random: this.random, value });
        if (!made) return;
        const values = { [FIELDS[collection].both[0]]: value };
        const edit = { do: 'insert', collection, id, values };
        this._do(edit, () => this.database.create(collection, made.row), made.references);
    }

    _do(edit, work, references) {
        const { number } = this.ledger.begin('phone', edit, references);
        work();
        this.ledger.answered(number, 'stored');
    }

    _note(report) {
        for (const what of ['rejected', 'conflicts', 'skipped']) {
            for (const { id } of Object.values(report[what] ?? {}).flat()) this.refused.add(id);
        }
    }

    _lose(probability) {
        if (!this.isNoisy || this.random() >= probability) return;
        this.lost += 1;
        throw new TypeError('It was lost.');
    }

    _pick(list) {
        return list[Math.floor(this.random() * list.length)];
    }
}
