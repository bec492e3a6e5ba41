import { doubts } from './common/values/doubts.js';
import { Judging } from './common/values/judging.js';
import { decodedRow, worded } from './encoding.js';

/** Columns of every row, which no form writes. */
const EVERYWHERE = ['id', 'project_id', 'server_version', '_status', '_changed'];

/** Judges what a form is about to write to the local database, by the schemas that are known and the rows that are here. */
export class Check {
    _judging = null;
    _fetched = null;

    constructor({ schemas, owner, scope }, { schema = null, localColumns = {} }) {
        Object.assign(this, { schemas, owner, scope, brought: schema, localColumns });
    }

    /** See index.d.ts. */
    async run(collection, row, database = null) {
        const judging = this._judgingBy(await this.schemas.document());
        const schema = judging.schemas(collection).pop();
        if (!schema) return { errors: judging.isEmpty ? [] : [unknown(collection)], warnings: [] };
        const rows = new Here(judging, database, this.scope, await this.owner.user());
        const stored = row.id === undefined ? null : await rows.raw(collection, row.id);
        const left = [...EVERYWHERE, ...this.localColumns[collection] ?? []];
        const sent = Object.fromEntries(Object.entries(row).filter(([name, value]) =>
            !left.includes(name) && (stored === null || value !== stored[name])));
        const before = stored && decodedRow(stored, schema);
        const values = decodedRow(sent, schema);
        const errors = judging.errors(collection, values, before)
            .map(error => worded(error, schema.properties[error.field]));
        return { errors, warnings: await this._warnings(schema, row, values, before, rows) };
    }

    async _warnings(schema, { id = null, project_id }, values, before, rows) {
        const project = this.scope.project ?? project_id ?? before?.project_id;
        if (!rows.database || !project) return [];
        const start = before ?? Object.fromEntries(Object.entries(schema.properties)
            .map(([name, field]) => [name, field.default ?? null]));
        const edit = { id, project_id: project, verb: before ? 'update' : 'create', before, values: { ...start, ...values } };
        return doubts(schema, edit, rows);
    }

    _judgingBy(fetched) {
        if (this._judging === null || this._fetched !== fetched) {
            this._fetched = fetched;
            this._judging = new Judging(this.brought, fetched);
        }
        return this._judging;
    }
}

const unknown = name =>
    ({ field: null, code: 'unknown_collection', pointer: '', detail: `There is no collection ${name}.` });

/** The rows of a local database, for `doubts`. */
class Here {
    _raw = new Map();

    constructor(judging, database, scope, user) {
        Object.assign(this, { judging, database, scope, user, memberships: judging.memberships });
    }

    /** The row as WatermelonDB has it; null if there is none. */
    async raw(collection, id) {
        return (await this._all(collection)).find(row => row.id === id) ?? null;
    }

    async find(collection, id) {
        return (await this.of(collection)).find(row => row.id === id) ?? null;
    }

    /** `reference` only says where an index would help. */
    async of(collection, project = null) {
        const schema = this.judging.schemas(collection).pop();
        if (!schema) return [];
        const rows = (await this._all(collection)).map(row => this._row(row, schema));
        return project === null ? rows : rows.filter(row => row.project_id === project);
    }

    /** In a database of one project, all rows are of it. */
    _row(row, schema) {
        return { ...decodedRow(row, schema), id: row.id, project_id: this.scope.project ?? row.project_id };
    }

    _all(collection) {
        const table = this.database?.collections.map[collection];
        if (!this._raw.has(collection)) this._raw.set(collection, table?.query().unsafeFetchRaw() ?? []);
        return this._raw.get(collection);
    }
}
