// Chromium, by its driver: https://www.w3.org/TR/webdriver2/
import { execFileSync, spawn } from 'node:child_process';

/** Whether there is one. */
export function hasChromium() {
    try {
        return Boolean(execFileSync('which', ['chromedriver']));
    } catch {
        return false;
    }
}

const ARGUMENTS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];

export class Chromium {
    static async start() {
        const browser = new Chromium();
        browser._process = spawn('chromedriver', ['--port=0'], { stdio: ['ignore', 'pipe', 'ignore'] });
        const port = await new Promise((resolve, reject) => {
            browser._process.on('error', reject);
            browser._process.stdout.on('data', chunk => {
                const started = `${chunk}`.match(/started successfully on port (\d+)/);
                if (started) resolve(started[1]);
            });
        });
        browser._base = `http://127.0.0.1:${port}/session`;
        const options = { args: ARGUMENTS };
        const { sessionId } = await browser._ask('', { capabilities: { alwaysMatch: {
            'goog:chromeOptions': options, 'goog:loggingPrefs': { browser: 'ALL' },
        } } });
        browser._base += `/${sessionId}`;
        await browser._answerDialogs();
        return browser;
    }

    async stop() {
        await this._ask('', undefined, 'DELETE');
        this._process.kill();
    }

    open(url) {
        return this._ask('/url', { url });
    }

    /** Runs a script in the page, and returns what it returns or resolves to. */
    run(script) {
        return this._ask('/execute/sync', { script, args: [] });
    }

    /** Opens another window and goes on there. Returns its name. */
    async window() {
        const { handle } = await this._ask('/window/new', { type: 'tab' });
        await this.go(handle);
        await this._answerDialogs();
        return handle;
    }

    /** Closes the window. */
    close() {
        return this._ask('/window', undefined, 'DELETE');
    }

    current() {
        return this._ask('/window', undefined, 'GET');
    }

    go(handle) {
        return this._ask('/window', { handle });
    }

    /** What the page has written to its console since the last call, errors only. */
    async errors() {
        const log = await this._ask('/se/log', { type: 'browser' });
        return log.filter(({ level }) => level === 'SEVERE').map(({ message }) => message);
    }

    /** What the page's dialogs have said since it was opened. All are accepted. */
    dialogs() {
        return this.run('return window.dialogs');
    }

    /**
     * Lets pages of this window answer their own dialogs. A dialog that opens while a script runs would end the script
     * with an error, also where the driver accepts it.
     */
    _answerDialogs() {
        return this._ask('/goog/cdp/execute', { cmd: 'Page.addScriptToEvaluateOnNewDocument', params: { source: `
            window.dialogs = [];
            window.alert = message => { dialogs.push(String(message)); };
            window.confirm = message => { dialogs.push(String(message)); return true; };
        ` } });
    }

    async _ask(path, body, method = 'POST') {
        const response = await fetch(this._base + path, { method, body: body && JSON.stringify(body) });
        const { value } = await response.json();
        if (!response.ok) throw new Error(`${path}: ${value.error}: ${value.message}`);
        return value;
    }
}
