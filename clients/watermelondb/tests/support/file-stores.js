import { sha256 } from './file-server.js';

/** The disk of a phone: files of the app by name, and those of a camera by URI. */
export class Disk {
    files = new Map();
    camera = new Map();

    /** A file store on this disk. With `isNative` it has a SHA-256 of its own. */
    store({ isNative = false } = {}) {
        const store = {
            copyIn: async (uri, name) => {
                const bytes = this.camera.get(uri) ?? this.files.get(uri.replace(/^disk:/, ''));
                if (!bytes) throw new Error('ENOENT: there is no such file');
                this.files.set(name, Buffer.from(bytes));
            },
            append: async (name, bytes) => {
                this.files.set(name, Buffer.concat([this.files.get(name) ?? Buffer.alloc(0), bytes]));
            },
            size: async name => this.files.get(name)?.length ?? null,
            read: async (name, offset, length) => {
                if (!this.files.has(name)) throw new Error('ENOENT: there is no such file');
                return new Uint8Array(this.files.get(name).subarray(offset, offset + length));
            },
            remove: async name => void this.files.delete(name),
            list: async () => [...this.files.keys()],
            uri: name => `disk:${name}`,
        };
        if (isNative) store.sha256 = async name => sha256(this.files.get(name));
        return store;
    }
}
