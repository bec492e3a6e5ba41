import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { hasChromium } from './support/chromium.js';
import { Pages } from './support/pages.js';

// An app that imports the module from the server that it syncs with, in a real browser. Nothing is copied.

const docs = readFileSync(new URL('../../../docs/web-app.md', import.meta.url), 'utf8');
const policy = docs.match(/^Content-Security-Policy: (.*)$/m)[1];
let pages, server, browser, alice, project;

before(async () => {
    if (!hasChromium()) return;
    pages = await Pages.start(answer);
    ({ server, browser, alice, project } = pages);
});
after(() => pages?.stop());

function answer(url, response) {
    const [type, text] = url === '/app.js' ? ['text/javascript', script()] : ['text/html', PAGE];
    const headers = { 'Content-Type': type, 'Content-Security-Policy': policy.replaceAll(NAMED, server.url) };
    response.writeHead(200, headers).end(text);
}

const NAMED = 'https://tidemark.example.org';
const PAGE = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<script type="module" src="app.js"></script>`;
const script = () => `import { open } from '${server.url}/client/index.js';
window.tidemark = await open({ url: '${server.url}', indexes: { tasks: ['name'] } });
if (!tidemark.state.isSignedIn) await tidemark.signIn({ token: '${alice}' });
window.isReady = true;`;

test('a page of another origin imports the module from the server', { skip: !hasChromium() && 'there is no chromedriver' },
    async () => {
        await browser.open(pages.origin);
        await browser.run(`while (!window.isReady) await new Promise(resolve => setTimeout(resolve, 20));`);
        const row = { project_id: project, id: 't', name: 'Order paint' };
        await browser.run(`return tidemark.insert('tasks', ${JSON.stringify(row)})`);
        await browser.run('await tidemark.sync()');
        const rows = await browser.run('return tidemark.rows("tasks", { where: { name: "Order paint" } })');
        assert.deepEqual(rows.map(({ id }) => id), ['t']);
        const sources = await browser.run(
            'return performance.getEntriesByType("resource").map(({ name }) => name).filter(name => /client/.test(name))');
        assert.ok(sources.length > 20);
        assert.ok(sources.every(name => new RegExp(`^${server.url}/client/([0-9a-f]{16}/|index\\.js)`).test(name)), sources);
        assert.deepEqual(await browser.errors(), []);
    });
