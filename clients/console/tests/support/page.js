import { writeFileSync } from 'node:fs';

const KEYS = {
    ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Enter: 13, Escape: 27, Tab: 9, Home: 36, End: 35,
    PageDown: 34, PageUp: 33, ' ': 32,
};
const MODIFIERS = { alt: 1, ctrl: 2, meta: 4, shift: 8 };

/** A tab of Chromium. Notes what went wrong in it: errors in the console, reports of the policy, requests elsewhere. */
export class Page {
    troubles = [];
    requests = [];

    constructor(tools, session, target) {
        Object.assign(this, { tools, session, target });
    }

    async prepare({ width, height }) {
        this.tools.listen(this.session, (method, params) => this._note(method, params));
        for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await this.send(`${domain}.enable`);
        await this.resize(width, height);
    }

    send(method, params) {
        return this.tools.send(method, params, this.session);
    }

    resize(width, height) {
        return this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    }

    /** `colours` is `light` or `dark`; `motion` is `reduce` or `no-preference`. */
    prefer({ colours = 'light', motion = 'no-preference' }) {
        return this.send('Emulation.setEmulatedMedia', { features: [
            { name: 'prefers-color-scheme', value: colours }, { name: 'prefers-reduced-motion', value: motion },
        ] });
    }

    async open(url) {
        const loaded = new Promise(resolve => { this._loaded = resolve; });
        const { loaderId } = await this.send('Page.navigate', { url });
        // Another hash is the same document.
        if (loaderId) await loaded;
    }

    /** Runs a script in the page, and returns what it returns or resolves to. */
    async run(script) {
        const expression = `(async () => { ${script} })()`;
        const options = { expression, awaitPromise: true, returnByValue: true };
        const { result, exceptionDetails: thrown } = await this.send('Runtime.evaluate', options);
        if (thrown) throw new Error(thrown.exception?.description ?? thrown.text);
        return result.value;
    }

    text(selector) {
        return this.run(`return document.querySelector(${JSON.stringify(selector)})?.textContent ?? null`);
    }

    /** Waits until the script returns something true, and returns it. */
    async until(script, what = script, limit = 30_000) {
        for (const end = Date.now() + limit; ;) {
            const found = await this.run(script);
            if (found) return found;
            if (Date.now() > end) throw new Error(`Waited ${limit} ms in vain: ${what}\n${await this._state()}`);
            await new Promise(resolve => setTimeout(resolve, 15));
        }
    }

    /** What a person would see who comes to look why nothing happens. */
    async _state() {
        const state = await this.run(`
            const name = each => each && [each.tagName, each.className, each.ariaLabel].filter(Boolean).join(' ');
            const texts = selector => [...document.querySelectorAll(selector)].map(each => each.textContent.slice(0, 200));
            const { activeElement: focus } = document;
            return {
                address: location.hash, focus: name(focus), value: focus?.value, dialogs: texts('dialog[open]'),
                notices: texts('#notices > *'), selected: texts('[aria-selected=true]'), panel: texts('aside:not([hidden]) h2'),
            }`);
        return JSON.stringify({ ...state, troubles: this.troubles });
    }

    has(selector, limit) {
        return this.until(`return document.querySelector(${JSON.stringify(selector)}) !== null`, selector, limit);
    }

    async click(selector) {
        await this.has(selector);
        const { x, y } = await this.run(`
            const box = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
            return { x: box.x + box.width / 2, y: box.y + box.height / 2 }`);
        await this.drag({ x, y }, { x, y });
    }

    /** Presses the mouse at one place, and releases it at the other. */
    async drag(from, to, steps = 6) {
        await this.mouse('mouseMoved', from);
        await this.mouse('mousePressed', from, 1);
        for (let step = 1; step <= steps && (from.x !== to.x || from.y !== to.y); step += 1) {
            const between = (one, other) => one + (other - one) * step / steps;
            await this.mouse('mouseMoved', { x: between(from.x, to.x), y: between(from.y, to.y) }, 1);
        }
        await this.mouse('mouseReleased', to, 0);
    }

    /** A move that tells of no button ends the capture of the pointer, whatever `buttons` says. */
    mouse(type, { x, y }, buttons = 0) {
        const button = type === 'mouseMoved' && buttons === 0 ? 'none' : 'left';
        return this.send('Input.dispatchMouseEvent', { type, x, y, buttons, button, clickCount: 1 });
    }

    /** `press('ArrowLeft', 'alt', 'shift')` */
    async press(key, ...modifiers) {
        const bits = modifiers.reduce((sum, name) => sum + MODIFIERS[name], 0);
        const code = KEYS[key] ?? key.toUpperCase().charCodeAt(0);
        const event = { key, code: key.length > 1 ? key : `Key${key.toUpperCase()}`, windowsVirtualKeyCode: code };
        const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
        const type = text ? 'keyDown' : 'rawKeyDown';
        await this.send('Input.dispatchKeyEvent', { type, ...event, text, modifiers: bits });
        await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event, modifiers: bits });
    }

    type(text) {
        return this.send('Input.insertText', { text });
    }

    /** Copies from what has the focus, or pastes into it. Returns what the clipboard has. */
    clipboard(type, text = '') {
        return this.run(`
            const data = new DataTransfer();
            data.setData('text/plain', ${JSON.stringify(text)});
            const event = new ClipboardEvent('${type}', { clipboardData: data, bubbles: true, cancelable: true });
            document.activeElement.dispatchEvent(event);
            return data.getData('text/plain')`);
    }

    async fill(selector, text) {
        await this.run(`document.querySelector(${JSON.stringify(selector)}).select()`);
        await this.type(text);
    }

    offline(offline) {
        const conditions = { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
        return this.send('Network.emulateNetworkConditions', conditions);
    }

    async screenshot(path) {
        const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
        writeFileSync(path, Buffer.from(data, 'base64'));
    }

    close() {
        return this.tools.send('Target.closeTarget', { targetId: this.target });
    }

    _note(method, params) {
        if (method === 'Page.loadEventFired') this._loaded?.();
        else if (method === 'Runtime.exceptionThrown') {
            const { exception, text } = params.exceptionDetails;
            this.troubles.push(exception?.description ?? text);
        } else if (method === 'Runtime.consoleAPICalled' && params.type === 'error') {
            this.troubles.push(params.args.map(({ value, description }) => value ?? description).join(' '));
        } else if (method === 'Log.entryAdded' && params.entry.level === 'error') {
            this.troubles.push(`${params.entry.text} ${params.entry.url ?? ''}`);
        } else if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
    }
}
