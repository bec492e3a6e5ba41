// Firefox by its Marionette protocol: https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FirefoxPage } from './firefox-page.js';

const PREFERENCES = {
    'marionette.port': 0, 'browser.shell.checkDefaultBrowser': false, 'datareporting.policy.dataSubmissionEnabled': false,
    'browser.startup.page': 0, 'browser.aboutwelcome.enabled': false, 'app.update.disabledForTesting': true,
    'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false,
    'network.dns.localDomains': 'plans.test', 'services.settings.server': 'data:,', 'intl.accept_languages': 'en-US',
};

/** Starts like `DevTools`, and has pages as that has. */
export class Firefox {
    _waiting = new Map();
    _number = 0;
    _rest = Buffer.alloc(0);
    /** What is done in one window at a time: commands go to the one that was chosen last. */
    _last = Promise.resolve();

    static start() {
        const firefox = new Firefox();
        firefox.profile = mkdtempSync(join(tmpdir(), 'tidemark-firefox-'));
        const lines = Object.entries(PREFERENCES).map(([name, value]) =>
            `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`);
        writeFileSync(join(firefox.profile, 'user.js'), lines.join('\n'));
        const args = ['--headless', '--marionette', '--remote-allow-system-access', '--no-remote', '--profile', firefox.profile];
        firefox._process = spawn('firefox-esr', args, { stdio: 'ignore', env: { ...process.env, LANG: 'en_US.UTF-8' } });
        firefox._exit = new Promise(resolve => firefox._process.once('exit', resolve));
        firefox._ready = firefox._connect();
        return firefox;
    }

    async page(url, size = {}) {
        await this._ready;
        const page = await this.turn(async () => {
            // The first window is there already.
            const { handle } = this._isBegun ? await this.send('WebDriver:NewWindow', { type: 'window' })
                : { handle: (await this.send('WebDriver:GetWindowHandle')).value };
            this._isBegun = true;
            return new FirefoxPage(this, handle);
        });
        await page.prepare({ width: 1280, height: 800, ...size });
        if (url) await page.open(url);
        return page;
    }

    /** Does something that nothing else comes in between of. */
    turn(work) {
        const result = this._last.then(work);
        this._last = result.catch(() => {});
        return result;
    }

    send(name, params = {}) {
        const id = ++this._number;
        const message = JSON.stringify([0, id, name, params]);
        this._socket.write(`${Buffer.byteLength(message)}:${message}`);
        return new Promise((resolve, reject) => this._waiting.set(id, { resolve, reject, name }));
    }

    async stop() {
        await this.send('Marionette:Quit', { flags: ['eForceQuit'] }).catch(() => {});
        await this._exit;
        rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
    }

    async _connect() {
        const port = await this._port();
        this._socket = connect(port, '127.0.0.1').on('data', data => this._read(data));
        this._socket.on('close', () => this._ended());
        await new Promise(resolve => { this._greeted = resolve; });
        await this.send('WebDriver:NewSession', {});
        await this.send('WebDriver:SetTimeouts', { script: 60_000 });
    }

    /** Firefox chooses a free one, and writes it down. */
    async _port() {
        const file = join(this.profile, 'MarionetteActivePort');
        for (let attempt = 0; attempt < 1200; attempt += 1) {
            const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
            if (text) return Number(text);
            await new Promise(resolve => setTimeout(resolve, 50));
        }
        throw new Error('Firefox has opened no port.');
    }

    /** Messages are `LENGTH:JSON`. */
    _read(data) {
        this._rest = Buffer.concat([this._rest, data]);
        for (;;) {
            const colon = this._rest.indexOf(':');
            const end = colon + 1 + Number(this._rest.subarray(0, colon));
            if (colon < 0 || this._rest.length < end) return;
            this._take(JSON.parse(this._rest.subarray(colon + 1, end)));
            this._rest = this._rest.subarray(end);
        }
    }

    _take(message) {
        if (!Array.isArray(message)) return this._greeted();
        const [, id, error, result] = message;
        const { resolve, reject, name } = this._waiting.get(id);
        this._waiting.delete(id);
        return error ? reject(new Error(`${name}: ${error.message}`)) : resolve(result);
    }

    _ended() {
        for (const { reject, name } of this._waiting.values()) reject(new Error(`${name}: Firefox has ended.`));
    }
}
