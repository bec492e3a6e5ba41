import { execFileSync } from 'node:child_process';
import { DevTools, hasChromium } from './devtools.js';
import { Firefox } from './firefox.js';

/** Whether the tests of what a browser shows run in Firefox: with `BROWSER=firefox`. */
export const isFirefox = process.env.BROWSER === 'firefox';

/** Why there is no browser to test in, for `skip`; false if there is one. */
export function whyNoBrowser() {
    if (!isFirefox) return hasChromium() ? false : 'there is no chromium';
    try {
        return !execFileSync('which', ['firefox-esr']);
    } catch {
        return 'there is no firefox-esr';
    }
}

/** A browser that knows the name `plans.test`. */
export const startBrowser = () =>
    (isFirefox ? Firefox.start() : DevTools.start('--host-resolver-rules=MAP plans.test 127.0.0.1'));
