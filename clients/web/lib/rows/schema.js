import { invalidAnswer, notTidemark } from '../common/error.js';

/** The field with a row's project. A project's rows are deleted with it, as those of a reference that cascades. */
const PROJECT = {
    name: 'project_id', types: ['string'], standard: null, isReadOnly: false, isNullable: false,
    reference: 'projects', onDelete: 'cascade',
};
const EVERYWHERE = ['id', 'server_version', PROJECT.name];

const ACCEPTS = {
    string: value => typeof value === 'string',
    integer: Number.isInteger,
    number: Number.isFinite,
    boolean: value => typeof value === 'boolean',
    array: Array.isArray,
    object: value => typeof value === 'object' && !Array.isArray(value),
};

/** What a field takes. `standard` is the value of a new row that does not name it. */
class Field {
    constructor(name, document) {
        const types = [document.type ?? []].flat();
        this.name = name;
        this.types = types.filter(type => type !== 'null');
        this.isNullable = types.length === 0 || types.includes('null');
        this.isReadOnly = document.readOnly === true;
        this.standard = document.default ?? null;
        this.reference = document['x-ref']?.collection ?? null;
        this.onDelete = document['x-ref']?.['on-delete'] ?? null;
    }
}

/** Whether a field can hold the value. Before the server has sent a value, every field can be null. */
export const accepts = (field, value) =>
    value === null || field.types.length === 0 || field.types.some(type => ACCEPTS[type]?.(value));

class Collection {
    /** In the form of one project, projects are changed over REST. */
    constructor(document, isUserWide) {
        const { title, properties, required = [] } = document;
        if (typeof title !== 'string' || typeof properties !== 'object') throw unusable('a collection has no fields');
        this.name = title;
        this.isUploadable = document['x-uploadable'] === true
            || (isUserWide && document['x-uploadable-user-wide'] === true);
        this.fields = Object.entries(properties).filter(([name]) => !EVERYWHERE.includes(name))
            .map(([name, field]) => new Field(name, field));
        this.references = [...this.fields.filter(({ reference }) => reference !== null), PROJECT];
        this._byName = new Map(this.fields.map(field => [field.name, field]));
        this.required = required.filter(name => this._byName.get(name)?.isReadOnly === false);
    }

    /** The field; undefined if there is none. */
    field(name) {
        return this._byName.get(name);
    }
}

/** The collections of `GET /schemas/`, in the order of drains: parents before children. */
export class Schema {
    /** Throws `invalid_answer` for a document that no replica can be made of. */
    constructor(document, isUserWide) {
        const { schema_version: version, collections } = document ?? {};
        if (typeof version !== 'string' || !Array.isArray(collections)) throw notTidemark();
        this.document = document;
        this.version = version;
        this.collections = collections.map(each => new Collection(each, isUserWide));
        this._byName = new Map(this.collections.map(each => [each.name, each]));
    }

    /** The collection; undefined if there is none. */
    collection(name) {
        return this._byName.get(name);
    }

    /**
     * Whether rows that are stored by `former` lack something of this schema: then the watermark means nothing any
     * more, and all rows have to come again.
     */
    hasMoreThan(former) {
        return this.collections.some(({ name, fields }) => fields.some(field => {
            const known = former.collection(name)?.field(field.name);
            return !known || known.reference !== field.reference;
        }));
    }
}

const unusable = why => invalidAnswer(`The answer to GET /schemas/ can't be used: ${why}.`);
