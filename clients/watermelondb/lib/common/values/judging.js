import { Judge } from './judge.js';

/**
 * Judges values by the schema that the app brought and the one that the server sent last, each null if there is none. A
 * value is refused only if both refuse it: either may be older than the server.
 */
export class Judging {
    _judges = new Map();

    /** Answers to `GET /schemas/`, or only their lists, which `tidemark schema --format jsonschema` prints. */
    constructor(brought, fetched) {
        this._documents = [brought, fetched].filter(each => each).map(each => each.collections ?? each);
    }

    /** Whether no schema is known. */
    get isEmpty() {
        return this._documents.length === 0;
    }

    /** The collection's schemas, the server's last. */
    schemas(collection) {
        return this._documents.map(all => all.find(({ title }) => title === collection))
            .filter(each => each);
    }

    /** The name of the collection of memberships. */
    get memberships() {
        const isOne = each => each['x-scope'] === 'membership';
        return this._documents.flat().find(isOne)?.title ?? 'memberships';
    }

    /** As `Judge.errors`, in the words of the newer schema. */
    errors(collection, ...row) {
        const found = this.schemas(collection).map(document => this._judge(document).errors(...row));
        return (found.pop() ?? []).filter(({ field }) => found.every(errors => errors.some(each => each.field === field)));
    }

    _judge(document) {
        if (!this._judges.has(document)) this._judges.set(document, new Judge(document));
        return this._judges.get(document);
    }
}
