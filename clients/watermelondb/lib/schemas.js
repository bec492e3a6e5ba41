import { notTidemark } from './common/error.js';
import { blobFields } from './common/files/named.js';
import { LongTexts } from './long-texts.js';
import { parsed } from './storage.js';

/**
 * The server's collections, as far as they matter here. Requested once, when first needed. Their names are noted, since
 * a collection that was there once is not one that only the app has.
 */
export class Schemas {
    _known = null;
    _document = null;

    /** In the user-wide scope, more can be uploaded, and every row refers to its project. */
    constructor(transport, { isUserWide, prefix }, owner, storage) {
        Object.assign(this, { transport, isUserWide, owner, key: `${prefix}schema`, texts: new LongTexts(storage) });
    }

    /**
     * The collections by name: `{ isUploadable, fields: Set, references: [{ field, collection }],
     * files: [{ field, state, size }] }`.
     */
    async collections(signal) {
        if (!this._known) {
            const document = await this.transport.json('GET', '/schemas/', { signal });
            const known = this.read(document);
            await this._keep(document);
            await this.owner.noteCollections([...known.keys()]);
            this._known = known;
        }
        return this._known;
    }

    /** The same, by the last answer of the server if there is one. It may be old. */
    async kept(signal) {
        const document = this._known ? null : await this.document();
        return document ? this.read(document) : this.collections(signal);
    }

    /** The last answer of the server, kept for a form that is filled in without a network; null if there was none. */
    async document() {
        this._document ??= parsed(await this.texts.get(this.key));
        return this._document;
    }

    /** Sees to it that one is kept, since a sync may need none itself. Without an answer the next sync asks again. */
    async bring(signal) {
        await this.document().then(known => known ?? this.collections(signal)).catch(() => {});
    }

    /** A storage that is full is no reason for a sync to fail. */
    async _keep(document) {
        const known = await this.document().catch(() => null);
        if (known && known.schema_version === document.schema_version) return;
        this._document = document;
        if (typeof document.schema_version !== 'string') return;
        await this.texts.set(this.key, JSON.stringify(document)).catch(() => {});
    }

    /** Removes what is kept. */
    async drop() {
        this._document = null;
        await this.texts.remove(this.key);
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
        if (!Array.isArray(answer?.collections)) throw notTidemark();
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
            files: blobFields(document.properties), isUploadable: document['x-uploadable'] === true
                || (this.isUserWide && document['x-uploadable-user-wide'] === true),
            fields: new Set(fields.map(([name]) => name)), references,
        };
    }
}
