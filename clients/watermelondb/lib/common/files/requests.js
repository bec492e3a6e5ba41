import { invalidAnswer, notTidemark } from '../error.js';
import { readAnswer } from '../transport.js';
import { CUT } from '../trouble.js';
import { ANY_TYPE } from './types.js';

/** The fewest bytes that the server takes in a second. A slower connection is broken there. */
const SLOWEST = 16_384;

/**
 * The requests of docs/protocol.md, "Files" and "Uploads that go on". None is repeated, but for a new token. An answer
 * counts only if it says what only Tidemark says: a page to log in to a network has a 200 as well.
 */
export class FileRequests {
    constructor(transport, signal) {
        Object.assign(this, { transport, signal });
    }

    /** Begins an upload, or finds the one that was begun: `{ isStored, upload, offset }`. */
    async begin({ project, digest, size }) {
        const headers = { 'Upload-Complete': '?0', 'Upload-Length': `${size}` };
        const answer = await this._send('PUT', filePath(project, digest), { headers });
        if (answer.status === 200 && isComplete(answer)) return { isStored: true };
        const [, upload] = answer.header('Location')?.match(/\/uploads\/([^/]+)\/$/) ?? [];
        if (answer.status !== 201 || !upload) throw notTidemark();
        return { isStored: false, upload, offset: offsetOf(answer) };
    }

    /** How far an upload is: `{ isStored, offset }`. */
    async state(entry) {
        const answer = await this._send('HEAD', uploadPath(entry));
        const offset = offsetOf(answer);
        if (answer.status !== 204 || offset === null) throw notTidemark();
        return { isStored: isComplete(answer), offset };
    }

    /** Adds the bytes of a buffer at an offset. Returns how far it is then: `{ isStored, offset }`. */
    async append(entry, { bytes, offset, isLast }) {
        const headers = {
            'Content-Type': 'application/partial-upload', 'Upload-Offset': `${offset}`,
            'Upload-Complete': isLast ? '?1' : '?0',
        };
        const size = bytes.byteLength;
        const answer = await this._send('PATCH', uploadPath(entry), { headers, body: bytes, size });
        if (answer.status === 201 && isComplete(answer)) return { isStored: true, offset: offset + size };
        if (answer.status !== 204 || offsetOf(answer) === null) throw notTidemark();
        return { isStored: false, offset: offsetOf(answer) };
    }

    /** Ends an upload. */
    end(entry) {
        return this._send('DELETE', uploadPath(entry));
    }

    /** Reads a file to its end, from where the download broke off before. */
    async read({ project, digest }, download) {
        const read = async (response, goesOn) => {
            if (!response.ok) return readAnswer(response);
            download.begin(response);
            await readAll(response, piece => {
                download.add(piece);
                goesOn();
            });
            return { status: response.status };
        };
        const headers = download.headersFor(digest);
        await this._send('GET', filePath(project, digest), { headers, read }).catch(error => {
            // There is no byte after those that are here: whether they are all, their digest says.
            if (error.status !== 416 || download.size === 0) throw error;
        });
    }

    /** Up to so many bytes of a file from an offset on, and how many there are in all: `{ bytes, type, total }`. */
    async piece({ project, digest }, offset, length) {
        const read = async (response, goesOn) => {
            if (!response.ok) return readAnswer(response);
            const pieces = [];
            await readAll(response, piece => {
                pieces.push(piece);
                goesOn();
            });
            return { status: response.status, ...contentOf(response), bytes: joined(pieces) };
        };
        const headers = { Range: `bytes=${offset}-${offset + length - 1}` };
        try {
            const answer = await this._send('GET', filePath(project, digest), { headers, size: length, read });
            return pieceOf(answer, offset);
        } catch (error) {
            // An empty file has no range.
            if (error.status !== 416 || error.problem?.size !== offset) throw error;
            return { bytes: new Uint8Array(0), type: ANY_TYPE, total: offset };
        }
    }

    _send(method, path, { headers = {}, body, size = 0, read = readHead } = {}) {
        const { transport, signal } = this;
        const timeout = transport.timeout === null ? null : transport.timeout + size / SLOWEST * 1000;
        return transport.authorized({ method, address: transport.address(path), headers, body, signal, timeout, read });
    }
}

const filePath = (project, digest) => `/projects/${encodeURIComponent(project)}/sync/files/${digest}/`;

/** By the id alone: a proxy may have the server below another path, and no token goes to another place. */
const uploadPath = ({ project, upload }) => `/projects/${encodeURIComponent(project)}/sync/uploads/${upload}/`;

const readHead = async response =>
    ({ ...await readAnswer(response), header: name => response.headers?.get?.(name) ?? null });

const isComplete = ({ header }) => header('Upload-Complete') === '?1';

/** Null if the answer has none. */
function offsetOf({ header }) {
    const text = header('Upload-Offset') ?? '';
    return /^\d+$/.test(text) ? Number(text) : null;
}

function contentOf({ headers }) {
    const header = name => headers?.get?.(name) ?? '';
    return { type: typeOf({ headers }), range: header('Content-Range') };
}

/** What the server says that the bytes are. */
export const typeOf = ({ headers }) => headers?.get?.('Content-Type')?.split(';')[0].trim() || ANY_TYPE;

/** Something on the way may have sent the whole file. */
function pieceOf({ status, range, bytes, type }, offset) {
    if (status === 200) return { bytes: bytes.subarray(offset), type, total: bytes.length };
    const [, from, to, total] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(range) ?? []).map(Number);
    if (status !== 206 || from !== offset || to - from + 1 !== bytes.length) throw invalidAnswer(CUT);
    return { bytes, type, total };
}

/** Tells of each piece of the body as it comes. */
async function readAll(response, onPiece) {
    if (!response.body?.getReader) return onPiece(new Uint8Array(await response.arrayBuffer()));
    const reader = response.body.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) onPiece(next.value);
    return undefined;
}

/** Without a Blob: one of React Native takes no bytes. */
function joined(pieces) {
    const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
    let place = 0;
    for (const piece of pieces) {
        whole.set(piece, place);
        place += piece.length;
    }
    return whole;
}
