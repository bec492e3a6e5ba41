import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { generator } from './random.js';

/** The address of a request of files, with what it is for. */
export const OF_FILES = /\/sync\/(files|uploads)\//;

/** So many bytes, which a seed decides. */
export function bytesOf(size, seed = 1) {
    const [random, bytes] = [generator(seed), new Uint8Array(size)];
    for (let place = 0; place < size; place += 4096) bytes.fill(Math.floor(random() * 256), place, place + 4096);
    new DataView(bytes.buffer).setUint32(0, seed);
    return bytes;
}

export const sha256 = bytes => createHash('sha256').update(bytes).digest('hex');

export const contentOf = async blob => new Uint8Array(await blob.arrayBuffer());

/** A `fetch` without a network. */
export const offline = async () => { throw new TypeError('There is no network.'); };

/** A `fetch` that lets no files through. */
export const noFiles = (address, options) => (OF_FILES.test(address) ? offline() : fetch(address, options));

/** A `fetch` with answers of a stand-in for requests of files: `answer(method, address)` returns one, or nothing. */
export function faking(answer) {
    return counting(async (address, options) => {
        const faked = OF_FILES.test(address) && await answer(options.method, address);
        return faked ? faked() : fetch(address, options);
    });
}

/** Such answers: the server's own refusal, and what answers in its place. */
export const problem = (status, code, headers = {}) => () =>
    new Response(JSON.stringify({ status, code, detail: 'A sentence.' }), {
        status, headers: { 'Content-Type': 'application/problem+json', ...headers },
    });
export const page = (status, headers = {}) => () =>
    new Response('<h1>Log in</h1>', { status, headers: { 'Content-Type': 'text/html', ...headers } });

/** A `fetch` that counts what is sent of files: `requests` as `METHOD kind status`, and the bytes of bodies. */
export function counting(inner = fetch) {
    const counted = async (address, options = {}) => {
        const [, kind] = address.match(OF_FILES) ?? [];
        if (kind) counted.bytes += options.body?.byteLength ?? 0;
        const answer = await inner(address, options).catch(error => {
            if (kind) counted.requests.push(`${options.method} ${kind} lost`);
            throw error;
        });
        if (kind) counted.requests.push(`${options.method} ${kind} ${answer.status}`);
        return answer;
    };
    return Object.assign(counted, { requests: [], bytes: 0 });
}

/**
 * A `fetch` whose downloads of files break after so many bytes each. `asked` are the ranges that were asked for, `got`
 * the bytes that came. `inner` is what sends the requests.
 */
export function breaking(most, inner = fetch) {
    const broken = async (address, options = {}) => {
        const answer = await inner(address, options);
        if (!/\/sync\/files\//.test(address) || options.method !== 'GET') return answer;
        broken.asked.push(options.headers.Range ?? 'all');
        return answer.ok ? new Response(brokenBody(answer.body.getReader(), broken), answer) : answer;
    };
    return Object.assign(broken, { most, asked: [], got: 0 });
}

/** What was read before a break comes: a stream that fails drops what nobody has read. */
function brokenBody(reader, broken) {
    let left = broken.most;
    return new ReadableStream({ async pull(controller) {
        const { done, value } = left > 0 ? await reader.read() : {};
        if (done) return controller.close();
        if (!value) {
            await reader.cancel();
            return controller.error(new TypeError('The network is gone.'));
        }
        const piece = value.subarray(0, left);
        left -= piece.length;
        broken.got += piece.length;
        return controller.enqueue(piece);
    } }, { highWaterMark: 0 });
}

/** A `fetch` whose connection breaks a little after so many bytes of a body. `sent` is what has left the device. */
export function cutting(most) {
    const cut = async (address, options = {}) => {
        if (!(options.body instanceof ArrayBuffer)) return fetch(address, options);
        const bytes = new Uint8Array(options.body);
        cut.sent += Math.min(most, bytes.length);
        if (bytes.length <= most) return fetch(address, options);
        cut.cuts++;
        await new Promise(resolve => {
            const headers = { ...options.headers, 'Content-Length': bytes.length };
            const sending = request(address, { method: options.method, headers });
            sending.on('error', resolve);
            sending.write(bytes.subarray(0, most), () => setTimeout(() => {
                sending.destroy();
                resolve();
            }, 150));
        });
        throw new TypeError('The network is gone.');
    };
    return Object.assign(cut, { sent: 0, cuts: 0 });
}
