// The convergence digest of docs/protocol.md: an order-free sum over the rows of a collection.

/** The 64-bit FNV-1a hash of a row, as two halves. Without `BigInt`, which is slow or missing in some engines. */
function hashOf(id, version) {
    let [high, low] = [0xcbf29ce4, 0x84222325];
    // Ids are ASCII.
    const bytes = `${id}\0${version}`;
    for (let index = 0; index < bytes.length; index++) {
        low = (low ^ bytes.charCodeAt(index)) >>> 0;
        // Times 2^40 + 435: all products stay below 2^53.
        const product = low * 435;
        high = (high * 435 + Math.floor(product / 2 ** 32) + (low << 8 >>> 0)) % 2 ** 32;
        low = product % 2 ** 32;
    }
    return [high, low];
}

/** The count and the digest of rows, which are added and taken out one by one or as a whole. */
export class Digest {
    count = 0;
    _high = 0;
    _low = 0;

    addRow(id, version) {
        this._add(1, ...hashOf(id, version));
    }

    /** Takes out a row that was added. */
    removeRow(id, version) {
        this._add(-1, ...hashOf(id, version));
    }

    /** Adds a digest as the server sends it. */
    add({ count, digest }) {
        this._add(count, parseInt(digest.slice(0, 8), 16), parseInt(digest.slice(8), 16));
    }

    equals(other) {
        return this.count === other.count && this.text === other.text;
    }

    /** 16 hex digits, as on the wire. */
    get text() {
        return [this._high, this._low].map(half => half.toString(16).padStart(8, '0')).join('');
    }

    _add(count, high, low) {
        this.count += count;
        this._high = (this._high ^ high) >>> 0;
        this._low = (this._low ^ low) >>> 0;
    }
}
