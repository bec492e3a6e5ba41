// Real servers that are no Tidemark, and addresses where nobody is.
import { readFileSync } from 'node:fs';
import { createServer as createPage } from 'node:http';
import { createServer } from 'node:net';
import { createServer as createTLS } from 'node:tls';

const read = path => readFileSync(new URL(`../../../../Tests/${path}`, import.meta.url), 'utf8');

/** What a person reads, by cause. */
export const WORDS = JSON.parse(read('Vectors/trouble.json'));

/** Listens on a free port. Returns the address, and what ends it. */
export async function listening(server) {
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
    const sockets = new Set();
    server.on('connection', socket => sockets.add(socket));
    const close = () => {
        for (const socket of sockets) socket.destroy();
        return new Promise(resolve => server.close(resolve));
    };
    return { url: `http://127.0.0.1:${server.address().port}`, close };
}

/** Says these bytes to whoever sends it something, and ends unless it `stays`. */
const saying = (bytes, stays = false) => listening(createServer(socket => {
    socket.on('error', () => {});
    socket.once('data', () => (stays ? socket.write(bytes) : socket.end(bytes)));
}));

/** A site that answers everything alike, but what begins with `/login`: a page. */
export const site = (status, headers, body) => listening(createPage(({ url }, response) => {
    if (url.startsWith('/login')) return response.writeHead(200, HTML).end('<h1>Log in</h1>');
    return response.writeHead(status, headers).end(body);
}));

async function nobody() {
    const { url, close } = await saying('');
    await close();
    return { url, close: async () => {} };
}

const HTML = { 'Content-Type': 'text/html; charset=utf-8' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** What may be at an address: the key of its sentence, the error's code, and what makes it. */
export const FOREIGN = [
    ['refused', 'network', nobody],
    ['unknown_host', 'network', async () => ({ url: 'http://no-such-host.invalid', close: async () => {} })],
    ['not_http', 'network', () => saying('SSH-2.0-OpenSSH_9.2\r\n', true)],
    ['no_answer', 'network', () => saying('')],
    ['no_tls', 'network', async () => {
        const { url, close } = await saying('HTTP/1.1 400 Bad Request\r\n\r\n');
        return { url: url.replace('http:', 'https:'), close };
    }],
    ['cut', 'network', () => saying('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello')],
    ['html', 'invalid_answer', () => site(200, HTML, '<h1>Welcome</h1>')],
    ['other_json', 'invalid_answer', () => site(200, JSON_TYPE, '{"hello": "world"}')],
    ['other_status', 'http_404', () => site(404, HTML, '<h1>Not found</h1>')],
    ['other_status', 'http_404', () => site(404, JSON_TYPE, '{"error": "not found"}')],
    ['bad_gateway', 'http_502', () => site(502, HTML, '<h1>Bad gateway</h1>')],
];

/** A site that leads everybody to its own page, as networks and companies do before somebody has logged in. */
export const portal = () => site(302, { Location: '/login?next=tidemark' }, '');

const pems = read('tidemarkTests/Sync/ServedCertificate.swift');

/** Speaks HTTPS with a certificate of the Swift tests (`good`, `otherName`, `expired`), whose authority is itself. */
export async function secured(name) {
    const [, part] = pems.split(`static let ${name} =`);
    const [cert, key] = [...part.matchAll(/ *-----BEGIN (.*)-----[^-]*-----END \1-----/g)]
        .map(([pem]) => pem.replace(/^ +/gm, ''));
    const { url, close } = await listening(createTLS({ cert, key }, socket => socket.on('error', () => {})));
    return { url: url.replace('http:', 'https:'), close, cert };
}

/** A token of another issuer, good from and to these milliseconds from now. */
export function token(from, to, now = Date.now()) {
    const [nbf, exp] = [from, to].map(each => Math.round((now + each) / 1000));
    const part = value => Buffer.from(JSON.stringify(value)).toString('base64url');
    return [part({ alg: 'HS256' }), part({ iss: 'elsewhere', nbf, exp }), part('none')].join('.');
}

const HOUR = 3_600_000;

/** Clocks that are off: the key of the sentence, the token's times, and by how much this device's clock is ahead. */
export const CLOCKS = [
    ['not_valid_yet', token(2 * HOUR, 3 * HOUR), 2 * HOUR],
    ['not_valid_any_more', token(-3 * HOUR, -HOUR), -2 * HOUR],
    ['issued_ahead', token(2 * HOUR, 3 * HOUR), 0],
];
