import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hasChromium } from './support/devtools.js';
import { Plans } from './support/plans.js';

// Marks that turn the direction of what follows are legal in names. No page lets them turn anything.

const skip = hasChromium() ? false : 'there is no chromium';
const TURNED = '\u202egnp.exe\u202c \u2067end';

let plans, page;

before(async () => {
    if (skip) return;
    plans = await Plans.start();
    const alice = await plans.user('alice');
    await plans.server.api(alice, 'POST', '/projects/', { id: 'boat', name: `Boat ${TURNED}`, start_date: '2026-01-05' });
    await plans.server.task(alice, 'boat', { id: 't', name: `Task ${TURNED}`, notes: TURNED });
    await plans.server.task(alice, 'boat', { id: 'u', name: 'Below', parent: 't' });
    await plans.server.api(alice, 'POST', '/tokens/', { name: `Token ${TURNED}` }).catch(() => {});
    page = await plans.page('#/projects');
    await plans.signIn(page, 'alice');
    await page.has('.list a', 60_000);
});
after(() => skip || plans.stop());

const PAGES = {
    '/projects': 'Boat gnp.exe end', '/plan/boat': 'Task gnp.exe end', '/plan/boat/tasks': 'Task gnp.exe end', '/row/tasks/t': 'Task gnp.exe end',
    '/row/tasks/u': 'Task gnp.exe end', '/plan/boat/members': 'Boat gnp.exe end', '/account': 'alice',
};

for (const [route, text] of Object.entries(PAGES)) {
    test(`${route} shows a name without the marks in it`, { skip }, async () => {
        await page.run(`location.hash = ${JSON.stringify(route)}`);
        await page.until(`return document.body.textContent.includes(${JSON.stringify(text)})
            && !document.querySelector('.loading')`, text, 60_000);
        const turned = await page.run(`
            const mark = /[\\u202a-\\u202e\\u2066-\\u2069]/;
            const found = mark.test(document.title) ? ['the title'] : [];
            for (const each of document.body.querySelectorAll('*')) {
                const own = [...each.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data);
                const attributes = [...each.attributes].map(({ value }) => value);
                if ([...own, ...attributes].some(value => mark.test(value))) found.push(each.outerHTML.slice(0, 200));
            }
            return found;`);
        assert.deepEqual(turned, []);
    });
}
