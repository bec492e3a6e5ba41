import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hasChromium } from './support/chromium.js';
import { until } from './support/open.js';
import { Pages } from './support/pages.js';

// The examples of README.md with Debian's React and Vue (node-react, node-react-dom, libjs-vue), in a real browser.

const FRAMEWORKS = {
    React: ['react', 'react-dom'].map(name => `/usr/share/nodejs/${name}/umd/${name}.development.js`),
    Vue: ['/usr/share/javascript/vue/vue.js'],
};
const TYPES = { '.html': 'text/html', '.js': 'text/javascript' };
const here = path => fileURLToPath(new URL(path, import.meta.url));
const readme = readFileSync(here('../README.md'), 'utf8').split('\n## React, Vue, Svelte\n')[1].split('\n## ')[0];
const blocks = Object.fromEntries([...readme.matchAll(/^```js\n(.*?)^```$/gms)]
    .map(([, code]) => [/createRoot/.test(code) ? 'React' : 'Vue', code]));

let pages, server, browser, alice, project;

before(async () => {
    if (!hasChromium()) return;
    pages = await Pages.start(answer);
    ({ server, browser, alice, project } = pages);
});
after(() => pages?.stop());

/** `React` is a page, `React/0` its first script; everything else is a file of the module. */
function answer(path, response) {
    const name = path.slice(1);
    const [framework, number] = name.split('/');
    const file = FRAMEWORKS[framework]?.[number] ?? join(here('..'), name);
    const content = number === undefined && blocks[framework] ? page(framework) : existsSync(file) && readFileSync(file);
    if (!content) return response.writeHead(404).end();
    return response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'text/html' }).end(content);
}

const page = framework => `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="app"></div>
${FRAMEWORKS[framework].map((_, number) => `<script src="${framework}/${number}"></script>`).join('\n')}
<script type="module">
import { open } from './index.js';
const indexes = { tasks: [['percent_complete', 'name']] };
const tidemark = window.tidemark = await open({ url: '${server.url}', indexes });
if (!tidemark.state.isSignedIn) await tidemark.signIn({ token: '${alice}' });
${blocks[framework]}
</script>`;

const shown = (...names) => until(async () => {
    const items = await browser.run('return [...document.querySelectorAll("li")].map(each => each.textContent)');
    return items.join() === names.join();
}, `it shows ${names}`);

for (const [framework, scripts] of Object.entries(FRAMEWORKS)) {
    const skip = hasChromium() && scripts.every(existsSync) ? false : `there is no chromedriver, or no ${framework}`;
    test(`${framework} shows the rows of a live query, in at most 20 lines`, { skip }, async () => {
        assert.ok(blocks[framework].trim().split('\n').length <= 20);
        const id = name => `${framework}-${name}`;
        for (const name of ['b', 'd']) await server.task(alice, project, { id: id(name), name });
        await browser.open(`${pages.origin}/${framework}`);
        await shown('b', 'd');
        const row = { project_id: project, id: id('a'), name: 'a' };
        await browser.run(`return tidemark.insert('tasks', ${JSON.stringify(row)})`);
        await shown('a', 'b', 'd');
        await server.task(alice, project, { id: id('c'), name: 'c' });
        await shown('a', 'b', 'c');
        await browser.run(`return tidemark.update('tasks', '${id('a')}', { percent_complete: 100 })`);
        await shown('b', 'c', 'd');
        for (const name of ['b', 'c', 'd']) await browser.run(`return tidemark.delete('tasks', '${id(name)}')`);
        await shown();
        assert.deepEqual(await browser.errors(), []);
    });
}
