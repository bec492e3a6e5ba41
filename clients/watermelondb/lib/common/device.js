import { uuid } from './uuid.js';

/**
 * What the device tells about itself with each request, for the list of devices on the server. Without an id of the
 * app's, it makes one and keeps it in the app's storage. Without either it tells nothing: a new id with each start
 * would fill the list.
 */
export class Device {
    _headers = null;
    /** How the last comparison ended, `same` or `differs`, until a request has told it. */
    comparison = null;

    constructor({ deviceId = null, deviceName = null, appVersion = null, storage = null }, prefix) {
        Object.assign(this, { id: deviceId, name: deviceName, version: appVersion, storage });
        this.key = `${prefix}device`;
    }

    /** No header if the id can't be one: `fetch` would throw, and an upload has the id in its body anyway. */
    async headers() {
        const headers = await this._known();
        if (!this.comparison || !headers['Tidemark-Device-Id']) return headers;
        return { ...headers, 'Tidemark-Digest': this.comparison };
    }

    /** Notes that a request with these headers was answered. */
    told(headers) {
        if (headers['Tidemark-Digest'] === this.comparison) this.comparison = null;
    }

    async _known() {
        if (this._headers) return this._headers;
        const id = this.id ?? await this._made();
        const headers = {};
        if (id && /^[\x21-\x7e]([\x20-\x7e]{0,126}[\x21-\x7e])?$/.test(id)) {
            headers['Tidemark-Device-Id'] = id;
            if (this.name) headers['Tidemark-Device-Name'] = encoded(this.name);
            if (this.version) headers['Tidemark-App-Version'] = encoded(this.version);
        }
        this._headers = headers;
        return headers;
    }

    /** Takes over the id that the adapter made when the database had another scope: it is still the same device. */
    async inherit(prefix) {
        const known = await this.storage?.get(`${prefix}device`);
        if (!known) return;
        if (!this.id && !await this.storage.get(this.key)) await this.storage.set(this.key, known);
        await this.storage.remove(`${prefix}device`);
    }

    /** The next request has another id: the next user's data must not be linked with this one's. */
    async forget() {
        this.comparison = null;
        if (this.id) return;
        this._headers = this._making = null;
        await this.storage?.remove(this.key);
    }

    async _made() {
        if (!this.storage) return null;
        // Calls at the same time must not make two.
        this._making ??= (async () => {
            const known = await this.storage.get(this.key);
            if (known) return known;
            const made = uuid();
            await this.storage.set(this.key, made);
            return made;
        })().catch(() => {
            // The storage fails the sync soon enough. A list of devices is no reason to.
            this._making = null;
            return null;
        });
        return this._making;
    }
}

/** The server decodes it. It keeps less than 200 characters. Half of a surrogate pair could not be encoded. */
function encoded(text) {
    const characters = Array.from(String(text)).slice(0, 200).filter(one => !/^[\ud800-\udfff]$/.test(one));
    return encodeURIComponent(characters.join(''));
}
