import { invalidAnswer } from '../common/error.js';
import { ANY_TYPE } from '../common/files/types.js';
import { CUT } from '../common/trouble.js';
import { addInTurns } from './intake.js';
import { SHA256 } from './sha256.js';

/** Bytes of a request. An answer is in memory as a whole: React Native's `fetch` can't read it as it comes. */
const PIECE = 2 ** 20;

/** Reads a file from the server into a new file of the store, piece by piece, and checks it. */
export class Download {
    _failures = 0;
    _restarts = 0;

    constructor({ requests, transport, store, signal }, { digest, project }, file) {
        Object.assign(this, { requests, transport, store, signal, digest, project, file });
    }

    /** Resolves to `{ size, type }`. After a break it goes on where it was. */
    async run() {
        this._begin();
        while (!await this._tried());
        return { size: this._offset, type: this._type };
    }

    _begin() {
        Object.assign(this, { _hash: new SHA256(), _offset: 0, _type: ANY_TYPE });
    }

    /** One request. Returns whether it was the last one. */
    async _tried() {
        try {
            const isWhole = await this._step();
            if (isWhole) await this._check();
            this._failures = 0;
            return isWhole;
        } catch (error) {
            const delay = this.transport.delay(error, ++this._failures + this._restarts);
            if (delay === null) throw error;
            await this.transport.wait(delay, this.signal);
            return false;
        }
    }

    async _step() {
        const { bytes, type, total } = await this.requests.piece(this, this._offset, PIECE);
        await this.store.append(this.file, bytes);
        this._offset += bytes.length;
        this._type = type;
        await addInTurns(this._hash, bytes);
        return this._offset >= total;
    }

    async _check() {
        if (this._hash.end() === this.digest) return;
        await this.store.remove(this.file);
        this._begin();
        this._restarts++;
        throw invalidAnswer(CUT);
    }
}
