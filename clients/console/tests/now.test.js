import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from './support/audit.js';
import { withRoot } from './support/with-root.js';

// What superusers see of the server, in a real browser.

let plans, page;
const skip = withRoot(begun => { ({ plans, page } = begun); });

test('a superuser sees what is asked of the server', { skip }, async () => {
    await plans.signIn(page, 'root');
    await page.has('.links a[href="#/now"]');
    await page.open(`${plans.front.url}#/now`);
    await page.until('return /started/.test(document.querySelector(".now > p")?.textContent)', 'the server says so');
    const routes = 'document.querySelectorAll("[aria-label=Routes] tbody th")';
    await page.until(`return [...${routes}].some(({ textContent }) => textContent === '/admin/status/')`, 'its own route');
    const shown = await page.run(`
        const plots = [...document.querySelectorAll('.plot')].filter(({ hidden }) => !hidden);
        return Object.fromEntries(plots.map(plot => [plot.querySelector('figcaption .muted').textContent,
            plot.querySelector('.plot-value').textContent]));`);
    assert.match(shown.Requests, /^[\d.,]+\/s$/);
    assert.match(shown.Memory, /^[\d.,]+ MB$/);
    assert.notEqual(shown['Median time'], '–');
    assert.equal('Servers' in shown, false, 'a file has one server');
    assert.deepEqual(await page.run(audit()), []);
});

test('nothing is asked any more once the page is left', { skip }, async () => {
    await page.open(`${plans.front.url}#/projects`);
    await page.has('.projects');
    const asked = () => page.run(`return performance.getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('/admin/status/')).length`);
    const before = await asked();
    await page.run('return new Promise(resolve => setTimeout(resolve, 2500))');
    assert.equal(await asked(), before);
});

test('somebody else is told whom it is for', { skip }, async () => {
    await page.click('.sign-out');
    await page.has('.sign-in');
    await plans.signIn(page, 'alice');
    await page.has('.projects');
    assert.deepEqual(page.troubles, []);
    await page.open(`${plans.front.url}#/now`);
    await page.until('return /superuser/.test(document.querySelector(".empty")?.textContent)', 'the reason');
});
