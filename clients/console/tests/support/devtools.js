// Chromium by its DevTools protocol, over a pipe: https://chromedevtools.github.io/devtools-protocol/
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Page } from './page.js';

const ARGUMENTS = [
    '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-pipe',
    '--no-first-run', '--disable-background-networking', '--disable-component-update', '--hide-scrollbars',
    '--disable-background-timer-throttling', '--disable-backgrounding-occluded-windows',
    '--disable-renderer-backgrounding', '--force-color-profile=srgb',
];

/** Whether there is one. */
export function hasChromium() {
    try {
        return Boolean(execFileSync('which', ['chromium']));
    } catch {
        return false;
    }
}

export class DevTools {
    _waiting = new Map();
    _listeners = new Map();
    _number = 0;
    _rest = '';

    static start(...more) {
        return DevTools.startWith(mkdtempSync(join(tmpdir(), 'tidemark-chromium-')), ...more);
    }

    /** With the profile of a browser that was there before. */
    static startWith(profile, ...more) {
        const tools = new DevTools();
        tools.profile = profile;
        const all = [...ARGUMENTS, ...more, `--user-data-dir=${profile}`, 'about:blank'];
        // A group of its own, so all processes of the browser can be killed at once.
        const stdio = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'];
        // One that is killed leaves its temporary files behind.
        const options = { stdio, detached: true, env: { ...process.env, TMPDIR: profile } };
        tools._process = spawn('chromium', all, options);
        tools._process.stdio[3].on('error', () => {}); // Its end is told by `exit`.
        tools._process.stdio[4].setEncoding('utf8').on('data', text => tools._read(text));
        tools._exit = new Promise(resolve => tools._process.once('exit', resolve));
        return tools;
    }

    /** A tab. All tabs of a `browserContextId`, and those without one, share the storage. */
    async page(url, { width = 1280, height = 800, browserContextId } = {}) {
        const target = { url: 'about:blank', width, height, newWindow: true, browserContextId };
        const { targetId } = await this.send('Target.createTarget', target);
        const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
        const page = new Page(this, sessionId, targetId);
        await page.prepare({ width, height });
        if (url) await page.open(url);
        return page;
    }

    send(method, params = {}, sessionId = undefined) {
        const id = ++this._number;
        this._process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
        return new Promise((resolve, reject) => this._waiting.set(id, { resolve, reject, method }));
    }

    listen(sessionId, listener) {
        this._listeners.set(sessionId, listener);
    }

    async stop() {
        await this.send('Browser.close').catch(() => {});
        await this._exit;
        rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
    }

    /** Kills all its processes at once. The profile stays. */
    async kill() {
        process.kill(-this._process.pid, 'SIGKILL');
        await this._exit;
    }

    _read(text) {
        const messages = (this._rest + text).split('\0');
        this._rest = messages.pop();
        for (const message of messages) this._take(JSON.parse(message));
    }

    _take({ id, result, error, method, params, sessionId }) {
        if (id === undefined) return this._listeners.get(sessionId)?.(method, params);
        const { resolve, reject, method: asked } = this._waiting.get(id);
        this._waiting.delete(id);
        return error ? reject(new Error(`${asked}: ${error.message}`)) : resolve(result);
    }
}
