import { TidemarkError } from '../common/error.js';
import { doubts } from '../common/values/doubts.js';
import { Judging } from '../common/values/judging.js';
import { beginningWith, keyRange } from './transaction.js';

/** Judges the edits of a copy. It is loaded for the first of them: many pages only show rows. */
export class EditJudge {
    _judging = null;
    _fetched = null;

    /** `brought` is the schema that the app brought, if it brought one. */
    constructor(brought) {
        this.brought = brought;
    }

    /**
     * Throws what is wrong with the values of a row: see `Judging`. `record` is the row so far; null for a new one, which
     * gets the schema's defaults.
     */
    check(unit, collection, values, record = null) {
        const given = record ? values : { ...defaults(collection), ...values };
        const errors = this._of(unit).errors(collection.name, given, record?.values ?? null, record?._base?.values ?? null);
        if (errors.length === 0) return;
        const [{ code, detail }] = errors;
        const more = errors.length > 1 ? ` ${errors.length} problems in all, see errors; nothing was stored.` : '';
        throw new TidemarkError(code, detail + more, { errors });
    }

    /** What the server may refuse in an edit that is stored: see `doubts`. `before` and `after` are rows, or null. */
    async warnings(unit, collection, before, after) {
        const judging = this._of(unit);
        const schema = judging.schemas(collection).pop();
        if (!schema || (!before && !after)) return [];
        const { id, project_id } = after ?? before;
        const verb = !before ? 'create' : after ? 'update' : 'delete';
        const edit = { id, project_id, verb, values: after ?? before, before };
        return doubts(schema, edit, new Stored(unit, judging.memberships));
    }

    _of({ schema }) {
        if (this._judging === null || this._fetched !== schema.document) {
            this._fetched = schema.document;
            this._judging = new Judging(this.brought, this._fetched === this.brought ? null : this._fetched);
        }
        return this._judging;
    }
}

/** The defaults of the fields that a new row must have: a new row is sent with them. */
function defaults(collection) {
    const all = collection.required.map(name => [name, collection.field(name).standard]);
    return Object.fromEntries(all.filter(([, standard]) => standard !== null));
}

/** The rows of a transaction, for `doubts`. They are not written, so `unit.rows` need not know of them. */
class Stored {
    constructor(unit, memberships) {
        Object.assign(this, { transaction: unit.transaction, memberships, user: unit.state.owner?.id ?? null });
    }

    async find(collection, id) {
        return shownIn([await this.transaction.get('rows', [collection, id])])[0] ?? null;
    }

    async of(collection, project, reference) {
        const found = reference
            ? await this.transaction.all('rows', [reference.collection, reference.id], 'references')
            : await this.transaction.all('rows', keyRange(beginningWith(project, collection)), 'project');
        return shownIn(found).filter(row => row.collection === collection && row.project_id === project);
    }
}

const shownIn = records => records.filter(record => record && record._status !== 'deleted')
    .map(({ collection, id, project_id, values }) => ({ ...values, collection, id, project_id }));
