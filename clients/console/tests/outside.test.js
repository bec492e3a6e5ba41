import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { hasChromium } from './support/devtools.js';
import { Plans } from './support/plans.js';

// What a page of another site can do to the console of somebody who is signed in.

const skip = hasChromium() ? false : 'there is no chromium';

let plans, site, page;

before(async () => {
    if (skip) return;
    plans = await Plans.start();
    const alice = await plans.user('alice');
    await plans.server.api(alice, 'POST', '/projects/', { id: 'boat', name: 'Boat', start_date: '2026-01-05' });
    const own = await plans.page();
    await plans.signIn(own, 'alice');
    await own.has('.list a');
    site = createServer((_, answer) => answer.writeHead(200, { 'Content-Type': 'text/html' }).end('<button>Open</button>'));
    await new Promise(resolve => site.listen(0, '127.0.0.1', resolve));
    page = await plans.tools.page(`http://plans.test:${site.address().port}/`);
});
after(async () => {
    if (skip) return;
    site.close();
    site.closeAllConnections();
    await plans.stop();
});

test('it can\'t show the console in a frame', { skip }, async () => {
    const frame = await page.run(`
        const frame = document.createElement('iframe');
        frame.src = ${JSON.stringify(plans.front.url)};
        document.body.append(frame);
        await new Promise(resolve => frame.addEventListener('load', resolve));
        return { document: frame.contentDocument, pages: window.length };`);
    assert.deepEqual(frame, { document: null, pages: 1 });
    await page.until('return true');
    assert.match(page.troubles.join('\n'), /frame-ancestors|refused to connect|Framing/i);
});

test('it acts for nobody: no browser adds a token by itself', { skip }, async () => {
    const origin = new URL(plans.front.url).origin;
    const answers = await page.run(`
        const read = await fetch('${origin}/api/v1/projects/', { credentials: 'include' })
            .then(() => 'read', error => error.name);
        await fetch('${origin}/api/v1/projects/boat/', {
            method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}',
        }).catch(() => {});
        return { read };`);
    assert.deepEqual(answers, { read: 'TypeError' });
});

test('a window that it opens is none that it can reach', { skip }, async () => {
    const open = `globalThis.opened = window.open(${JSON.stringify(plans.front.url)})`;
    await page.run(`document.querySelector('button').onclick = () => { ${open} }`);
    await page.click('button');
    await page.until('return !!globalThis.opened', 'the browser opens it');
    await page.until('return opened.closed', 'its hold on the window is gone');
});

test('its files can\'t be used as scripts of another page', { skip }, async () => {
    const outcome = await page.run(`
        const script = document.createElement('script');
        script.src = ${JSON.stringify(plans.front.url)} + 'theme.js';
        return new Promise(resolve => {
            script.onload = () => resolve('loaded');
            script.onerror = () => resolve('refused');
            document.head.append(script);
        });`);
    assert.equal(outcome, 'refused');
});
