/** The SHA-256 of bytes, in 64 hex digits. */
export async function digestOf(bytes) {
    const hash = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', bytes));
    return [...hash].map(byte => byte.toString(16).padStart(2, '0')).join('');
}

/** The bytes that an app gives, in a buffer that nobody else changes. */
export async function bytesOf(given) {
    if (given instanceof Blob) return given.arrayBuffer();
    if (given instanceof ArrayBuffer) return given.slice(0);
    if (!ArrayBuffer.isView(given)) throw new TypeError('files.add needs bytes or a Blob.');
    return new Uint8Array(given.buffer, given.byteOffset, given.byteLength).slice().buffer;
}
