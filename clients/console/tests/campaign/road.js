import { request } from 'node:http';
import { Front } from '../support/front.js';
import { Uploads } from './uploads.js';

/** How often a request, an answer, half of an answer or a session's token is lost, and the longest delay. */
const NOISE = { request: .06, answer: .12, half: .04, token: .03, delay: 80 };

const LOST_TOKEN = JSON.stringify({ type: 'about:blank', status: 401, code: 'unauthorized', detail: 'Refresh.' });
const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

/** The way from a browser to the server: requests and answers are delayed and lost on it, and it can be cut. */
export class Road extends Front {
    isNoisy = true;
    isCut = false;
    lost = 0;
    uploads = new Uploads();
    /** By name of a file: what is replaced in it, `[text, replacement]`. */
    planted = new Map();
    random = Math.random;
    /** What was asked and not answered. */
    open = new Set();

    cut() {
        this.isCut = true;
        this._http.closeAllConnections();
    }

    mend() {
        this.isCut = false;
    }

    content(name) {
        const content = super.content(name);
        if (!this.planted.has(name)) return content;
        return this.planted.get(name).reduce((text, [from, to]) => {
            if (!text.includes(from)) throw new Error(`${name} has no ${from}`);
            return text.replace(from, to);
        }, `${content}`);
    }

    _answer(question, answer) {
        if (this.isCut) return question.socket.destroy();
        return super._answer(question, answer);
    }

    async _pass(question, answer) {
        const asked = `${question.method} ${question.url}`;
        this.open.add(asked);
        answer.on('close', () => this.open.delete(asked));
        const body = await bodyOf(question);
        const isUpload = question.method === 'POST' && /\/sync\/(\?|$)/.test(question.url);
        const upload = isUpload ? this.uploads.begin(body, answer) : null;
        if (await this._delayed(question, NOISE.request)) return;
        if (this._happens(NOISE.token) && question.headers.authorization) {
            return answer.writeHead(401, { 'Content-Type': 'application/problem+json' }).end(LOST_TOKEN);
        }
        const response = await this._ask(question, answer, body).catch(() => null);
        if (response === null) return answer.destroy();
        if (/event-stream/.test(response.headers['content-type'])) return stream(response, answer);
        const content = Buffer.from(await bodyOf(response).catch(() => Buffer.alloc(0)));
        if (await this._delayed(question, NOISE.answer)) return;
        answer.writeHead(response.statusCode, { ...response.headers, 'content-length': content.length });
        if (this._happens(NOISE.half)) {
            this.lost += 1;
            return answer.write(content.subarray(0, content.length >> 1), () => answer.destroy());
        }
        upload?.answered(response.statusCode);
        answer.end(content);
    }

    /** Waits a moment. Whether it was lost meanwhile. */
    async _delayed({ socket }, probability) {
        if (this.isNoisy) await pause(this.random() * NOISE.delay);
        if (!this.isCut && !this._happens(probability)) return false;
        this.lost += 1;
        socket.destroy();
        return true;
    }

    _happens(probability) {
        return this.isNoisy && this.random() < probability;
    }

    /** An upload goes on when the browser has gone. */
    _ask({ method, headers, url: path }, answer, body) {
        const { hostname, port } = new URL(this.server.url);
        return new Promise((resolve, reject) => {
            const passed = request({ hostname, port, path, method, headers }, resolve).on('error', reject);
            if (method === 'GET') answer.on('close', () => passed.destroy());
            passed.end(body);
        });
    }
}

function stream(response, answer) {
    answer.writeHead(response.statusCode, response.headers);
    answer.flushHeaders();
    response.on('error', () => answer.destroy());
    response.pipe(answer);
}

async function bodyOf(readable) {
    const chunks = [];
    for await (const chunk of readable) chunks.push(chunk);
    return Buffer.concat(chunks);
}
