import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = path => fileURLToPath(new URL(path, import.meta.url));
const FOLDERS = { '': here('../..'), 'tidemark/': here('../../../web') };
const TYPES = {
    '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml',
    '.json': 'application/json',
};
const POLICY = [
    'default-src \'none\'',
    ...['script', 'style', 'connect', 'worker'].map(kind => `${kind}-src 'self'`), 'img-src \'self\' blob:',
    'base-uri \'none\'', 'form-action \'none\'', 'frame-ancestors \'none\'', 'require-trusted-types-for \'script\'',
    'trusted-types tidemark',
].join('; ');

/** Serves the console from the working tree, and everything else from a server: one origin, as a binary does it. */
export class Front {
    static async start(server) {
        const front = new this();
        front.server = server;
        await front.run();
        return front;
    }

    /** Makes another build of the same files. */
    edition = '';

    /** On the former port if it ran before. */
    async run() {
        this._http = createServer((question, answer) => this._answer(question, answer));
        await new Promise(resolve => this._http.listen(this.port ?? 0, '127.0.0.1', resolve));
        this.port = this._http.address().port;
        this.url = `http://127.0.0.1:${this.port}/console/`;
    }

    stop() {
        this._http.close();
        this._http.closeAllConnections();
    }

    /** What is served as a file of the console; null if there is none of this name. */
    content(name) {
        const path = files().get(name);
        return path ? servedText(path) : null;
    }

    _answer(question, answer) {
        const { pathname } = new URL(question.url, 'http://front');
        if (!pathname.startsWith('/console/')) return this._pass(question, answer);
        const name = pathname.slice('/console/'.length) || 'index.html';
        const content = name === 'build.json' ? JSON.stringify(build(this.edition)) : this.content(name);
        const headers = {
            'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-cache',
            'Content-Type': TYPES[extname(name)] ?? 'text/plain', 'Referrer-Policy': 'no-referrer',
            'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Resource-Policy': 'same-origin',
        };
        if (content === null) return answer.writeHead(404, headers).end();
        return answer.writeHead(200, { ...headers, 'Content-Encoding': 'gzip' }).end(packed(name, content));
    }

    _pass(question, answer) {
        const { hostname, port } = new URL(this.server.url);
        const { method, headers, url: path } = question;
        const passed = request({ hostname, port, path, method, headers }, response => {
            answer.writeHead(response.statusCode, response.headers);
            response.pipe(answer);
            // A server that is killed ends its streams of events, and here they would stay open.
            response.on('error', () => answer.destroy());
        });
        passed.on('error', () => answer.destroy());
        answer.on('close', () => passed.destroy());
        question.pipe(passed);
    }
}

const PACKED = new Map();

/** Compressed, once for each content that a file has. */
function packed(name, content) {
    const known = PACKED.get(name);
    if (known && Buffer.from(content).equals(known.content)) return known.packed;
    const made = { content: Buffer.from(content), packed: gzipSync(content) };
    PACKED.set(name, made);
    return made.packed;
}

/** The file at the path, as the server serves it. */
export function servedText(path) {
    const text = readFileSync(path, 'utf8');
    return /\.(js|css)$/.test(path) ? withoutComments(text) : text;
}

/** What the server makes of a module or a style sheet: see CommentLines.swift. */
export function withoutComments(text) {
    let isInside = false;
    return text.split('\n').map(line => {
        const begins = !isInside && /^ *\/\*/.test(line);
        if (isInside || begins) isInside = !line.endsWith('*/');
        else if (!/^ *\/\//.test(line)) return line.replace(/^ +/, '');
        return '';
    }).join('\n');
}

/** What the console consists of: names as the browser asks for them, with their paths. */
export function files() {
    const found = Object.entries(FOLDERS).flatMap(([prefix, folder]) =>
        namesIn(folder, folder).filter(isServed).map(name => [prefix + name, join(folder, name)]));
    return new Map(found);
}

const isServed = name => !/^(tests|example|tidemark)\/|\.(md|ts)$|^package\.json$/.test(name);

function namesIn(folder, root) {
    return readdirSync(folder).sort().flatMap(name => {
        const path = join(folder, name);
        return statSync(path).isDirectory() ? namesIn(path, root) : [relative(root, path)];
    });
}

function build(edition) {
    const hash = createHash('sha256').update(edition);
    for (const [name, path] of files()) hash.update(`${name}\n`).update(readFileSync(path));
    return { build: hash.digest('hex').slice(0, 16), files: [...files().keys()] };
}
