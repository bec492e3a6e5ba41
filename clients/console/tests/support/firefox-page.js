import { writeFileSync } from 'node:fs';
import { Page } from './page.js';

/** As https://www.w3.org/TR/webdriver2/#keyboard-actions writes keys. */
const KEYS = {
    Backspace: '\uE003', Tab: '\uE004', Enter: '\uE007', Escape: '\uE00C', PageUp: '\uE00E', PageDown: '\uE00F',
    End: '\uE010', Home: '\uE011', ArrowLeft: '\uE012', ArrowUp: '\uE013', ArrowRight: '\uE014', ArrowDown: '\uE015',
    Delete: '\uE017', F2: '\uE032', F10: '\uE03A', shift: '\uE008', ctrl: '\uE009', alt: '\uE00A', meta: '\uE03D',
};
/** How wide a window must be, in pixels. */
const NARROWEST = 500;
const POINTER = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' } };

/** Notes what went wrong in the page. What was noted of a page that is left is known only if something was run there. */
const WATCH = `
    if (!window.troubles) {
        window.troubles = [];
        const note = text => window.troubles.push(text);
        // Firefox tells of observers that see another size in the same frame; they are told of it in the next one.
        addEventListener('error', ({ message }) => /^ResizeObserver loop/.test(message) || note(message));
        addEventListener('unhandledrejection', ({ reason }) => note(String(reason?.stack ?? reason)));
        addEventListener('securitypolicyviolation', event => note(event.violatedDirective + ' ' + event.blockedURI));
    }`;

/** A window of Firefox, as `Page` is a tab of Chromium. */
export class FirefoxPage extends Page {
    constructor(tools, handle) {
        super(tools, null, handle);
    }

    prepare({ width, height }) {
        return this.resize(width, height);
    }

    /** A command to this window. */
    send(name, params) {
        return this.tools.turn(() => this._send(name, params));
    }

    /** A window is at least 500 pixels wide; what it shows can be narrower. */
    async resize(width, height) {
        this._frame ??= await this.run('return [outerWidth - innerWidth, outerHeight - innerHeight]');
        const [sides, above] = this._frame;
        await this._inBrowser(`gBrowser.selectedBrowser.style.maxWidth = '${width}px'`);
        await this.send('WebDriver:SetWindowRect', { width: Math.max(width, NARROWEST) + sides, height: height + above });
        await this.until(`return innerWidth === ${width} && innerHeight === ${height}`, `${width} × ${height}`);
    }

    prefer({ colours = 'light', motion = 'no-preference' }) {
        return this._inBrowser(`
            Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', ${colours === 'dark' ? 0 : 1});
            Services.prefs.setIntPref('ui.prefersReducedMotion', ${motion === 'reduce' ? 1 : 0});`);
    }

    async open(url) {
        await this.send('WebDriver:Navigate', { url });
        await this.run('');
    }

    async run(script) {
        const whole = `
            const done = arguments[0];
            ${WATCH}
            (async () => { ${script} })().then(
                value => done({ value: value ?? null, troubles: window.troubles.splice(0) }),
                error => done({ error: String(error?.message ?? error) + '\\n' + error?.stack }));`;
        const { value: answer } = await this.send('WebDriver:ExecuteAsyncScript', { script: whole, args: [] });
        if (answer.error) throw new Error(answer.error);
        this.troubles.push(...answer.troubles);
        return answer.value;
    }

    /** A mouse that is where it was tells of no move, so it comes from beside. */
    mouse(type, { x, y }) {
        const to = each => ({ type: 'pointerMove', x: each, y: Math.round(y), duration: 0, origin: 'viewport' });
        const moves = type === 'mouseMoved' ? [to(Math.round(x) + 1), to(Math.round(x))] : [to(Math.round(x))];
        const act = { mousePressed: 'pointerDown', mouseReleased: 'pointerUp' }[type];
        return this._act({ ...POINTER, actions: act ? [...moves, { type: act, button: 0 }] : moves });
    }

    press(key, ...modifiers) {
        const held = modifiers.map(name => KEYS[name]);
        const value = KEYS[key] ?? key;
        return this._act({ type: 'key', id: 'keys', actions: [
            ...held.map(each => ({ type: 'keyDown', value: each })), { type: 'keyDown', value }, { type: 'keyUp', value },
            ...held.toReversed().map(each => ({ type: 'keyUp', value: each })),
        ] });
    }

    type(text) {
        const values = [...text].map(letter => (letter === '\n' ? KEYS.Enter : letter));
        return this._act({ type: 'key', id: 'keys', actions: values.flatMap(value =>
            [{ type: 'keyDown', value }, { type: 'keyUp', value }]) });
    }

    /** By its keys, with the clipboard of this Firefox. */
    async clipboard(type, text = '') {
        if (type === 'paste') await this._inBrowser(`return navigator.clipboard.writeText(${JSON.stringify(text)})`);
        await this.press(type === 'copy' ? 'c' : 'v', 'ctrl');
        return type === 'copy' ? this._inBrowser('return navigator.clipboard.readText()') : text;
    }

    offline(offline) {
        return this._inBrowser(`gBrowser.selectedBrowser.browsingContext.forceOffline = ${offline}`);
    }

    async screenshot(path) {
        const { value } = await this.send('WebDriver:TakeScreenshot', { full: false });
        writeFileSync(path, Buffer.from(value, 'base64'));
    }

    close() {
        return this.send('WebDriver:CloseWindow');
    }

    _act(source) {
        return this.send('WebDriver:PerformActions', { actions: [source] });
    }

    async _send(name, params) {
        await this.tools.send('WebDriver:SwitchToWindow', { handle: this.target, focus: true });
        return this.tools.send(name, params);
    }

    /** Runs a script with the rights of the browser itself. */
    _inBrowser(script) {
        return this.tools.turn(async () => {
            await this.tools.send('Marionette:SetContext', { value: 'chrome' });
            const { value } = await this.tools.send('WebDriver:ExecuteScript', { script, args: [] });
            await this.tools.send('Marionette:SetContext', { value: 'content' });
            return value;
        });
    }
}
