import { parsed } from './storage.js';

/** More than a push ever has; older ones were given up long ago. */
const KEPT = 200;

/**
 * The batch ids of bodies that were sent and not answered yet. The same body goes out again under the same id, so that
 * the server applies it once; after the answer the id is forgotten, because an equal edit later is an edit of its own.
 */
export class BatchIDs {
    _ids = null;

    constructor(storage, key) {
        this.storage = storage;
        this.key = key;
    }

    /** The id of the body with this fingerprint, stored before it is returned. */
    async idFor(print) {
        return (await this._load()).get(print) ?? this.renew(print);
    }

    /** Another id for a body, because the server knows the old one with another body. */
    async renew(print) {
        const ids = await this._load();
        const id = uuid();
        ids.set(print, id);
        while (ids.size > KEPT) ids.delete(ids.keys().next().value);
        await this._save();
        return id;
    }

    async forget(print) {
        (await this._load()).delete(print);
        await this._save();
    }

    async _load() {
        if (!this._ids) {
            const stored = parsed(await this.storage.get(this.key));
            // Another push may have read it meanwhile.
            if (!this._ids) this._ids = new Map(stored ?? []);
        }
        return this._ids;
    }

    async _save() {
        if (this._ids.size) await this.storage.set(this.key, JSON.stringify([...this._ids]));
        else await this.storage.remove(this.key);
    }
}

/**
 * 64 bits and the length of a text. No cryptography: two bodies with the same fingerprint would share an id, and then
 * the server, which compares bodies by SHA-256, says `batch_id_reused`.
 */
export function fingerprint(text) {
    let low = 0x2545f491;
    let high = 0x9e3779b9 | 0;
    for (let index = 0; index < text.length; index++) {
        const unit = text.charCodeAt(index);
        low = Math.imul(low ^ unit, 0x01000193);
        high = Math.imul((high << 5 | high >>> 27) ^ unit, 0x85ebca6b);
    }
    const hex = number => (number >>> 0).toString(16).padStart(8, '0');
    return `${hex(low)}${hex(high)}-${text.length}`;
}

/** A random UUID, also where there is no `crypto`, as in React Native without a polyfill. */
export function uuid() {
    const native = globalThis.crypto?.randomUUID;
    if (native) return native.call(globalThis.crypto);
    const digits = Array.from({ length: 32 }, () => Math.floor(Math.random() * 16));
    digits[12] = 4;
    digits[16] = 8 + digits[16] % 4;
    const text = digits.map(digit => digit.toString(16)).join('');
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}
