import { TidemarkError } from '../common/error.js';
import { SNIFFED, sniffedType } from '../common/files/types.js';
import { SHA256 } from './sha256.js';

/** Bytes that are in memory at a time. */
export const PIECE = 2 ** 18;
/** Bytes that are hashed in one turn. An engine that only interprets takes some 15 ms for them. */
const TURN = 2 ** 16;

const SCHEME = /^[a-z][a-z0-9+.-]+:/i;

/** Stores what an app gives, in a new file of the store. */
export async function takeIn(store, given, file) {
    if (typeof given === 'string' && SCHEME.test(given)) return void await store.copyIn(given, file);
    const { size, read } = readable(given);
    await store.append(file, await read(0, Math.min(size, PIECE)));
    for (let offset = PIECE; offset < size; offset += PIECE) {
        await store.append(file, await read(offset, Math.min(size, offset + PIECE)));
    }
}

function readable(given) {
    if (given instanceof ArrayBuffer) return readable(new Uint8Array(given));
    if (ArrayBuffer.isView(given)) {
        const { buffer, byteOffset, byteLength: size } = given;
        return { size, read: (offset, end) => new Uint8Array(buffer, byteOffset + offset, end - offset).slice() };
    }
    // A Blob, by what it can do: that of React Native can't be read, and the files of Expo are none.
    if (typeof given?.slice === 'function' && typeof given.arrayBuffer === 'function' && given.size >= 0) {
        const read = async (offset, end) => new Uint8Array(await given.slice(offset, end).arrayBuffer());
        return { size: given.size, read };
    }
    throw new TypeError('files.add needs a URI such as file:///…, bytes, or a Blob that can be read.');
}

/** The digest, the size and the type of a file in the store: `{ digest, size, type }`. */
export async function described(store, file) {
    const size = await store.size(file);
    if (!Number.isSafeInteger(size)) throw new Error(`The file store has no ${file} after it was written.`);
    const type = sniffedType((await readExactly(store, file, 0, Math.min(size, SNIFFED))).slice().buffer);
    if (store.sha256) return { digest: checked(await store.sha256(file)), size, type };
    const hash = new SHA256();
    for (let offset = 0; offset < size; offset += PIECE) {
        await addInTurns(hash, await readExactly(store, file, offset, Math.min(PIECE, size - offset)));
    }
    return { digest: hash.end(), size, type };
}

function checked(digest) {
    if (/^[0-9a-f]{64}$/i.test(digest)) return digest.toLowerCase();
    throw new TypeError('files.add: sha256 of the fileStore has to give 64 hex digits.');
}

/** Adds bytes to a hash, and lets others do something meanwhile. */
export async function addInTurns(hash, bytes) {
    for (let place = 0; place < bytes.length; place += TURN) {
        hash.add(bytes.subarray(place, place + TURN));
        await new Promise(resolve => setTimeout(resolve, 0));
    }
}

/** Throws if the file does not have all these bytes. */
export async function readExactly(store, file, offset, length) {
    if (length === 0) return new Uint8Array(0);
    const bytes = await store.read(file, offset, length);
    if (bytes?.length !== length) throw bytesLost();
    return bytes;
}

export const bytesLost = () =>
    new TidemarkError('bytes_lost', 'This device has lost the bytes of this file. Add it again.');

/** The file store has failed. */
export const notCopied = cause => new TidemarkError('not_copied',
    `The file can't be stored here. Check that it is there, and that there is room. (${cause?.message ?? cause})`,
    { cause });
