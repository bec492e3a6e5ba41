import { invalidAnswer } from './common/error.js';

/**
 * The server's collections, as far as they matter here. Requested once, when first needed. Their names are noted, since
 * a collection that was there once is not one that only the app has.
 */
export class Schemas {
    _known = null;

    /** In the user-wide scope, more can be uploaded, and every row refers to its project. */
    constructor(transport, { isUserWide }, owner) {
        Object.assign(this, { transport, isUserWide, owner });
    }

    /** The collections by name: `{ isUploadable, fields: Set, references: [{ field, collection }] }`. */
    async collections(signal) {
        if (!this._known) {
            const known = this.read(await this.transport.json('GET', '/schemas/', { signal }));
            await this.owner.noteCollections([...known.keys()]);
            this._known = known;
        }
        return this._known;
    }

    get isKnown() {
        return this._known !== null;
    }

    /** The names of collections that the server had once, and has no more. */
    async removed(signal) {
        const known = await this.collections(signal);
        return new Set((await this.owner.collections()).filter(name => !known.has(name)));
    }

    /** Makes the next call request the schema again, since the server has changed it. */
    forget() {
        this._known = null;
    }

    read(answer) {
        if (!Array.isArray(answer?.collections)) throw invalidAnswer('The answer to GET /schemas/ has no collections.');
        return new Map(answer.collections.map(document => [document.title, this.collection(document)]));
    }

    collection(document) {
        const fields = Object.entries(document.properties);
        const references = fields.filter(([, field]) => field['x-ref'])
            .map(([name, field]) => ({ field: name, collection: field['x-ref'].collection }));
        // No field of the schema says so.
        if (this.isUserWide && document.title !== 'projects') {
            references.push({ field: 'project_id', collection: 'projects' });
        }
        return {
            isUploadable: document['x-uploadable'] === true
                || (this.isUserWide && document['x-uploadable-user-wide'] === true),
            fields: new Set(fields.map(([name]) => name)), references,
        };
    }
}
