import { createHash } from 'node:crypto';

export const sha256 = bytes => createHash('sha256').update(bytes).digest('hex');

const SCHEMA = {
    title: 'attachments', 'x-uploadable': true,
    properties: {
        file: { type: 'string', format: 'blob', 'x-blob': { state: 'state', size: 'size' } }, state: { type: 'string', readOnly: true },
    },
};

/** What docs/protocol.md says of files and of rows that name them, for one project and one user. */
export class FileServer {
    /** The bytes by digest. */
    files = new Map();
    uploads = new Map();
    rows = new Map();
    head = 1;
    _last = 0;
    /** How often bytes came to their end that were here already, and how often of each digest. */
    needless = [];
    /** The bytes of bodies. */
    received = 0;

    /** Answers a request. `most`: so many bytes of its body arrive. */
    answer(method, address, { headers = {}, body } = {}, most = Infinity) {
        const { pathname, searchParams } = new URL(address);
        const [, place, name] = /\/(files|uploads)\/([^/]+)\/$/.exec(pathname) ?? [];
        if (pathname.endsWith('/auth/me/')) return json(200, { id: 1 });
        if (pathname.endsWith('/schemas/')) return json(200, { schema_version: '1', collections: [SCHEMA] });
        if (place === 'files') return method === 'PUT' ? this._begin(name, headers) : this._read(name, headers);
        if (place === 'uploads') return this._upload(method, name, headers, body, most);
        if (method === 'POST') return this._push(JSON.parse(body));
        return this._pull(Number(searchParams.get('since')));
    }

    /** The server is set back to a time without these bytes. */
    lose(digest) {
        this.files.delete(digest);
        for (const [id, upload] of this.uploads) if (upload.digest === digest) this.uploads.delete(id);
        for (const row of this.rows.values()) if (row.file === digest) this._put({ ...row, state: 'pending' });
    }

    /** The answer to the last bytes of an upload is kept. */
    forgetUploads() {
        for (const [id, { isComplete }] of this.uploads) if (!isComplete) this.uploads.delete(id);
    }

    _begin(digest, headers) {
        if (this.files.has(digest) && this._isNamed(digest)) return empty(200, { 'Upload-Complete': '?1' });
        const begun = [...this.uploads].find(([, upload]) => upload.digest === digest && !upload.isComplete);
        const id = begun?.[0] ?? `u${++this._last}`;
        if (!begun) {
            this.uploads.set(id, { digest, size: Number(headers['Upload-Length']), bytes: Buffer.alloc(0), isComplete: false });
        }
        const offset = this.uploads.get(id).bytes.length;
        const location = `/api/v1/projects/p-1/sync/uploads/${id}/`;
        return empty(201, { Location: location, 'Upload-Complete': '?0', 'Upload-Offset': `${offset}` });
    }

    _isNamed(digest) {
        return [...this.rows.values()].some(({ file, state }) => file === digest && state === 'stored');
    }

    _upload(method, id, headers, body, most) {
        const upload = this.uploads.get(id);
        if (!upload) return problem(404, 'not_found');
        const said = () => ({ 'Upload-Offset': `${upload.bytes.length}`, 'Upload-Complete': upload.isComplete ? '?1' : '?0' });
        if (method === 'DELETE') return void this.uploads.delete(id) ?? empty(204);
        if (method === 'HEAD' || upload.isComplete) return empty(method === 'HEAD' ? 204 : 201, said());
        if (Number(headers['Upload-Offset']) !== upload.bytes.length) {
            return problem(409, 'upload_offset_mismatch', { offset: upload.bytes.length }, said());
        }
        const arrived = Buffer.from(body).subarray(0, most);
        this.received += arrived.length;
        upload.bytes = Buffer.concat([upload.bytes, arrived]);
        if (headers['Upload-Complete'] !== '?1' || arrived.length < body.length) return empty(204, said());
        if (upload.bytes.length !== upload.size || sha256(upload.bytes) !== upload.digest) {
            this.uploads.delete(id);
            return problem(400, 'digest_mismatch');
        }
        upload.isComplete = true;
        this._take(upload);
        return empty(201, said());
    }

    _take({ digest, bytes }) {
        if (this.files.has(digest)) this.needless.push(digest);
        this.files.set(digest, bytes);
        for (const row of this.rows.values()) if (row.file === digest) this._put({ ...row, state: 'stored' });
    }

    _read(digest, headers) {
        if (!this.files.has(digest) || !this._isNamed(digest)) return problem(404, 'not_found');
        const bytes = this.files.get(digest);
        const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.Range).map(Number);
        if (from >= bytes.length) return problem(416, 'range_not_satisfiable', { size: bytes.length });
        const end = Math.min(to + 1, bytes.length);
        const range = `bytes ${from}-${end - 1}/${bytes.length}`;
        return new Response(bytes.subarray(from, end), {
            status: 206, headers: { 'Content-Range': range, 'Content-Type': 'image/png' },
        });
    }

    _put(row) {
        this.rows.set(row.id, { ...row, commit: ++this.head });
    }

    _push({ client_batch_id: id, changes }) {
        const { created, updated } = changes.attachments ?? { created: [], updated: [] };
        for (const { id: row, file } of [...created, ...updated]) {
            this._put({ id: row, file, state: this.files.has(file) ? 'stored' : 'pending' });
        }
        return json(200, {
            client_batch_id: id, timestamp: this.head, applied: {}, skipped: {}, conflicts: {}, rejected: {},
            rejected_ids: {}, repaired: {},
        });
    }

    _pull(since) {
        const updated = [...this.rows.values()].filter(({ commit }) => commit > since)
            .map(({ id, file, state, commit }) =>
                ({ id, file, state, size: this.files.get(file)?.length ?? null, server_version: commit }));
        const changes = { attachments: { created: [], updated, deleted: [] } };
        const answer = { changes, timestamp: this.head, has_more: false, next_cursor: null };
        return json(200, answer, { 'Tidemark-Head': `${this.head}` });
    }
}

const empty = (status, headers = {}) => new Response(null, { status, headers });
const json = (status, value, headers = {}) => new Response(JSON.stringify(value), { status, headers });
export const problem = (status, code, rest = {}, headers = {}) =>
    json(status, { status, code, detail: `It is ${code}.`, ...rest }, headers);
