import { memoryStorage } from '../../index.js';
import { Disk } from './file-stores.js';
import { Phone } from './phone.js';

/** A phone with files, on a disk and with a storage that outlive it. */
export class Photographer extends Phone {
    constructor(server, project, token, { disk = new Disk(), storage = memoryStorage(), ...options } = {}) {
        super(server, project, token, { storage, fileStore: disk.store({ isNative: true }), ...options });
        Object.assign(this, { disk, storage, files: this.adapter.files });
    }

    /** Adds a file, and a row that names it. Returns its digest. */
    async attach(bytes, row = {}, options = {}) {
        const { digest } = await this.files.add(bytes, options);
        this.database.create('attachments', { id: `a-${digest.slice(0, 12)}`, name: 'Photo', file: digest, ...row });
        return digest;
    }

    async stateOf(digest, options) {
        return (await this.files.state(digest, options))?.state ?? null;
    }

    /** Resolves when a file is in this state. */
    async comesTo(digest, state, options) {
        for (let turn = 0; turn < 60_000; turn++) {
            if (await this.stateOf(digest, options) === state) return;
            await new Promise(resolve => setTimeout(resolve, 5));
        }
        throw new Error(`${digest} is ${JSON.stringify(await this.files.state(digest, options))}, and not ${state}.`);
    }

    async stored(digest, options) {
        await this.sync();
        await this.comesTo(digest, 'stored', options);
    }

    /** What was asked of files: `METHOD kind status`. */
    get asked() {
        return this.requests.filter(({ address }) => isOfFiles(address)).map(({ method, address, status }) =>
            `${method} ${OF_FILES.exec(address)[1]} ${status}`);
    }

    row(digest) {
        return this.database.rows('attachments').get(`a-${digest.slice(0, 12)}`);
    }
}

export const contentOf = async opened => new Uint8Array(await opened.arrayBuffer());

const OF_FILES = /\/sync\/(files|uploads)\//;

/** Whether a request is one of files. */
export const isOfFiles = address => OF_FILES.test(address);
