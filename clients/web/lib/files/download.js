import { invalidAnswer } from '../common/error.js';
import { typeOf } from '../common/files/requests.js';
import { ANY_TYPE } from '../common/files/types.js';
import { CUT } from '../common/trouble.js';

/** What has come of a file. A request that broke off leaves what it has read. */
export class Download {
    type = ANY_TYPE;
    size = 0;
    _pieces = [];

    /** Asks for what is missing; for all of it if the server has another file by now. */
    headersFor(digest) {
        return this.size > 0 ? { Range: `bytes=${this.size}-`, 'If-Range': `"${digest}"` } : {};
    }

    /** Another page sees `Content-Range` only if it may; the digest judges in the end. */
    begin(response) {
        const range = response.headers?.get?.('Content-Range') ?? '';
        const [, first = `${this.size}`] = /^bytes (\d+)-/.exec(range) ?? [];
        if (response.status !== 206 || Number(first) !== this.size) this.clear();
        this.type = typeOf(response);
        if (response.status === 206 && Number(first) !== this.size) throw invalidAnswer(CUT);
    }

    add(piece) {
        this._pieces.push(piece);
        this.size += piece.byteLength;
    }

    clear() {
        Object.assign(this, { size: 0, _pieces: [] });
    }

    /** The bytes in a buffer. */
    bytes() {
        return new Blob(this._pieces).arrayBuffer();
    }
}
