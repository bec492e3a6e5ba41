import { invalidAnswer } from './error.js';

/** The server's collections, as far as they matter here. Requested once, when first needed. */
export class Schemas {
    _known = null;

    constructor(transport) {
        this.transport = transport;
    }

    /** The collections by name: `{ isUploadable, fields: Set, references: [{ field, collection }] }`. */
    async collections(signal) {
        if (!this._known) this._known = read(await this.transport.json('GET', '/schemas/', { signal }));
        return this._known;
    }

    /** Makes the next call request the schema again, since the server has changed it. */
    forget() {
        this._known = null;
    }
}

function read(answer) {
    if (!Array.isArray(answer?.collections)) throw invalidAnswer('The answer to GET /schemas/ has no collections.');
    return new Map(answer.collections.map(document => [document.title, collection(document)]));
}

function collection(document) {
    const fields = Object.entries(document.properties);
    return {
        isUploadable: document['x-uploadable'] === true,
        fields: new Set(fields.map(([name]) => name)),
        references: fields.filter(([, field]) => field['x-ref'])
            .map(([name, field]) => ({ field: name, collection: field['x-ref'].collection })),
    };
}
