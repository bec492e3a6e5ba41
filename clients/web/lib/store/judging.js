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
        unit.stored ??= new Stored(unit, judging.memberships);
        return doubts(schema, edit, unit.stored);
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

/**
 * The rows of a transaction, for `doubts`. They are not written, so `unit.rows` need not know of them. Those of a project
 * are read once, however many edits there are.
 */
class Stored {
    _known = new Map();

    constructor(unit, memberships) {
        Object.assign(this, { transaction: unit.transaction, memberships, user: unit.state.owner?.id ?? null });
    }

    /** Projects are archived over REST, so no edit changes one meanwhile. */
    async find(collection, id) {
        if (collection === 'projects') return (await this._once(collection, id))[0] ?? null;
        return shownIn([await this.transaction.get('rows', [collection, id])])[0] ?? null;
    }

    async of(collection, project, reference) {
        if (!reference) return this._once(collection, project);
        const found = await this.transaction.all('rows', [reference.collection, reference.id], 'references');
        return shownIn(found).filter(row => row.collection === collection && row.project_id === project);
    }

    _once(collection, project) {
        const key = `${collection} ${project}`;
        if (!this._known.has(key)) {
            const range = keyRange(beginningWith(project, collection));
            this._known.set(key, this.transaction.all('rows', range, 'project').then(shownIn));
        }
        return this._known.get(key);
    }
}

const shownIn = records => records.filter(record => record && record._status !== 'deleted')
    .map(({ collection, id, project_id, values }) => ({ ...values, collection, id, project_id }));
