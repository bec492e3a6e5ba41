// What docs/react-native.md imports from Expo's packages for files and the camera, as strict as their documentation. Its
// files lie in a folder of this machine.
import {
    closeSync, copyFileSync, existsSync, fstatSync, mkdirSync, mkdtempSync, openSync, readSync, readdirSync, rmSync, statSync,
    writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = mkdtempSync(join(tmpdir(), 'tidemark-phone-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));

/** Newer versions have promises where older ones have values. */
export const expo = { isAsync: false };
const given = value => (expo.isAsync ? Promise.resolve(value) : value);

const pathOf = parts => join(...parts.map(part => (typeof part === 'string' && /^file:/.test(part)
    ? fileURLToPath(part) : part.path ?? part)));

class Place {
    constructor(...parts) {
        this.path = pathOf(parts);
    }

    get uri() {
        return pathToFileURL(this.path).href;
    }

    get name() {
        return basename(this.path);
    }

    get exists() {
        return existsSync(this.path);
    }
}

export class Directory extends Place {
    create({ intermediates = false, idempotent = false } = {}) {
        if (this.exists && !idempotent) throw new Error('The directory exists already.');
        mkdirSync(this.path, { recursive: intermediates || this.exists });
    }

    list() {
        return readdirSync(this.path).map(name => new File(this, name));
    }
}

export class File extends Place {
    create() {
        if (this.exists) throw new Error('The file exists already.');
        closeSync(openSync(this.path, 'wx'));
    }

    copy(to) {
        if (!this.exists) throw new Error('The file does not exist.');
        if (to.exists) throw new Error('The destination exists already.');
        return given(copyFileSync(this.path, to.path));
    }

    delete() {
        rmSync(this.path);
    }

    get size() {
        return this.exists ? statSync(this.path).size : 0;
    }

    open() {
        if (!this.exists) throw new Error('The file does not exist.');
        return new FileHandle(openSync(this.path, 'r+'));
    }
}

/** It is closed when the work is done, or a promise of it would fail. */
class FileHandle {
    offset = 0;

    constructor(descriptor) {
        this.descriptor = descriptor;
    }

    get size() {
        return fstatSync(this.descriptor).size;
    }

    readBytes(length) {
        const read = () => {
            const bytes = new Uint8Array(length);
            const count = readSync(this.descriptor, bytes, 0, length, this.offset);
            this.offset += count;
            return bytes.subarray(0, count);
        };
        return expo.isAsync ? Promise.resolve().then(read) : read();
    }

    writeBytes(bytes) {
        const write = () => {
            if (bytes.length) this.offset += writeSync(this.descriptor, bytes, 0, bytes.length, this.offset);
        };
        return expo.isAsync ? Promise.resolve().then(write) : write();
    }

    close() {
        closeSync(this.descriptor);
        this.descriptor = null;
    }
}

export const Paths = { document: new Directory(root), cache: new Directory(tmpdir()) };

/** What the camera gives next; null if the user takes no photo. */
export const camera = { next: null, granted: true };
export const requestCameraPermissionsAsync = async () => ({ granted: camera.granted });
export const launchCameraAsync = async () => (camera.next ? { canceled: false, assets: [camera.next] } : { canceled: true });
