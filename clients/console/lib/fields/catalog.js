import { kindOf, typeOf } from './kinds.js';
import { choiceWords, singular, words } from './names.js';

/** Fields that name a row for people, the best first. */
const NAMES = ['name', 'title', 'display_name', 'custom_title', 'label', 'subject', 'summary', 'text', 'url'];

/** The roles of a project by their number. */
export const ROLES = new Map([[1, 'Viewer'], [100, 'Member'], [200, 'Scheduler'], [300, 'Admin'], [400, 'Owner']]);

/** A field of a collection, as docs/schemas.md explains its keywords. */
class Field {
    constructor(name, document, isRequired) {
        this.name = name;
        this.document = document;
        this.kind = kindOf(name, document);
        this.label = words(name);
        this.isRequired = isRequired;
        this.isNullable = [document.type].flat().includes('null');
        this.isReadOnly = document.readOnly === true;
        this.standard = document.default ?? null;
        this.reference = document['x-ref']?.collection ?? null;
        this.onDelete = document['x-ref']?.['on-delete'] ?? null;
        this.type = typeOf(document);
        this.choices = (document.enum ?? []).map(value => ({ value, label: choiceWords(value) }));
    }

    /** Whether it is a share of a hundred. */
    get isPercent() {
        return this.document.minimum === 0 && this.document.maximum === 100;
    }

    get isNumeric() {
        return this.kind === 'integer' || this.kind === 'number';
    }
}

/** A collection of the schema. */
class Collection {
    constructor(document) {
        const { title, properties, required = [] } = document;
        this.name = title;
        this.document = document;
        this.title = words(title);
        this.singular = singular(title);
        this.scope = document['x-scope'] ?? 'ordinary';
        this.rules = document['x-rules'] ?? [];
        this.roles = document['x-roles'];
        this.isUploadable = document['x-uploadable'] === true || document['x-uploadable-user-wide'] === true;
        this.fields = Object.entries(properties).filter(([, field]) => field['x-removed'] !== true)
            .map(([name, field]) => new Field(name, field, required.includes(name)));
        this._byName = new Map(this.fields.map(field => [field.name, field]));
        this.nameField = NAMES.map(name => this._byName.get(name)).find(field => field?.type === 'string') ?? null;
        if (this.scope === 'membership') this._nameRoles();
    }

    /** The field; undefined if there is none. */
    field(name) {
        return this._byName.get(name);
    }

    _nameRoles() {
        const { choices = [] } = this.field('role') ?? {};
        for (const choice of choices) choice.label = ROLES.get(choice.value) ?? choice.label;
    }
}

/** The schema of `tidemark.schema()`, made for showing it. */
export class Catalog {
    constructor({ schema_version: version, collections }) {
        this.version = version;
        this.collections = collections.filter(each => each['x-removed'] !== true).map(each => new Collection(each));
        this._byName = new Map(this.collections.map(each => [each.name, each]));
        this.memberships = this.collections.find(({ scope }) => scope === 'membership');
    }

    /** The collection; undefined if there is none. */
    collection(name) {
        return this._byName.get(name);
    }

    /** The fields that refer to rows of a collection: `{ collection, field }`. */
    referringTo(name) {
        return this.collections.flatMap(collection => collection.fields
            .filter(({ reference }) => reference === name).map(field => ({ collection, field })));
    }

    /** The collections whose rows are needed to name the rows of a collection and what they refer to. */
    neededToName(name, known = new Set()) {
        for (const { reference } of this.collection(name)?.fields ?? []) {
            if (reference === null || known.has(reference)) continue;
            known.add(reference);
            this.neededToName(reference, known);
        }
        return known;
    }
}
